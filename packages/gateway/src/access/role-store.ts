/** Roles in the store: the text as written, and a revision that changes with every save. */
import { randomUUID } from 'node:crypto';
import type { Selectable } from 'kysely';
import { publish } from '../platform/change-feed/publish.ts';
import type { Db, Tables, Tx } from '../platform/storage/tables.ts';
import { shapeOfName } from './document/role-name.ts';

export interface StoredRole {
  name: string;
  content: string;
  revision: string;
}

export interface RoleChange {
  name: string;
  content: string;
  by: string;
  now: number;
}

export const ROLE_TOPIC = 'role';

export async function listRoles(db: Db): Promise<StoredRole[]> {
  return (await db.selectFrom('role').selectAll().orderBy('name').execute()).map(toRole);
}

export async function findRole(db: Db, name: string): Promise<StoredRole | undefined> {
  const row = await db.selectFrom('role').selectAll().where('name', '=', name).executeTakeFirst();
  return row && toRole(row);
}

/** The role whose name a reader would take for this one. */
export async function findLookAlike(db: Db, name: string): Promise<StoredRole | undefined> {
  const row = await db.selectFrom('role').selectAll().where('shape', '=', shapeOfName(name)).executeTakeFirst();
  return row && toRole(row);
}

export async function insertRole(tx: Tx, { name, content, by, now }: RoleChange): Promise<StoredRole> {
  const row = {
    name,
    shape: shapeOfName(name),
    content,
    revision: randomUUID(),
    created: now,
    updated: now,
    updated_by: by,
  };
  await tx.insertInto('role').values(row).execute();
  await publish(tx, { topic: ROLE_TOPIC, id: name });
  return toRole(row);
}

/** Nothing when the role is no longer at the given revision. */
export async function updateRole(
  tx: Tx,
  { name, content, by, now }: RoleChange,
  from: string,
): Promise<StoredRole | undefined> {
  const row = await tx
    .updateTable('role')
    .set({ content, revision: randomUUID(), updated: now, updated_by: by })
    .where('name', '=', name)
    .where('revision', '=', from)
    .returningAll()
    .executeTakeFirst();
  if (!row) return undefined;
  await publish(tx, { topic: ROLE_TOPIC, id: name });
  return toRole(row);
}

export async function deleteRole(tx: Tx, name: string): Promise<void> {
  await tx.deleteFrom('role').where('name', '=', name).execute();
  await publish(tx, { topic: ROLE_TOPIC, id: name });
}

function toRole({ name, content, revision }: Selectable<Tables['role']>): StoredRole {
  return { name, content, revision };
}
