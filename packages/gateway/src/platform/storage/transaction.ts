/** Runs work in the transaction it is given, or in one of its own. */
import type { Db, Tx } from './tables.ts';

export async function inTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  if (isTransaction(db)) return await work(db);
  return await db.transaction().execute(work);
}

function isTransaction(db: Db): db is Tx {
  return db.isTransaction;
}
