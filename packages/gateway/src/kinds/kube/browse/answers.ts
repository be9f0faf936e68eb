/** What a cluster answers, read whole where it is small, or told as a failure. All of it is the cluster's word, and may be anything. */
import type { Readable } from 'node:stream';
import { parseJson } from '@gatehouse/contract/std/parse-json';
import { z } from 'zod';
import type { KubeAnswer } from '../engine/stream-answer.ts';
import { parseBounded } from './bounded-json.ts';
import { KubeFailure } from './kube-failure.ts';

export interface KubeWanted {
  method: string;
  target: string;
  headers: [string, string][];
  body?: Buffer;
}

/** One request to the cluster as the person: parsed, decided, told and filtered as those of kubectl are. */
export type KubeAsk = (wanted: KubeWanted, signal: AbortSignal) => Promise<KubeAnswer>;

/** Beyond it nobody reads a sentence to its end. */
const MAX_MESSAGE = 4_096;
const MAX_STATUS_BYTES = 64 * 1024;

const statusBody = z.object({ reason: z.string().catch(''), message: z.string().catch('') });

/** The answer, or what was wrong as the cluster tells it. */
export async function good(answer: KubeAnswer): Promise<KubeAnswer> {
  if (answer.status >= 200 && answer.status < 300) return answer;
  const text = await readWhole(answer.body, MAX_STATUS_BYTES).catch(() => Buffer.alloc(0));
  throw toldFailure(answer.status, parseJson(text));
}

export function toldFailure(status: number, told: unknown): KubeFailure {
  const { reason, message } = statusBody.safeParse(told).data ?? { reason: '', message: '' };
  const words = message === '' ? `the cluster answered with ${status}` : message;
  return new KubeFailure(status, reason.slice(0, 128), words.slice(0, MAX_MESSAGE));
}

export async function readWhole(body: Readable, maxBytes: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of body as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > maxBytes) {
      body.destroy();
      throw new KubeFailure(0, 'TooLarge', `the cluster's answer is longer than ${maxBytes / 1024 / 1024} MiB`);
    }
    parts.push(part);
  }
  return Buffer.concat(parts);
}

export async function readJson(answer: KubeAnswer, maxBytes: number): Promise<unknown> {
  const value = parseBounded(await readWhole((await good(answer)).body, maxBytes));
  if (value === undefined) throw new KubeFailure(0, 'NotJson', "the cluster's answer is not JSON");
  return value;
}

/** Lines of a stream, each of at most so many bytes. The rest of a stream nobody reads to its end is let go of. */
export async function* readLines(body: Readable, maxBytes: number): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let size = 0;
  for await (const part of body as AsyncIterable<Buffer>) {
    let from = 0;
    for (let at = part.indexOf(10); at !== -1; at = part.indexOf(10, from)) {
      held.push(part.subarray(from, at));
      const line = held.length === 1 ? (held[0] as Buffer) : Buffer.concat(held);
      held = [];
      size = 0;
      from = at + 1;
      if (line.length > maxBytes) throw tooLong(maxBytes);
      if (line.length > 0) yield line;
    }
    if (from < part.length) {
      held.push(part.subarray(from));
      size += part.length - from;
      if (size > maxBytes) throw tooLong(maxBytes);
    }
  }
}

function tooLong(maxBytes: number): KubeFailure {
  return new KubeFailure(0, 'TooLarge', `the cluster sent an event longer than ${maxBytes / 1024 / 1024} MiB`);
}
