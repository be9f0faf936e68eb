/** Bytes as a reply, packed for who takes that: a picture of a desktop is a few megabytes that pack to a tenth. */
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { ByteReply } from '../../../platform/http/byte-reply.ts';

const compress = promisify(gzip);
const MIN_BYTES = 1024;

export async function packed(
  exchange: { header(name: string): string | undefined },
  bytes: Buffer,
): Promise<ByteReply> {
  const isPacked = bytes.length >= MIN_BYTES && /\bgzip\b/.test(exchange.header('accept-encoding') ?? '');
  const sent = isPacked ? await compress(bytes, { level: 1 }) : bytes;
  const headers = { vary: 'accept-encoding', ...(isPacked ? { 'content-encoding': 'gzip' } : {}) };
  return { status: 200, headers, bytes: Readable.from([sent]) };
}
