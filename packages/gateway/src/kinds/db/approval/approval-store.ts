/** What people asked to run, in the store: whichever gateway hears of it, it is decided once and used once. */

import { DB_PROTOCOLS } from '@gatehouse/contract/kinds/db/db-address';
import { APPROVAL_STATES, type ApprovalState, LISTED_SQL } from '@gatehouse/contract/kinds/db/db-approvals';
import { type Selectable, sql } from 'kysely';
import { z } from 'zod';
import { type Resource, toResource } from '../../../inventory/resource-store.ts';
import { publish } from '../../../platform/change-feed/publish.ts';
import { APPROVAL_TOPIC } from '../../../platform/change-feed/topics.ts';
import type { Db, Tables, Tx } from '../../../platform/storage/tables.ts';
import { withoutSecrets } from './asked-text.ts';

/** What a statement that was approved is told with. */
export interface UsedApproval {
  id: string;
  /** Who approved it. */
  by: string;
}

const known = z.object({ state: z.enum(APPROVAL_STATES), protocol: z.enum(DB_PROTOCOLS) });
export type StoredApproval = Selectable<Tables['db_approval']> & z.output<typeof known>;
/** As lists have it: the beginning of its text, and how long the whole is. */
export type ListedApproval = Omit<StoredApproval, 'sha256'> & { length: number };

const KEPT_MS = 400 * 86_400_000;
/** Settled at a time; the next call settles more. */
const AT_ONCE = 50;
const MAX_ROUNDS = 1_000;
const LISTED = 100;

const OPEN = ['PENDING', 'APPROVED'] as const;

/** All but the text: a list of whole ones is megabytes. */
const FACTS = [
  ...(['id', 'cluster', 'database', 'target', 'protocol', 'db_user', 'db_name', 'user', 'reason'] as const),
  ...(['statements', 'state', 'created', 'expires', 'decided_by', 'decided', 'note', 'used'] as const),
] as const;
/** One more than is shown, which tells that there is more. Stores count whole characters, and a page halves of some: of these it is more than enough. */
const BEGINNING = sql<string>`substr(${sql.ref('sql')}, 1, ${sql.lit(LISTED_SQL + 1)})`.as('beginning');
const CHARACTERS = sql<number>`length(${sql.ref('sql')})`.as('characters');

export async function insertApproval(tx: Tx, row: StoredApproval): Promise<void> {
  await tx.insertInto('db_approval').values(row).execute();
  await tell(tx, row);
}

export async function findApproval(from: Db, cluster: string, id: string): Promise<StoredApproval | undefined> {
  const row = await from
    .selectFrom('db_approval')
    .selectAll()
    .where('cluster', '=', cluster)
    .where('id', '=', id)
    .executeTakeFirst();
  return row && toStored(row);
}

/** `since`: when the account came to be. */
export async function listOwn(
  from: Db,
  cluster: string,
  { name, since }: { name: string; since: number },
): Promise<ListedApproval[]> {
  const rows = await from
    .selectFrom('db_approval')
    .select([...FACTS, BEGINNING, CHARACTERS])
    .where('cluster', '=', cluster)
    .where('user', '=', name)
    .where('created', '>=', since)
    .orderBy('created', 'desc')
    .orderBy('id')
    .limit(LISTED)
    .execute();
  return rows.map(toListed);
}

/** Of others. All that wait, the oldest first, and the newest of those that do not. */
export async function listOthers(from: Db, cluster: string, user: string, databases: readonly string[]) {
  if (databases.length === 0) return [];
  const others = from
    .selectFrom('db_approval')
    .select([...FACTS, BEGINNING, CHARACTERS])
    .where('cluster', '=', cluster)
    .where('user', '!=', user)
    .where('database', 'in', databases);
  const waiting = await others.where('state', '=', 'PENDING').orderBy('created').orderBy('id').limit(LISTED).execute();
  const rest = await others
    .where('state', '!=', 'PENDING')
    .orderBy('created', 'desc')
    .orderBy('id')
    .limit(LISTED)
    .execute();
  return [...waiting, ...rest].map(toListed);
}

