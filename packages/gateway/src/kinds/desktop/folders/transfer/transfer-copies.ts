/** Files on their way between a page and its transfer folder: as fast as they are taken, and cut when they may pass no longer. */
import { Readable } from 'node:stream';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import { bodyPieces } from '../../../../platform/http/body-pieces.ts';
import { attachmentNamed, type ByteReply } from '../../../../platform/http/byte-reply.ts';
import { whileAllowed } from '../../../../platform/http/while-allowed.ts';
import { AppError } from '../../../../platform/std/app-error.ts';
import { FolderFailure } from '../../engine/shared-folder.ts';
import type { SealedFile } from './sealed-file.ts';
import type { TransferFolder } from './transfer-folder.ts';
import type { StillSignedIn } from './transfer-tickets.ts';

const PIECE_BYTES = 256 * 1024;
/** Somebody who takes nothing for so long has gone. */
const STALL_MS = 5 * 60_000;

export interface CopyTerms {
  /** Cuts it with its reason. */
  signal: AbortSignal;
  /** Asked before each piece. */
  mayPass(): boolean;
  require: StillSignedIn;
}

export async function takeUpload(
  folder: TransferFolder,
  { name, size }: { name: string; size: number },
  body: Readable,
  { signal, mayPass, require }: CopyTerms,
): Promise<{ path: string; size: number }> {
  let upload: ReturnType<TransferFolder['beginUpload']> | undefined;
  try {
    upload = folder.beginUpload(size);
    let taken = 0;
    for await (const piece of whileAllowed(bodyPieces(body, { signal }), require)) {
      if (!mayPass()) throw held();
      taken += piece.length;
      if (taken > size) throw new AppError('bad_request', 'more was sent than was announced');
      await upload.write(piece);
    }
    if (taken < size) throw new AppError('bad_request', `only ${taken} of ${size} bytes were sent: try it again`);
    return { path: upload.finish(name), size };
  } catch (error) {
    upload?.giveUp();
    throw explained(error);
  }
}

export function giveDownload(name: string, file: SealedFile, { signal, mayPass, require }: CopyTerms): ByteReply {
  const { size } = file;
  async function* pieces() {
    for (let at = 0; at < size; ) {
      if (!mayPass()) throw held();
      const piece = await file.read(at, Math.min(PIECE_BYTES, size - at));
      // Cut off or removed meanwhile: it must not look like one that was given whole.
      if (piece.length === 0) throw new AppError('conflict', 'the file became shorter while it was downloaded');
      at += piece.length;
      stalled.refresh();
      yield piece;
    }
  }
  const bytes = Readable.from(whileAllowed(pieces(), require), { objectMode: false, highWaterMark: PIECE_BYTES });
  const stalled = setTimeout(
    () => bytes.destroy(new Error('nobody took anything of it for a while')),
    STALL_MS,
  ).unref();
  const forget = whenAborted(signal, () => void bytes.destroy(explained(signal.reason) as Error));
  bytes.once('close', () => {
    clearTimeout(stalled);
    forget();
  });
  // What the reader of the stream does not hear must not end the process.
  bytes.on('error', () => {});
  const headers = { 'content-disposition': attachmentNamed(name), 'content-length': String(size) };
  return { status: 200, headers, bytes };
}

function held(): AppError {
  return new AppError('denied', 'nothing passes at this moment');
}

function explained(error: unknown): unknown {
  if (!(error instanceof FolderFailure)) return error;
  const code = { full: 'too_large', gone: 'conflict' } as const;
  const { fault } = error;
  if (fault === 'full' || fault === 'gone') return new AppError(code[fault], error.message, { cause: error });
  return new AppError(fault === 'failed' ? 'conflict' : 'bad_request', error.message, { cause: error });
}
