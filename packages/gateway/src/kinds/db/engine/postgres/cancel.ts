/** Cancels what runs at a PostgreSQL server, on a connection of its own, as the protocol wants it. */
import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import type { ServerTerms } from '../server-terms.ts';
import { cancelRequest } from './messages.ts';
import { secured } from './sign-in.ts';

/** From this version on, keys may be longer than four bytes beside the number of the process. */
const LONG_KEYS = (3 << 16) | 2;

/** Ours, as long as the version of the protocol has them: the server's own would cancel past everything that is decided here. */
export function ownCancelKey(version: number): Buffer {
  return randomBytes(version >= LONG_KEYS ? 36 : 8);
}

/** Done when the server has closed: it says nothing, and has heard it by then. */
export async function cancelAt(
  bare: Duplex,
  key: Buffer,
  { secure }: Pick<ServerTerms, 'secure'>,
  signal: AbortSignal,
): Promise<void> {
  try {
    const server = secure ? await secured(bare, secure, signal) : bare;
    server.resume();
    await new Promise<void>((resolve, reject) => {
      const heard = whenAborted(signal, resolve);
      const settled = () => {
        heard();
        resolve();
      };
      server.once('close', settled);
      server.once('end', settled);
      server.once('error', reject);
      server.end(cancelRequest(key));
    });
  } finally {
    bare.destroy();
  }
}
