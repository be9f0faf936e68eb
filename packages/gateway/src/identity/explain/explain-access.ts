/** Answers why: roles, locks, the smallest change, and which roles would do. */
import type { Change, Explanation, Reason, ResourceItem } from '@gatehouse/contract/access/explain/explain';
import { visibleLabels } from '@gatehouse/contract/std/labels';
import type { Action } from '../../access/action.ts';
import { bindAccess } from '../../access/bind-access.ts';
import type { CompiledRole } from '../../access/compile-role.ts';
import type { AccessControl, Subject } from '../../access/create-access.ts';
import { decide } from '../../access/decide.ts';
import { explain, tellChange } from '../../access/explain.ts';
import type { Lock } from '../../access/lock-store.ts';
import { templateTraits } from '../../access/user-traits.ts';
import type { Resource } from '../../inventory/resource-store.ts';
import { tellAction } from './to-action.ts';
import { usableNames } from './usable-names.ts';

const MAX_TRIED = 500;
const MAX_TOLD = 20;

interface AccessQuestion {
  subject: Subject;
  action: Action;
  resource?: Resource;
  /** The asker may read roles. */
  readsRoles: boolean;
  /** The asker may read why something is locked. */
  readsLock: (lock: Lock) => boolean;
  now: number;
}

export function explainAccess(
  access: AccessControl,
  { subject, action, resource, readsRoles, readsLock, now }: AccessQuestion,
): Explanation {
  const held = access.of(subject);
  if (action.type === 'join' && !access.canJoinSessions) return { ...noRole(subject, action), sentence: NOBODY_JOINS };
  const { allowed, reasons, change, sentence } = explain(held, action);
  const standing = access.lockFor(subject, action);
  // Its reason is for administrators; that there is a lock, for whoever it stops.
  const lock = standing && (readsLock(standing) ? standing : { ...standing, message: '' });
  const changes = change.map((each): Change => ({ ...each, sentence: tellChange(each) }));
  const denials = reasons.filter(({ side }) => side === 'deny');
  return {
    allowed: allowed && !lock,
    sentence: lock ? `denied: ${tellLock(lock)}${allowed ? '' : `; ${sentence}`}` : sentence,
    user: subject.username,
    roles: subject.roles.toSorted(),
    asked: tellAction(action),
    ...(resource ? { resource: toItem(resource) } : {}),
    reasons: reasons.map((each): Reason => ({ ...each, traits: each.traits ? [...each.traits] : [] })),
    change: lock ? [...(allowed ? [] : changes), liftLock(lock)] : changes,
    rolesThatWould: readsRoles && !allowed && denials.length === 0 ? rolesThatWould(access, subject, action, now) : [],
    ...(lock
      ? { lock: { name: lock.id, target: lock.target.kind, targetName: lock.target.name, message: lock.message } }
      : {}),
    names: resource ? usableNames(held, resource.kind, resource.labels) : [],
  };
}

/** Whatever roles say: no change of one would do. */
const NOBODY_JOINS =
  'denied: this gateway lets nobody join sessions (canJoinSessions is false in its configuration); no role changes that';

function noRole(subject: Subject, action: Action): Omit<Explanation, 'sentence'> {
  return {
    allowed: false,
    user: subject.username,
    roles: subject.roles.toSorted(),
    asked: tellAction(action),
    reasons: [],
    change: [],
    rolesThatWould: [],
    names: [],
  };
}

function liftLock(lock: Lock): Change {
  return {
    type: 'lift-lock',
    lock: lock.id,
    sentence: `lifting the lock on ${lock.target.kind} '${lock.target.name}'`,
  };
}

function tellLock({ target, message }: Lock): string {
  return `${target.kind} '${target.name}' is locked${message ? `: ${message}` : ''}`;
}

function rolesThatWould(access: AccessControl, subject: Subject, action: Action, now: number): string[] {
  const isInForce = (role: CompiledRole | undefined) =>
    role !== undefined && (role.expires === undefined || role.expires > now);
  const held = subject.roles.map((name) => access.role(name)).filter(isInForce) as CompiledRole[];
  const user = { username: subject.username, traits: templateTraits(subject.traits) };
  const found: string[] = [];
  for (const name of access.roleNames().slice(0, MAX_TRIED)) {
    const role = access.role(name);
    if (subject.roles.includes(name) || !role || !isInForce(role)) continue;
    if (decide(bindAccess([...held, role], user), action).allowed) found.push(name);
    if (found.length >= MAX_TOLD) break;
  }
  return found;
}

export function toItem({ kind, id, name, labels }: Resource): ResourceItem {
  return { kind, id, name, labels: visibleLabels(labels) };
}
