/** A body that is read before it is sent, because something in it decides or must be told. */
import type { Readable } from 'node:stream';
import { AppError } from '../../../platform/std/app-error.ts';

/** As API servers have it. */
export const MAX_BODY = 3 * 1024 * 1024;

export async function readWholeBody(source: Readable | undefined): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of source ?? []) {
    size += (piece as Buffer).length;
    if (size > MAX_BODY) throw new AppError('too_large', `what is sent has more than ${MAX_BODY} bytes`);
    pieces.push(piece as Buffer);
  }
  return Buffer.concat(pieces);
}
