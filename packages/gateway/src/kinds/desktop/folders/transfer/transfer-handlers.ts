/** Answers the calls by which files reach transfer folders and leave them. */
import type { desktopFileRoutes } from '@gatehouse/contract/kinds/desktop/transfer';
import type { Identity } from '../../../../identity/identity.ts';
import type { Caller } from '../../../../platform/http/actor.ts';
import type { Handlers } from '../../../../platform/http/call.ts';
import { AppError } from '../../../../platform/std/app-error.ts';
import type { StillSignedIn, TransferTickets } from './transfer-tickets.ts';

interface TransferHandlerDeps {
  tickets: Pick<TransferTickets, 'use'>;
  identity: Pick<Identity, 'byCookie' | 'callerOf'>;
}

export function transferHandlers({ tickets, identity }: TransferHandlerDeps): Handlers<typeof desktopFileRoutes> {
  return {
    async upload({ actor, caller, params, body }) {
      return await tickets.use(params.ticket, actor.signInId, 'upload').take(body, stillSignedIn(caller));
    },

    async download({ params, exchange }) {
      const used = { address: exchange.address, door: 'download' };
      const actor = await identity.byCookie(exchange.cookie('session'), used);
      if (!actor) throw new AppError('not_signed_in', 'you are not signed in, or your sign-in has ended');
      return tickets.use(params.ticket, actor.signInId, 'download').give(stillSignedIn(identity.callerOf(actor)));
    },
  };
}

function stillSignedIn(caller: Caller): StillSignedIn {
  return async () => void (await caller.now());
}
