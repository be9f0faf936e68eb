/** The users who could join a session that is held up, so that it goes on: for the one who waits. */
import { KINDS } from '@gatehouse/contract/kinds/kinds';
import type { AccessControl } from '../../access/create-access.ts';
import { decide } from '../../access/decide.ts';
import type { Db } from '../../storage/tables.ts';
import { listUsers } from '../../users/user-store.ts';
import type { HostedSession } from './hosted-session.ts';
import { modesThatCount } from './moderation.ts';
import { ownerOf } from './owners.ts';

/** Enough to know whom to call. */
const MOST_NAMES = 8;

export async function couldJoin(
  { db, access }: { db: Db; access: AccessControl },
  { rules, session, flow }: HostedSession,
): Promise<string[]> {
  if (flow === 'live') return [];
  const owner = await ownerOf({ db, access }, session);
  const joined = { kind: KINDS[session.action.kind].sessionKind, ownerRoles: owner?.roles ?? [] };
  const names: string[] = [];
  for (const { name, roles, traits } of await listUsers(db)) {
    const subject = { username: name, roles, traits };
    if (name === session.user || access.lockOn(subject)) continue;
    const held = access.of(subject);
    const may = modesThatCount(rules, subject, access).some(
      (mode) => decide(held, { type: 'join', session: joined, mode }).allowed,
    );
    if (may) names.push(name);
    if (names.length === MOST_NAMES) break;
  }
  return names;
}
