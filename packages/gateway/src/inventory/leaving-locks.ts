/** What would take a machine out of a lock while the lock stays: another name, another address, another entry. */

import { factsOf, rows } from '@gatehouse/contract/kinds/kinds';
import type { AccessControl } from '../access/create-access.ts';
import { type Lock, listLocks } from '../access/lock-store.ts';
import { refuseOwnLock } from '../access/own-lock.ts';
import { seesLock } from '../access/sees-lock.ts';
import type { Actor } from '../platform/http/actor.ts';
import { AppError } from '../platform/std/app-error.ts';
import type { Tx } from '../platform/storage/tables.ts';
import { holdNames, type Resource } from './resource-store.ts';

/** A machine has its agent's name. */
const MACHINE_TARGETS: ReadonlySet<string> = new Set([
  'agent',
  ...rows.flatMap(({ offered, lockTarget }) => (offered === 'machine' ? (lockTarget ?? []) : [])),
]);

/** To nobody: who lifts the lock knows what they do, who renames does not. */
export async function refuseLockedName(tx: Tx, now: number, name: string): Promise<void> {
  // As whoever makes such a lock does: one that is made at this moment is seen here, or sees the new name.
  await holdNames(tx);
  const isLocked = (await listLocks(tx, now)).some(
    ({ target }) => MACHINE_TARGETS.has(target.kind) && target.name === name,
  );
  if (!isLocked) return;
  throw new AppError(
    'conflict',
    `'${name}' is locked by its name, and would not be under another: lift the lock first, or lock it by its id instead`,
  );
}

/** Throws unless the actor may lift every lock on it: its address or keys given away, the same machine could be entered anew. */
export async function requireLiftOf(
  tx: Tx,
  { access, actor, now }: { access: AccessControl; actor: Actor; now: number },
  { kind, id, name }: Pick<Resource, 'kind' | 'id' | 'name'>,
): Promise<void> {
  const { lockTarget, noun } = factsOf(kind);
  if (lockTarget === undefined) return;
  const isOn = ({ target }: Lock) => target.kind === lockTarget && (target.name === id || target.name === name);
  for (const lock of (await listLocks(tx, now)).filter(isOn)) {
    if (!seesLock(access, actor, 'delete', lock))
      throw new AppError('denied', `the ${noun} '${name}' is locked: only who may lift the lock can do this`);
    refuseOwnLock(access, actor, lock);
  }
}
