/** Locks of a root, held here on those of its people they are about. */
import { createHash } from 'node:crypto';
import { rootLockHeld } from '@gatehouse/contract/audit/trusted-cluster-events';
import { newUserName } from '@gatehouse/contract/identity/users/users';
import type { HeldLock } from '@gatehouse/contract/reach/trusted-clusters/news';
import { deleteLock, insertLock, listLocks } from '../../../access/lock-store.ts';
import type { Audit } from '../../../platform/audit/emit.ts';
import type { Tx } from '../../../platform/storage/tables.ts';
import { endLocked } from '../../locks/enforce-lock.ts';
import { remoteName } from '../../stores/remote-name.ts';
import { listRemoteUsers } from '../../stores/remote-user-store.ts';

/** In the place of who made it: nobody can have a name with blanks. */
function madeBy(trust: string): string {
  return `the cluster ${trust}`;
}

/** Makes those held here the ones in force there. */
export async function holdLocks(
  tx: Tx,
  { trust, audit, now }: { trust: string; audit: Audit; now: number },
  locks: readonly HeldLock[],
): Promise<void> {
  const people = await listRemoteUsers(tx, trust);
  const wanted = new Map<string, { user: string; message: string; expires: number | undefined }>();
  for (const { id, user, role, message, expires } of locks) {
    if (expires !== undefined && expires <= now) continue;
    const named = user !== undefined && newUserName.safeParse(user).data === user ? [user] : [];
    const holders = people.filter(({ remoteRoles }) => role !== undefined && remoteRoles.includes(role));
    for (const name of [...named, ...holders.map((each) => each.name)])
      wanted.set(lockId(trust, id, name), { user: remoteName({ trust, name }), message, expires });
  }
  const held = (await listLocks(tx, now)).filter(({ createdBy }) => createdBy === madeBy(trust));
  for (const { id } of held) if (!wanted.has(id)) await deleteLock(tx, id);
  const known = new Set(held.map(({ id }) => id));
  const fresh = [...wanted].filter(([id]) => !known.has(id));
  // A root may have thousands, most of them on people who were never here: they have nothing that could end.
  const here = new Set(people.map(remoteName));
  for (const [id, { user, message, expires }] of fresh) {
    const target = { kind: 'user' as const, name: user };
    await insertLock(tx, { id, target, message, expires, created: now, createdBy: madeBy(trust) });
    if (here.has(user)) await endLocked(tx, target, now);
  }
  for (const [, { user, message }] of fresh)
    await audit.emit(tx, rootLockHeld, { name: trust, target: { user }, message });
}

/** The same lock has the same name after a reconnect. */
function lockId(trust: string, id: string, user: string): string {
  const hex = createHash('sha256').update(`${trust}\0${id}\0${user}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
