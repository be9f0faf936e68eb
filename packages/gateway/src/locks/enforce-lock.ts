/** What making a lock takes and does, by whichever door it comes: the right over those it hits, and the end of what they have open. */
import { LOCK_TARGETS } from '@gatehouse/contract/locks/locks';
import { LABEL_FIELDS, type LabelField } from '@gatehouse/contract/roles/vocabulary';
import type { Actor } from '../access/actor.ts';
import type { Access } from '../access/bind-access.ts';
import type { AccessControl } from '../access/create-access.ts';
import { refuseEscalation, refuseTakeover } from '../access/escalation.ts';
import type { Lock } from '../access/lock-store.ts';
import { foldText } from '../access/match/pattern.ts';
import { mayReach } from '../access/reach.ts';
import { endSignInsOf } from '../auth/sign-in/sign-in-store.ts';
import { AppError, notFound } from '../std/app-error.ts';
import type { Tx } from '../storage/tables.ts';
import { findUser, listUsers } from '../users/user-store.ts';

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
  refuseEscalation(access, actor, (await findUser(tx, name))?.roles ?? []);
}

/** Lifting a lock gives back what it forbids: to others no more than the caller has, to the caller what they forbade themselves. */
export async function requireLift(tx: Tx, { access, actor }: Doer, lock: Lock): Promise<void> {
  await requireHold(tx, { access, actor }, lock.target);
  if (access.mayEditRoles(actor)) return;
  const { kind, name } = lock.target;
  const person = kind === 'user' ? await findUser(tx, name) : undefined;
  if (person) refuseTakeover(access, actor, person);
  if (lock.createdBy === actor.username || !binds(access.of(actor), lock.target)) return;
  throw new AppError(
    'denied',
    `lock '${lock.id}' holds you back as well: only who made it, or may edit roles, can lift it`,
  );
}

/** Whether it may forbid somebody something their roles allow. */
function binds({ roles }: Access, { kind, name }: Lock['target']): boolean {
  const reaches = (field: LabelField) => roles.some(({ allow }) => allow.labels.has(field));
  switch (kind) {
    case 'user':
    case 'role':
      // Whoever it holds does not get as far as this.
      return false;
    case 'node':
      return reaches('node_labels');
    case 'windows_desktop':
      return reaches('windows_desktop_labels');
    case 'agent':
      return LABEL_FIELDS.some(reaches);
    case 'login':
      return roles.some(({ allow }) =>
        [...allow.principals.values()].some(
          ({ any, values }) => any || [...values].some((value) => foldText(value) === foldText(name)),
        ),
      );
    default:
      return kind satisfies never;
  }
}

/** Gives back how many sign-ins ended. Tokens are kept for when the lock is lifted; until then they open nothing. */
export async function endLocked(tx: Tx, { kind, name }: Lock['target'], now: number): Promise<number> {
  if (kind !== 'user' && kind !== 'role') return 0;
  const users =
    kind === 'user'
      ? [name]
      : (await listUsers(tx)).filter(({ roles }) => roles.includes(name)).map((user) => user.name);
  let ended = 0;
  for (const user of users) {
    ended += (await endSignInsOf(tx, user, 'ended_by_administrator', { now, keepTokens: true })).length;
  }
  return ended;
}
