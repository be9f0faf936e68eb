/** Bytes of files in order and with many requests on their way, so that a distant server is not waited for at every piece. */

import { REQUEST } from '@gatehouse/contract/kinds/node/files/sftp';
import type { SftpClient } from './sftp-client.ts';

/** What may be on its way, or here and not taken: also all the memory a transfer uses. */
const WINDOW_BYTES = 4 * 1024 * 1024;

interface Range {
  from: number;
  /** One beyond the last byte. */
  to: number;
}

/** Ends early where the file does. Asks for no more than its reader takes. */
export async function* readRange(client: SftpClient, handle: Buffer, { from, to }: Range): AsyncGenerator<Buffer> {
  const asked: Promise<ReadChunk>[] = [];
  const most = Math.max(1, Math.floor(WINDOW_BYTES / client.pieceBytes));
  let next = from;
  for (;;) {
    while (next < to && asked.length < most) {
      const length = Math.min(client.pieceBytes, to - next);
      const piece = readPiece(client, handle, next, length);
      // Whoever stops reading takes no notice of what fails after that.
      piece.catch(() => {});
      asked.push(piece);
      next += length;
    }
    const first = asked.shift();
    if (!first) return;
    const { length, bytes } = await first;
    if (bytes.length > 0) yield bytes;
    // A piece that ends before it should is where the file ends.
    if (bytes.length < length) return;
  }
}

interface ReadChunk {
  /** What was asked for. */
  length: number;
  bytes: Buffer;
}

/** Servers may give less than was asked for; the rest is asked for again. */
async function readPiece(client: SftpClient, handle: Buffer, offset: number, length: number): Promise<ReadChunk> {
  const first = await client.read(handle, offset, length);
  if (first.length === length || first.length === 0) return { length, bytes: first };
  const pieces = [first];
  let got = first.length;
  while (got < length) {
    const more = await client.read(handle, offset + got, length - got);
    if (more.length === 0) break;
    pieces.push(more);
    got += more.length;
  }
  return { length, bytes: Buffer.concat(pieces, got) };
}

interface Writing {
  from: number;
  /** One beyond the last byte that is taken; more than that is an error of the sender, thrown by `tooMuch`. */
  to: number;
  tooMuch(): Error;
  /** After each piece, with how far the file is known to have come. */
  onWritten?(offset: number): void;
}

/** Gives how far it came when everything is written. Rejects with what the source or the server threw, all answers waited for. */
export async function writeAll(
  client: SftpClient,
  handle: Buffer,
  source: AsyncIterable<Buffer>,
  { from, to, tooMuch, onWritten }: Writing,
): Promise<number> {
  const running = new Set<Promise<void>>();
  let failure: { error: unknown } | undefined;
  let offset = from;
  let onItsWay = 0;
  const write = (bytes: Buffer, at: number) => {
    onItsWay += bytes.length;
    const done = client
      .change(REQUEST.write, handle, BigInt(at), bytes)
      .catch((error: unknown) => {
        failure ??= { error };
      })
      .finally(() => {
        running.delete(done);
        onItsWay -= bytes.length;
      });
    running.add(done);
  };
  try {
    for await (const chunk of source) {
      if (offset + chunk.length > to) throw tooMuch();
      for (let start = 0; start < chunk.length; start += client.pieceBytes) {
        const bytes = chunk.subarray(start, start + client.pieceBytes);
        await client.room();
        while (onItsWay >= WINDOW_BYTES && !failure) await Promise.race(running);
        if (failure) throw failure.error;
        write(bytes, offset);
        offset += bytes.length;
      }
      onWritten?.(offset);
    }
  } finally {
    await Promise.all(running);
  }
  if (failure) throw failure.error;
  return offset;
}
