/** Locks in the store. */
import { randomUUID } from 'node:crypto';
import { LOCK_TARGETS, type LockTarget } from '@gatehouse/contract/access/locks/locks';
import type { Selectable } from 'kysely';
import { z } from 'zod';
import { publish } from '../platform/change-feed/publish.ts';
import type { Db, Tables, Tx } from '../platform/storage/tables.ts';

export interface Lock {
  id: string;
  target: { kind: LockTarget; name: string };
  message: string;
  created: number;
  createdBy: string;
  expires: number | undefined;
}

export const LOCK_TOPIC = 'lock';
const targetKind = z.enum(LOCK_TARGETS);

/** Those in force. */
export async function listLocks(db: Db, now: number): Promise<Lock[]> {
  const rows = await db
    .selectFrom('access_lock')
    .selectAll()
    .where((builder) => builder.or([builder('expires', 'is', null), builder('expires', '>', now)]))
    .orderBy('created')
    .orderBy('id')
    .execute();
  return rows.map(toLock);
}

export async function insertLock(tx: Tx, lock: Omit<Lock, 'id'> & { id?: string }): Promise<Lock> {
  const row = {
    id: lock.id ?? randomUUID(),
    target_kind: lock.target.kind,
    target: lock.target.name,
    message: lock.message,
    created: lock.created,
    created_by: lock.createdBy,
    expires: lock.expires ?? null,
  };
  await tx.deleteFrom('access_lock').where('expires', '<=', lock.created).execute();
  await tx.insertInto('access_lock').values(row).execute();
  await publish(tx, { topic: LOCK_TOPIC, id: row.id });
  return toLock(row);
}

export async function deleteLock(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('access_lock').where('id', '=', id).execute();
  await publish(tx, { topic: LOCK_TOPIC, id });
}

function toLock(row: Selectable<Tables['access_lock']>): Lock {
  return {
    id: row.id,
    target: { kind: targetKind.parse(row.target_kind), name: row.target },
    message: row.message,
    created: row.created,
    createdBy: row.created_by,
    expires: row.expires ?? undefined,
  };
}
