/** The bytes of an upload as they come, until it is cut or nothing comes any more. */

import type { Readable } from 'node:stream';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import { AppError } from '../std/app-error.ts';

const STALL_MS = 60_000;

export interface PieceOptions {
  /** Cuts it with its reason. */
  signal: AbortSignal;
  stallMs?: number;
}

export async function* bodyPieces(
  body: Readable,
  { signal, stallMs = STALL_MS }: PieceOptions,
): AsyncGenerator<Buffer> {
  const cut = Promise.withResolvers<never>();
  cut.promise.catch(() => {});
  const stalled = setTimeout(
    () => cut.reject(new AppError('bad_request', 'nothing more was sent for a while: go on from where it stopped')),
    stallMs,
  ).unref();
  const forget = whenAborted(signal, () => cut.reject(signal.reason));
  const pieces: AsyncIterator<Buffer> = body.iterator({ destroyOnReturn: false });
  try {
    for (;;) {
      const next = await Promise.race([pieces.next(), cut.promise]).catch((error: unknown) => {
        throw gone(error);
      });
      if (next.done) return;
      stalled.refresh();
      yield next.value;
    }
  } finally {
    clearTimeout(stalled);
    forget();
  }
}

function gone(error: unknown): unknown {
  const isCut = error instanceof Error && 'code' in error && error.code === 'ECONNRESET';
  return isCut
    ? new AppError('bad_request', 'the connection was lost before all of it was sent', { cause: error })
    : error;
}
