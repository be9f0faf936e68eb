/** A short answer of a cluster, whole. */
import type { Readable } from 'node:stream';

const MAX_ANSWER_BYTES = 64 * 1024;

/** What is longer is cut. */
export async function bytesOf(body: Readable): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of body as AsyncIterable<Buffer>) {
    parts.push(part);
    bytes += part.length;
    if (bytes > MAX_ANSWER_BYTES) break;
  }
  body.destroy();
  return Buffer.concat(parts).subarray(0, MAX_ANSWER_BYTES);
}
