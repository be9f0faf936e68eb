/** Makes and lifts a lock inside a transaction, by whichever door it comes: the row, the end of what it forbids, the event. */
import { lockCreated, lockDeleted } from '@gatehouse/contract/audit/lock-events';
import { rowOfLockTarget } from '@gatehouse/contract/kinds/kinds';
import { deleteLock, insertLock, type Lock } from '../../access/lock-store.ts';
import { holdNames } from '../../inventory/resource-store.ts';
import type { Audit } from '../../platform/audit/emit.ts';
import type { EventContext } from '../../platform/audit/event-draft.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { Tx } from '../../platform/storage/tables.ts';
import { endLocked, lockTargetFields } from './enforce-lock.ts';

interface Doing {
  actor: Actor;
  audit: Audit;
  now: number;
  context: EventContext;
}

export async function makeLock(
  tx: Tx,
  { actor, audit, now, context }: Doing,
  wanted: Pick<Lock, 'target' | 'message' | 'expires'> & { id?: string },
): Promise<{ lock: Lock; signIns: number }> {
  // A resource or agent that is renamed at this moment would be in it by neither name.
  if (wanted.target.kind === 'agent' || rowOfLockTarget(wanted.target.kind)) await holdNames(tx);
  const lock = await insertLock(tx, { ...wanted, created: now, createdBy: actor.username });
  const signIns = await endLocked(tx, lock.target, now);
  const { id: name, target, message } = lock;
  const fields = { user: actor.username, name, target: lockTargetFields(target), message, ...lockExpiry(lock) };
  await audit.emit(tx, lockCreated, fields, context);
  return { lock, signIns };
}

export async function liftLock(tx: Tx, { actor, audit, context }: Doing, { id: name, target }: Lock): Promise<void> {
  await deleteLock(tx, name);
  await audit.emit(tx, lockDeleted, { user: actor.username, name, target: lockTargetFields(target) }, context);
}

/** Absent for one that stays until it is lifted. */
export function lockExpiry({ expires }: Lock): { expires?: string } {
  return expires === undefined ? {} : { expires: new Date(expires).toISOString() };
}
