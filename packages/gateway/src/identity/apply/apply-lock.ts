/** Makes a lock what its document says, and ends what it forbids. */
import { listLocks } from '../../access/lock-store.ts';
import { seesLock } from '../../access/sees-lock.ts';
import { AppError, notFound } from '../../platform/std/app-error.ts';
import { lockTarget, requireHold, requireLift } from '../locks/enforce-lock.ts';
import { liftLock, makeLock } from '../locks/make-lock.ts';
import { type ApplyDeps, type Outcome, outcome, UNCHANGED } from './apply-deps.ts';
import { lockText } from './document-texts.ts';
import type { ReadDocument } from './read-document.ts';

export async function applyLock(
  parts: ApplyDeps,
  { name, revision, lock: { spec } }: Extract<ReadDocument, { kind: 'lock' }>,
): Promise<Outcome> {
  const { tx, actor, access, now } = parts;
  if (revision !== undefined) throw new AppError('bad_request', 'locks have no revision: take it out');
  const require = (verb: 'create' | 'delete') =>
    access.require(actor, { type: 'verb', resource: 'lock', verb, object: { kind: 'lock', name } });
  require('create');
  const target = lockTarget(spec.target);
  const expires = spec.expires === undefined ? undefined : Date.parse(spec.expires);
  if (expires !== undefined && expires <= now)
    throw new AppError('bad_request', `lock '${name}' has run out already: take its document away`);
  const wanted = { id: name, target, message: spec.message, expires };
  const held = (await listLocks(tx, now)).find(({ id }) => id === name);
  if (held && !seesLock(access, actor, 'list', held)) throw notFound('lock', name);
  const [before, after] = [held && lockText(held), lockText(wanted)];
  if (held) await requireHold(tx, parts, held.target);
  await requireHold(tx, parts, target);
  if (before === after) return UNCHANGED;
  if (held) {
    require('delete');
    await requireLift(tx, parts, held);
    await liftLock(tx, parts, held);
  }
  await makeLock(tx, parts, wanted);
  return outcome(`lock/${name}`, before, after);
}
