/** What making a lock takes and does, by whichever door it comes: the right over those it hits, and the end of what they have open. */
import { LOCK_TARGETS } from '@gatehouse/contract/access/locks/locks';
import type { AccessControl } from '../../access/create-access.ts';
import { refuseEscalation, refuseTakeover } from '../../access/escalation.ts';
import type { Lock } from '../../access/lock-store.ts';
import { refuseOwnLock } from '../../access/own-lock.ts';
import { mayReach } from '../../access/reach.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { notFound } from '../../platform/std/app-error.ts';
import type { Tx } from '../../platform/storage/tables.ts';
import { refuseAnyGift, refuseProvidersGift } from '../connectors/manage/gift-of.ts';
import { findPerson, listPeople } from '../stores/people.ts';
import { endSignInsOf } from '../stores/sign-in-store.ts';

export function lockTarget(targets: Record<string, string | undefined>): Lock['target'] {
  const kind = LOCK_TARGETS.find((each) => targets[each] !== undefined)!;
  return { kind, name: targets[kind]! };
}

export function lockTargetFields({ kind, name }: Lock['target']): Record<string, string> {
  return { [kind]: name };
}

interface Doer {
  access: AccessControl;
  actor: Actor;
}

/** Locking somebody is acting on them: it takes what they hold, and that they are within the caller's reach. */
export async function requireHold(tx: Tx, { access, actor }: Doer, { kind, name }: Lock['target']): Promise<void> {
  if (kind === 'role') refuseEscalation(access, actor, [name]);
  if (kind !== 'user') return;
  // By the name alone: whether there is such a user must not show.
  if (!mayReach(access, actor, 'update', 'user', name)) throw notFound('user', name);
  refuseEscalation(access, actor, (await findPerson(tx, name))?.roles ?? []);
}

/** Lifting a lock gives back what it forbids: to others no more than the caller has, to the caller what they forbade themselves. */
export async function requireLift(tx: Tx, { access, actor }: Doer, lock: Lock): Promise<void> {
  await requireHold(tx, { access, actor }, lock.target);
  if (access.mayEditRoles(actor)) return;
  const { kind, name } = lock.target;
  const person = kind === 'user' ? await findPerson(tx, name) : undefined;
  if (person) {
    refuseTakeover(access, actor, person);
    await refuseProvidersGift(tx, { access, actor }, person);
  } else if (kind === 'user' && lock.createdBy !== actor.username) {
    await refuseAnyGift(tx, { access, actor }, name);
  }
  refuseOwnLock(access, actor, lock);
}

/** Gives back how many sign-ins ended. Tokens are kept for when the lock is lifted; until then they open nothing. */
export async function endLocked(tx: Tx, { kind, name }: Lock['target'], now: number): Promise<number> {
  if (kind !== 'user' && kind !== 'role') return 0;
  const users =
    kind === 'user'
      ? [name]
      : (await listPeople(tx)).filter(({ roles }) => roles.includes(name)).map((user) => user.name);
  let ended = 0;
  for (const user of users) {
    ended += (await endSignInsOf(tx, user, 'ended_by_administrator', { now, keepTokens: true })).length;
  }
  return ended;
}
