/** Tickets for one file to or from a transfer folder: of one sign-in, for one use, and soon. In memory: what they are for is there too. */
import type { Readable } from 'node:stream';
import { hashToken, newToken } from '../../../../platform/crypto/tokens.ts';
import type { ByteReply } from '../../../../platform/http/byte-reply.ts';
import { AppError } from '../../../../platform/std/app-error.ts';
import { BoundedMap } from '../../../../platform/std/bounded-map.ts';

export const USE_MS = 60_000;
/** Of all sessions; the oldest go first. */
const MAX_TICKETS = 10_000;

/** Throws once whoever shows it is signed in no longer. */
export type StillSignedIn = () => Promise<void>;

export type TransferTicket =
  | { what: 'upload'; take(body: Readable, require: StillSignedIn): Promise<{ path: string; size: number }> }
  | { what: 'download'; give(require: StillSignedIn): ByteReply };
type Of<What> = Extract<TransferTicket, { what: What }>;

export interface TransferTickets {
  /** Gives what is shown for it. */
  make(signInId: string, ticket: TransferTicket): string;
  /** Throws unless it is of this sign-in and was never used. */
  use<What extends TransferTicket['what']>(shown: string, signInId: string, what: What): Of<What>;
}

export function createTransferTickets({ now }: { now: () => number }): TransferTickets {
  const made = new BoundedMap<string, { ticket: TransferTicket; signInId: string; at: number }>(MAX_TICKETS);
  const forgetOld = () => {
    for (const [hash, { at }] of made) {
      if (now() - at <= USE_MS) return;
      made.delete(hash);
    }
  };
  return {
    make(signInId, ticket) {
      forgetOld();
      const shown = newToken();
      made.set(hashToken(shown), { ticket, signInId, at: now() });
      return shown;
    },
    use<What extends TransferTicket['what']>(shown: string, signInId: string, what: What): Of<What> {
      const hash = hashToken(shown);
      const found = made.get(hash);
      if (!found || found.signInId !== signInId || found.ticket.what !== what || now() - found.at > USE_MS)
        throw new AppError(
          'denied',
          'this was used before, or too long ago: start it again on the page of the desktop',
        );
      made.delete(hash);
      return found.ticket as Of<What>;
    },
  };
}
