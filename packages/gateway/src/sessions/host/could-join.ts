/** The users who could join a session that is held up, so that it goes on: for the one who waits. */
import type { AccessControl } from '../../access/create-access.ts';
import { decide } from '../../access/decide.ts';
import { listUsers } from '../../identity/stores/user-store.ts';
import type { Db } from '../../platform/storage/tables.ts';
import type { HostedSession } from './hosted-session.ts';
import { modesThatCount } from './moderation.ts';
import { ownerOf } from './owners.ts';
import { joining } from './session-rights.ts';

/** Enough to know whom to call. */
const MAX_NAMES = 8;

export async function couldJoin(
  { db, access }: { db: Db; access: AccessControl },
  { rules, session, flow }: HostedSession,
): Promise<string[]> {
  if (flow === 'live' || !access.canJoinSessions) return [];
  const owner = await ownerOf({ db, access }, session);
  const names: string[] = [];
  for (const { name, roles, traits } of await listUsers(db)) {
    const subject = { username: name, roles, traits };
    if (name === session.user || access.lockOn(subject)) continue;
    const held = access.of(subject);
    const may = modesThatCount(rules, subject, access).some(
      (mode) => decide(held, joining(access, session, owner, mode)).allowed,
    );
    if (may) names.push(name);
    if (names.length === MAX_NAMES) break;
  }
  return names;
}
