/** Requests of command lines in the store. */
import { randomInt } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { Db, Tables, Tx } from '../../platform/storage/tables.ts';
import { countedAs, makeRoom } from '../stores/crowded-table.ts';

export type CliLogin = Selectable<Tables['cli_login']>;

export const REQUEST_MS = 10 * 60_000;
/** No vowels: no words, and nothing that reads like another letter. */
const LETTERS = 'BCDFGHJKMNPQRSTVWXZ';

/** Anybody may ask. */
const BOUNDS = { total: 10_000, perNetwork: 1_000 };

/** `user`: who asks for themselves, and has shown that they are signed in. */
export async function insertCliLogin(
  db: Db,
  row: Omit<CliLogin, 'network' | 'client_key'>,
  user?: string,
): Promise<void> {
  const counted = countedAs({ user, address: row.address });
  await makeRoom(db, 'cli_login', { network: counted.network, now: row.created }, BOUNDS);
  await db
    .insertInto('cli_login')
    .values({ ...row, ...counted })
    .execute();
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
export async function settleCliLogin(
  tx: Tx,
  id: string,
  to: Pick<CliLogin, 'state' | 'sign_in'> & Partial<Pick<CliLogin, 'ssh'>>,
): Promise<boolean> {
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

/** Two people side by side can read it to each other; it is compared, not typed. */
export function newCode(): string {
  const letters = Array.from({ length: 4 }, () => LETTERS.charAt(randomInt(LETTERS.length))).join('');
  return `${letters}-${String(randomInt(10_000)).padStart(4, '0')}`;
}
