/** Puts the ready-made roles into a new store, once: one that was deleted later stays away. */
import { readMeta, writeMeta } from '../platform/storage/meta.ts';
import type { Db } from '../platform/storage/tables.ts';
import { shapeOfName } from './document/role-name.ts';
import { READY_MADE_ROLES } from './ready-made-roles.ts';

const SEEDED = 'roles.seeded';

export async function seedRoles(db: Db, now: number): Promise<void> {
  if ((await readMeta(db, SEEDED)) !== undefined) return;
  await db.transaction().execute(async (tx) => {
    const rows = Object.entries(READY_MADE_ROLES).map(([name, content]) => ({
      name,
      shape: shapeOfName(name),
      content,
      // The same on every gateway that starts together with this one.
      revision: 'ready-made',
      created: now,
      updated: now,
      updated_by: '',
    }));
    await tx
      .insertInto('role')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    await writeMeta(tx, SEEDED, String(now));
  });
}
