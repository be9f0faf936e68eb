/** Room in the tables that anybody may put a row into: bounded, and no network fills them for the others. */
import { sql } from 'kysely';
import { AppError } from '../../platform/std/app-error.ts';
import { clientNetwork } from '../../platform/std/client-key.ts';
import type { Db } from '../../platform/storage/tables.ts';

/** Each with what its rows are known by. All rows of one table live equally long: what ends first came first. */
const KEYS = { sso_attempt: 'state_hash', cli_login: 'id', webauthn_challenge: 'challenge' } as const;

export interface Bounds {
  total: number;
  /** Without it a network may have as many as there is room for. */
  perNetwork?: number;
}

/** Whoever has proven who they are counts for themselves: strangers of their network take nothing from them. */
export function countedAs({ user, address }: { user: string | undefined; address: string }): string {
  return user === undefined ? clientNetwork(address) : `user ${user}`;
}

/**
 * Called before a row is put in. A network that has its share is refused. In a full table the oldest of the network that has most
 * give way: to refuse everybody would let whoever fills it keep everybody out.
 */
export async function makeRoom(
  db: Db,
  table: keyof typeof KEYS,
  { network, now }: { network: string; now: number },
  { total, perNetwork = total }: Bounds,
): Promise<void> {
  const { rows } = await sql<{ all: number; near: number | null }>`
    select count(*) as "all", sum(case when network = ${network} then 1 else 0 end) as near
    from ${sql.table(table)} where expires > ${now}`.execute(db);
  if (Number(rows[0]?.near ?? 0) >= perNetwork)
    throw new AppError('too_many', 'too many sign-ins from your network are on their way: try later');
  if (Number(rows[0]?.all ?? 0) >= total) await giveWay(db, table, Math.ceil(total / 100));
}

/** Some at once: to look for the largest network is not for every call. */
async function giveWay(db: Db, table: keyof typeof KEYS, count: number): Promise<void> {
  const [from, key] = [sql.table(table), sql.ref(KEYS[table])];
  await sql`
    delete from ${from} where ${key} in (
      select ${key} from ${from}
      where network = (select network from ${from} group by network order by count(*) desc limit 1)
      order by expires limit ${count})`.execute(db);
}
