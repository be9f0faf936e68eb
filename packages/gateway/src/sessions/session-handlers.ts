/** The sessions that are open now: one's own, and others' by role; and their end. */

import type { ActiveSession, sessionRoutes } from '@gatehouse/contract/sessions/sessions';
import { OK } from '@gatehouse/contract/wire/ack';
import { ActionDenied } from '../access/action-denied.ts';
import type { AccessControl } from '../access/create-access.ts';
import type { Actor } from '../platform/http/actor.ts';
import type { Handlers } from '../platform/http/call.ts';
import { readyReply } from '../platform/http/ready-reply.ts';
import { notFound } from '../platform/std/app-error.ts';
import type { Db } from '../platform/storage/tables.ts';
import type { SessionHost } from './host/session-host.ts';
import { mayTouch, onSession } from './host/session-rights.ts';
import { findSession, type Session } from './host/session-store.ts';
import { type ActiveSessionDeps, listActive, toActive } from './live/active-sessions.ts';
import { rowsText } from './live/session-row.ts';

export interface SessionHandlerDeps extends ActiveSessionDeps {
  db: Db;
  access: AccessControl;
  host: SessionHost;
  clusterName: string;
}

export function sessionHandlers(deps: SessionHandlerDeps): Handlers<typeof sessionRoutes> {
  const { db, access, host } = deps;

  /** What the caller may not see is not found. */
  const find = async (
    actor: Actor,
    cluster: string,
    sid: string,
  ): Promise<{ session: Session; shown: ActiveSession }> => {
    const session = host.get(sid)?.session ?? (await findSession(db, cluster, sid));
    const shown = session && !session.ended ? await toActive(deps, actor, session) : undefined;
    if (!session || !shown) throw notFound('session', sid);
    return { session, shown };
  };

  return {
    async list({ actor }) {
      const rows = rowsText(await listActive(deps, actor));
      return readyReply<typeof sessionRoutes.list>(Buffer.from(`{"sessions":${rows}}`));
    },

    async get({ actor, cluster, params }) {
      return (await find(actor, cluster, params.sid)).shown;
    },

    async end({ actor, cluster, params, query }) {
      const { session } = await find(actor, cluster, params.sid);
      if (!mayTouch(access, actor, session, 'delete')) throw new ActionDenied(onSession(session, 'delete'));
      await host.endBy(actor, session, query.reason);
      return OK;
    },
  };
}
