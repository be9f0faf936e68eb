/** Requests of command lines in the store. */
import type { Selectable } from 'kysely';
import { AppError } from '../../platform/std/app-error.ts';
import type { Db, Tables, Tx } from '../../platform/storage/tables.ts';

type CliLogin = Selectable<Tables['cli_login']>;

/** Anybody may ask; this many at once are an attack. */
const MAX_REQUESTS = 10_000;

export async function insertCliLogin(db: Db, row: CliLogin): Promise<void> {
  const { waiting } = await db
    .selectFrom('cli_login')
    .select((eb) => eb.fn.countAll<number>().as('waiting'))
    .where('expires', '>', row.created)
    .executeTakeFirstOrThrow();
  if (Number(waiting) >= MAX_REQUESTS) throw new AppError('too_many', 'too many command lines are waiting: try later');
  await db.insertInto('cli_login').values(row).execute();
}

export async function findCliLogin(db: Db, id: string, now: number): Promise<CliLogin | undefined> {
  return db
    .selectFrom('cli_login')
    .selectAll()
    .where('id', '=', id)
    .where('expires', '>', now)
    .where('state', '!=', 'taken')
    .executeTakeFirst();
}

/** False when it was answered before. */
export async function settleCliLogin(tx: Tx, id: string, to: Pick<CliLogin, 'state' | 'sign_in'>): Promise<boolean> {
  const result = await tx
    .updateTable('cli_login')
    .set(to)
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .executeTakeFirst();
  return Number(result.numUpdatedRows) === 1;
}

/** False when the credential was fetched before. */
export async function takeCliLogin(tx: Tx, id: string): Promise<boolean> {
  const result = await tx
    .updateTable('cli_login')
    .set({ state: 'taken' })
    .where('id', '=', id)
    .where('state', '=', 'accepted')
    .executeTakeFirst();
  return Number(result.numUpdatedRows) === 1;
}
