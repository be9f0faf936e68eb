/** Gives the stored secrets a new master key. Broken off at any point, everything stays readable and it can be run again. */
import { sql } from 'kysely';
import type { Log } from '../std/log.ts';
import type { Db, Tx } from '../storage/tables.ts';
import { newMasterKey } from './master-key.ts';
import { SEALED_COLUMNS, type SealedColumn } from './sealed-columns.ts';
import type { SecretBox } from './secret-box.ts';

const BATCH = 100;

export interface Rotation {
  keyId: string;
  resealed: number;
  /** Values that no key opens; they keep the old key from being retired. */
  unreadable: number;
}

interface Row {
  id: string;
  sealed: string;
}

/** Where the operator keeps the keys, a new one must stand before the old one already; in a file it is made here. */
export async function rotateKey(db: Db, box: SecretBox, log: Log): Promise<Rotation> {
  if (box.canReplaceKeys) box.replaceKeys([newMasterKey(), ...box.keys]);
  else if (box.keys.length < 2) {
    throw new Error(
      'put a new key before the old one in the setting secrets.key, separated by a comma, and start again',
    );
  }
  const keyId = box.sealingKey.id;
  log.info({ keyId }, 'rotating the master key');
  const rotation: Rotation = { keyId, resealed: 0, unreadable: 0 };
  for (const column of SEALED_COLUMNS) await resealColumn(db, box, { column, rotation, log });
  if (rotation.unreadable === 0 && box.canReplaceKeys) {
    box.replaceKeys(box.keys.map((key) => ({ ...key, retired: key.id !== keyId })));
  }
  log.info({ ...rotation }, 'master key rotated');
  return rotation;
}

interface Work {
  column: SealedColumn;
  rotation: Rotation;
  log: Log;
}

async function resealColumn(db: Db, box: SecretBox, work: Work): Promise<void> {
  let after = '';
  for (let found = BATCH; found === BATCH; ) {
    found = await db.transaction().execute(async (tx) => {
      const some = await readOld(tx, work.column, { after, keyId: work.rotation.keyId });
      // Several rows may have one id, and a batch must not end between them.
      const rows = some.length < BATCH ? some : await readWith(tx, work.column, some, work.rotation.keyId);
      for (const row of rows) await resealRow(tx, box, row, work);
      after = rows.at(-1)?.id ?? after;
      return some.length;
    });
  }
}

async function readOld(
  tx: Tx,
  { table, id, column }: SealedColumn,
  { after, keyId }: { after: string; keyId: string },
) {
  const { rows } = await sql<Row>`
    select ${sql.ref(id)} as id, ${sql.ref(column)} as sealed from ${sql.table(table)}
    where ${sql.ref(column)} like 'v1.%' and ${sql.ref(column)} not like ${`v1.${keyId}.%`} and ${sql.ref(id)} > ${after}
    order by ${sql.ref(id)} limit ${BATCH}`.execute(tx);
  return rows;
}

async function readWith(tx: Tx, { table, id, column }: SealedColumn, some: readonly Row[], keyId: string) {
  const last = some.at(-1)?.id ?? '';
  const { rows } = await sql<Row>`
    select ${sql.ref(id)} as id, ${sql.ref(column)} as sealed from ${sql.table(table)}
    where ${sql.ref(column)} like 'v1.%' and ${sql.ref(column)} not like ${`v1.${keyId}.%`} and ${sql.ref(id)} = ${last}`.execute(
    tx,
  );
  return [...some.filter((row) => row.id !== last), ...rows];
}

async function resealRow(tx: Tx, box: SecretBox, row: Row, { column: where, rotation, log }: Work): Promise<void> {
  const { table, id, column } = where;
  const place = { table, id: row.id, column };
  let plain: Buffer;
  try {
    plain = box.open(place, row.sealed);
  } catch (error) {
    rotation.unreadable += 1;
    log.error({ error, table, column, id: row.id }, 'a stored secret does not open');
    return;
  }
  // Only if it is still the value we read: a newer one, written meanwhile, has the new key already.
  await sql`
    update ${sql.table(table)} set ${sql.ref(column)} = ${box.seal(place, plain)}
    where ${sql.ref(id)} = ${row.id} and ${sql.ref(column)} = ${row.sealed}`.execute(tx);
  rotation.resealed += 1;
}