/** Databases of which anything is kept, as they are listed now. */
export async function askedDatabases(from: Db, cluster: string): Promise<Resource[]> {
  const rows = await from
    .selectFrom('resource')
    .selectAll()
    .where('cluster', '=', cluster)
    .where('kind', '=', 'db')
    .where('id', 'in', from.selectFrom('db_approval').select('database').where('cluster', '=', cluster))
    .execute();
  return rows.map((row) => toResource(row, 'db'));
}

export async function countOpen(from: Db, user: string, now: number): Promise<number> {
  const { count } = await from
    .selectFrom('db_approval')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('user', '=', user)
    .where('state', 'in', OPEN)
    .where('expires', '>', now)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** What somebody asked after `since`, whatever became of it; `first`: when the first of these was asked. */
export async function askedAfter(from: Db, user: string, since: number): Promise<{ count: number; first: number }> {
  const { count, first } = await from
    .selectFrom('db_approval')
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min('created').as('first')])
    .where('user', '=', user)
    .where('created', '>', since)
    .executeTakeFirstOrThrow();
  return { count: Number(count), first: Number(first ?? 0) };
}

/** False where it is not any more as it was read: somebody else was quicker, or it has run out. */
export async function settleApproval(
  tx: Tx,
  row: StoredApproval,
  to: Partial<Pick<StoredApproval, 'decided_by' | 'decided' | 'note' | 'used' | 'expires'>> & { state: ApprovalState },
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('db_approval')
    .set({ ...to, ...(to.state === 'APPROVED' ? {} : overText(row)) })
    .where('id', '=', row.id)
    .where('state', '=', row.state)
    .where('expires', '>', now)
    .executeTakeFirst();
  if (Number(numUpdatedRows) !== 1) return false;
  await tell(tx, row);
  return true;
}

export async function forgetOld(db: Db, now: number): Promise<void> {
  await db
    .deleteFrom('db_approval')
    .where('created', '<', now - KEPT_MS)
    .execute();
}

/** Of all of them, for when nobody asks: texts with secrets would stay for as long. */
export async function tidyApprovals(db: Db, now: number): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS && (await lapseApprovals(db, now)); round += 1);
  await forgetOld(db, now);
}

/** What has run out is so from now on. True: there may be more. */
export async function lapseApprovals(db: Db, now: number): Promise<boolean> {
  const late = await db
    .selectFrom('db_approval')
    .selectAll()
    .where('state', 'in', OPEN)
    .where('expires', '<=', now)
    .limit(AT_ONCE)
    .execute();
  if (late.length === 0) return false;
  await db.transaction().execute(async (tx) => {
    for (const row of late.map(toStored)) {
      const over = { state: 'EXPIRED' as const, ...overText(row) };
      await tx.updateTable('db_approval').set(over).where('id', '=', row.id).where('state', '=', row.state).execute();
      await tell(tx, row);
    }
  });
  return late.length === AT_ONCE;
}

/** Nobody has to read its secrets any more. */
function overText({ protocol, sql, sha256 }: StoredApproval): { sql: string; sha256: string } {
  const { text, hasSecret } = withoutSecrets(protocol, sql);
  return { sql: text, sha256: hasSecret ? '' : sha256 };
}

function toStored(row: Selectable<Tables['db_approval']>): StoredApproval {
  return { ...row, ...numbersOf(row), ...known.parse(row) };
}

type ListedRow = Omit<Selectable<Tables['db_approval']>, 'sql' | 'sha256'> & { beginning: string; characters: number };

function toListed({ beginning, characters, ...row }: ListedRow): ListedApproval {
  const isCut = beginning.length > LISTED_SQL;
  // Never the length of what is shown: a page would take the beginning for the whole.
  const length = isCut ? Math.max(Number(characters), LISTED_SQL + 1) : beginning.length;
  return { ...row, ...numbersOf(row), ...known.parse(row), sql: beginning.slice(0, LISTED_SQL), length };
}

function numbersOf({ created, expires, statements }: Pick<StoredApproval, 'created' | 'expires' | 'statements'>) {
  return { created: Number(created), expires: Number(expires), statements: Number(statements) };
}

/** Heard by whose it is, and by those whom a rule lets list them. */
async function tell(tx: Tx, { id, user }: Pick<StoredApproval, 'id' | 'user'>): Promise<void> {
  await publish(tx, { topic: APPROVAL_TOPIC, id, data: { user, of: 'db_approval' } });
}
