/** Writes by what databases are sorted and found, once, for those that were stored before their type was. */
import { putResources, toResource } from '../../inventory/resource-store.ts';
import type { Db } from '../../platform/storage/tables.ts';

export async function sortOldDbs(db: Db, now: number): Promise<void> {
  const old = (from: Db) =>
    from.selectFrom('resource').selectAll().where('kind', '=', 'db').where('third_key', '=', '');
  if (!(await old(db).limit(1).executeTakeFirst())) return;
  await db.transaction().execute(async (tx) => {
    const rows = await old(tx).execute();
    await putResources(
      tx,
      rows.map((row) => ({ ...toResource(row, 'db'), sealed: row.sealed ?? undefined })),
      now,
    );
  });
}
