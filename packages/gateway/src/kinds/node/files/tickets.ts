/** Tickets for downloads that a browser starts by itself, without a bearer: for one sign-in, once, and soon. */

import { hashToken, newToken } from '../../../platform/crypto/tokens.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import type { Db } from '../../../platform/storage/tables.ts';
import {
  findTicket,
  GO_ON_MS,
  insertTicket,
  START_MS,
  startTicket,
  type WantedDownload,
} from './file-session-store.ts';

export interface Tickets {
  make(fileSession: string, wanted: WantedDownload): Promise<string>;
  /** Throws unless it may be used now. A download that was started may be gone on with, not begun again. */
  use(ticket: string, how: { goesOn: boolean }): Promise<WantedDownload & { fileSession: string }>;
}

export function createTickets({ db, now }: { db: Db; now: () => number }): Tickets {
  return {
    async make(fileSession, wanted) {
      const ticket = newToken();
      const hash = hashToken(ticket);
      await db.transaction().execute((tx) => insertTicket(tx, { hash, fileSession, wanted, now: now() }));
      return ticket;
    },
    async use(ticket, { goesOn }) {
      const hash = hashToken(ticket);
      const found = await findTicket(db, hash);
      if (!found) throw used();
      const { paths, archive, fileSession, created, started } = found;
      const age = now() - created;
      const mayGoOn = goesOn && !archive && started !== undefined && age <= GO_ON_MS;
      const mayStart = age <= START_MS && (await startTicket(db, hash, now()));
      if (!mayGoOn && !mayStart) throw used();
      return { paths, archive, fileSession };
    },
  };
}

function used(): AppError {
  return new AppError('denied', 'this download was started before, or too long ago: start it again in the console');
}
