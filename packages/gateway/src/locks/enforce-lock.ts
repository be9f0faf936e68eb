/** What making a lock takes and does, by whichever door it comes: the right over those it hits, and the end of what they have open. */
import { LOCK_TARGETS } from '@gatehouse/contract/locks/locks';
import type { Actor } from '../access/actor.ts';
import type { AccessControl } from '../access/create-access.ts';
import { refuseEscalation } from '../access/escalation.ts';
import type { Lock } from '../access/lock-store.ts';
import { endSignInsOf } from '../auth/sign-in/sign-in-store.ts';
import type { Tx } from '../storage/tables.ts';
import { findUser, listUsers } from '../users/user-store.ts';

export function lockTarget(targets: Record<string, string | undefined>): Lock['target'] {
  const kind = LOCK_TARGETS.find((each) => targets[each] !== undefined)!;
  return { kind, name: targets[kind]! };
}

export function lockTargetFields({ kind, name }: Lock['target']): Record<string, string> {
  return { [kind]: name };
}

/** Locking somebody is acting on them: it takes what they hold. */
export async function requireHold(
  tx: Tx,
  { access, actor }: { access: AccessControl; actor: Actor },
  { kind, name }: Lock['target'],
): Promise<void> {
  if (kind === 'role') refuseEscalation(access, actor, [name]);
  if (kind === 'user') refuseEscalation(access, actor, (await findUser(tx, name))?.roles ?? []);
}

/** Tokens are kept for when the lock is lifted; until then they open nothing. */
export async function endLocked(tx: Tx, { kind, name }: Lock['target'], now: number): Promise<void> {
  if (kind !== 'user' && kind !== 'role') return;
  const users =
    kind === 'user'
      ? [name]
      : (await listUsers(tx)).filter(({ roles }) => roles.includes(name)).map((user) => user.name);
  for (const user of users) await endSignInsOf(tx, user, 'ended_by_administrator', { now, keepTokens: true });
}
