/** What the log says of a session beside its id, so that a reviewer knows which one is meant. */

import { loginsIn } from '../../access/action.ts';
import type { Db, Tx } from '../../platform/storage/tables.ts';
import { toSession } from '../../sessions/host/session-store.ts';

export interface NamedSession {
  sid: string;
  owner?: string;
  login?: string;
  server_id?: string;
  server_hostname?: string;
}

export async function namedSession(db: Db | Tx, sid: string): Promise<NamedSession> {
  const row = await db.selectFrom('session').selectAll().where('id', '=', sid).executeTakeFirst();
  if (!row) return { sid };
  const { user, action } = toSession(row);
  const { id, name } = action.resource;
  const [login] = loginsIn(action);
  return {
    sid,
    owner: user,
    server_id: id,
    server_hostname: name,
    ...(login === undefined ? {} : { login }),
  };
}
