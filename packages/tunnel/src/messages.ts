/** Bounded JSON messages on a byte stream: the handshake before HTTP/2, and the control stream inside it. */

import type { Duplex } from 'node:stream';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import type { z } from 'zod';
import { TunnelError } from './tunnel-error.ts';

const LENGTH_BYTES = 4;

/** Resolves when the bytes have left this process: HTTP/2 may take the socket only then, or Node aborts. */
export function writeMessage(stream: Duplex, message: object): Promise<Buffer> {
  const body = Buffer.from(JSON.stringify(message));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(body.length);
  return new Promise((resolve, reject) => {
    stream.write(Buffer.concat([length, body]), (error) => {
      if (error) reject(new TunnelError('closed', 'the connection was lost', { cause: error }));
      else resolve(body);
    });
  });
}

/** Exactly one message, with its bytes; what follows it stays in the stream. */
export async function readMessage<T>(
  stream: Duplex,
  schema: z.ZodType<T>,
  { maxBytes, signal }: { maxBytes: number; signal?: AbortSignal },
): Promise<{ value: T; bytes: Buffer }> {
  const header = await readBytes(stream, LENGTH_BYTES, signal);
  const length = header.readUInt32BE();
  if (length === 0 || length > maxBytes)
    throw new TunnelError('bad_peer', `a message of ${length} bytes was announced`);
  const bytes = await readBytes(stream, length, signal);
  return { value: parseMessage(schema, bytes), bytes };
}

export function parseMessage<T>(schema: z.ZodType<T>, bytes: Buffer): T {
  let json: unknown;
  try {
    json = JSON.parse(bytes.toString());
  } catch (cause) {
    throw new TunnelError('bad_peer', 'a message was no JSON', { cause });
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new TunnelError('bad_peer', `a message was malformed at '${issue?.path.join('.')}': ${issue?.message}`);
}

function readBytes(stream: Duplex, count: number, signal: AbortSignal | undefined): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const taken: Buffer[] = [];
    let size = 0;

    const take = () => {
      for (let chunk = nextChunk(); chunk !== null; chunk = nextChunk()) {
        taken.push(chunk);
        size += chunk.length;
        if (size < count) continue;
        const all = Buffer.concat(taken, size);
        stop();
        if (size > count) stream.unshift(all.subarray(count));
        resolve(all.subarray(0, count));
        return;
      }
      if (stream.readableEnded || stream.destroyed) lost();
    };
    const nextChunk = (): Buffer | null => stream.read();
    const lost = () => {
      stop();
      reject(new TunnelError('closed', 'the peer closed the connection'));
    };
    let forget = () => {};
    const stop = () => {
      stream.off('readable', take);
      stream.off('end', lost);
      stream.off('close', lost);
      forget();
    };

    stream.on('readable', take);
    stream.on('end', lost);
    stream.on('close', lost);
    forget = whenAborted(signal, () => {
      stop();
      reject(signal?.reason);
    });
    if (!signal?.aborted) take();
  });
}
