/** Makes a lock what its document says, and ends what it forbids. */
import { lockCreated, lockDeleted } from '@gatehouse/contract/audit/lock-events';
import { LOCK_TARGETS } from '@gatehouse/contract/locks/locks';
import { refuseEscalation } from '../access/escalation.ts';
import { deleteLock, insertLock, type Lock, listLocks } from '../access/lock-store.ts';
import { endSignInsOf } from '../auth/sign-in/sign-in-store.ts';
import { AppError } from '../std/app-error.ts';
import { findUser, listUsers } from '../users/user-store.ts';
import { type ApplyParts, type Outcome, outcome, UNCHANGED } from './apply-parts.ts';
import { lockText } from './document-texts.ts';
import type { ReadDocument } from './read-document.ts';

export async function applyLock(
  parts: ApplyParts,
  { name, revision, lock: { spec } }: Extract<ReadDocument, { kind: 'lock' }>,
): Promise<Outcome> {
  const { tx, actor, access, audit, now, context } = parts;
  if (revision !== undefined) throw new AppError('bad_request', 'locks have no revision: take it out');
  const require = (verb: 'create' | 'delete') =>
    access.require(actor, { type: 'verb', resource: 'lock', verb, object: { kind: 'lock' } });
  require('create');
  const target = targetOf(spec.target);
  const expires = spec.expires === undefined ? undefined : Date.parse(spec.expires);
  if (expires !== undefined && expires <= now)
    throw new AppError('bad_request', `lock '${name}' has run out already: take its document away`);
  const wanted = { id: name, target, message: spec.message, expires };
  const held = (await listLocks(tx, now)).find(({ id }) => id === name);
  const [before, after] = [held && lockText(held), lockText(wanted)];
  if (held) await requireHold(parts, held.target);
  await requireHold(parts, target);
  if (before === after) return UNCHANGED;
  if (held) {
    require('delete');
    await deleteLock(tx, name);
    await audit.emit(tx, lockDeleted, { user: actor.username, name, target: targetFields(held) }, context);
  }
  await insertLock(tx, { ...wanted, created: now, createdBy: actor.username });
  await endOpen(parts, target);
  const fields = { user: actor.username, name, target: targetFields(wanted), message: spec.message };
  await audit.emit(tx, lockCreated, fields, context);
  return outcome(`lock/${name}`, before, after);
}

function targetOf(targets: Record<string, string | undefined>): Lock['target'] {
  const kind = LOCK_TARGETS.find((each) => targets[each] !== undefined)!;
  return { kind, name: targets[kind]! };
}

function targetFields({ target }: Pick<Lock, 'target'>): Record<string, string> {
  return { [target.kind]: target.name };
}

/** Locking somebody is acting on them: it takes what they hold. */
async function requireHold({ tx, access, actor }: ApplyParts, { kind, name }: Lock['target']): Promise<void> {
  if (kind === 'role') refuseEscalation(access, actor, [name]);
  if (kind === 'user') refuseEscalation(access, actor, (await findUser(tx, name))?.roles ?? []);
}

/** Tokens are kept for when the lock is lifted; until then they open nothing. */
async function endOpen({ tx, now }: ApplyParts, { kind, name }: Lock['target']): Promise<void> {
  if (kind !== 'user' && kind !== 'role') return;
  const users =
    kind === 'user'
      ? [name]
      : (await listUsers(tx)).filter(({ roles }) => roles.includes(name)).map((user) => user.name);
  for (const user of users) await endSignInsOf(tx, user, 'ended_by_administrator', { now, keepTokens: true });
}
