/** Answers the calls by which files reach transfer folders and leave them. */
import type { desktopFileRoutes } from '@gatehouse/contract/kinds/desktop/transfer';
import type { Caller } from '../../../../platform/http/actor.ts';
import type { Handlers } from '../../../../platform/http/call.ts';
import type { StillSignedIn, TransferTickets } from './transfer-tickets.ts';

interface TransferHandlerDeps {
  tickets: Pick<TransferTickets, 'use'>;
}

export function transferHandlers({ tickets }: TransferHandlerDeps): Handlers<typeof desktopFileRoutes> {
  return {
    async upload({ actor, caller, params, body }) {
      return await tickets.use(params.ticket, actor.signInId, 'upload').take(body, stillSignedIn(caller));
    },

    async download({ actor, caller, params }) {
      return tickets.use(params.ticket, actor.signInId, 'download').give(stillSignedIn(caller));
    },
  };
}

function stillSignedIn(caller: Caller): StillSignedIn {
  return async () => void (await caller.now());
}
