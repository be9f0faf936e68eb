/** Small things tests and benchmarks do with streams: an agent's targets, collecting, waiting. */
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import type { OnStream } from '../src/agent-session.ts';

const BLOCK = Buffer.alloc(64 * 1024, 'x');

export interface Served {
  onStream: OnStream;
  /** Bytes the sources have handed to their streams. */
  produced(): number;
}

/**
 * What test agents serve: `echo`, `sink` (answers the count of bytes when they end), `source:BYTES`, `greeting` (ends its own side
 * first and then counts), `metadata`, `never` (no answer), `broken` (throws), anything else is not allowed.
 */
export function testTargets(): Served {
  let produced = 0;
  const onStream: OnStream = async (offered, { target, metadata }) => {
    const [name, size] = target.split(':');
    if (name === 'never') return;
    if (name === 'broken') throw new Error('secret detail');
    if (!['echo', 'sink', 'source', 'greeting', 'metadata'].includes(name ?? '')) {
      offered.refuse('not_allowed', `'${target}' is not allowed by this agent`);
      return;
    }
    const stream = offered.accept();
    stream.on('error', () => {});
    if (name === 'echo') stream.pipe(stream);
    if (name === 'metadata') stream.end(JSON.stringify(metadata));
    if (name === 'sink') stream.end(String(await countBytes(stream)));
    if (name === 'greeting') {
      stream.end('hello');
      greeted.push(await countBytes(stream));
    }
    if (name === 'source') {
      stream.resume();
      await produce(stream, Number(size), (bytes) => {
        produced += bytes;
      });
    }
  };
  return { onStream, produced: () => produced };
}

/** What `greeting` streams received after their own end. */
export const greeted: number[] = [];

export async function produce(stream: Duplex, size: number, tell: (bytes: number) => void = () => {}): Promise<void> {
  for (let left = size; left > 0 && !stream.destroyed; left -= BLOCK.length) {
    const chunk = left < BLOCK.length ? BLOCK.subarray(0, left) : BLOCK;
    tell(chunk.length);
    if (!stream.write(chunk)) await drained(stream);
  }
  stream.end();
}

function drained(stream: Duplex): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stream.off('drain', done).off('close', done);
      resolve();
    };
    stream.on('drain', done).on('close', done);
  });
}

export async function countBytes(stream: Duplex): Promise<number> {
  let count = 0;
  for await (const chunk of stream) count += chunk.length;
  return count;
}

export async function readText(stream: Duplex): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** One byte there and back, in milliseconds. */
export async function roundTrip(stream: Duplex): Promise<number> {
  const start = performance.now();
  const answered = once(stream, 'data');
  stream.write('x');
  await answered;
  return performance.now() - start;
}

export async function until(holds: () => boolean, what: string, ms = 30_000): Promise<void> {
  const end = performance.now() + ms;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`waited ${ms} ms in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
