/** Room in the tables that anybody may put a row into: bounded, and no network fills them for the others. */
import { sql } from 'kysely';
import { clientKey, clientNetwork, clientRegion } from '../../platform/std/client-key.ts';
import type { Db } from '../../platform/storage/tables.ts';

/** Each with what its rows are known by. All rows of one table live equally long: what ends first came first. */
const KEYS = {
  sso_attempt: 'state_hash',
  cli_login: 'id',
  headless_request: 'id',
  webauthn_challenge: 'challenge',
} as const;

export interface Bounds {
  total: number;
  /** Without it a network may have as many as there is room for. */
  perNetwork?: number;
}

export interface Counted {
  network: string;
  client_key: string;
}

/** Whoever has proven who they are counts for themselves: strangers of their network take nothing from them. */
export function countedAs({ user, address }: { user: string | undefined; address: string }): Counted {
  return user === undefined
    ? { network: clientNetwork(address), client_key: clientKey(address) }
    : { network: `user ${user}`, client_key: '' };
}

/**
 * Called before a row is put in. Of a network that has its share, and in a full table of the largest network of the region that has
 * most, the oldest of the client that has most give way: to refuse would let whoever fills it keep everybody out, or all their neighbours.
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
    await giveWay(db, table, { networks: [network], now }, Math.ceil(perNetwork / 100));
  else if (Number(rows[0]?.all ?? 0) >= total) {
    const count = Math.ceil(total / 100);
    await giveWay(db, table, { networks: await largestNetworks(db, table, { now, count }), now }, count);
  }
}

/**
 * The largest of the largest region, as many as have so many rows. By regions first: whoever holds hundreds of networks has a little in
 * each, and an office that signs in would be the largest of all.
 */
async function largestNetworks(
  db: Db,
  table: keyof typeof KEYS,
  { now, count }: { now: number; count: number },
): Promise<string[]> {
  const { rows } = await sql<{ network: string; held: number }>`
    select network, count(*) as held from ${sql.table(table)} where expires > ${now} group by network
    order by count(*) desc, network`.execute(db);
  const regions = new Map<string, { held: number; networks: string[] }>();
  for (const { network, held } of rows) {
    const region = clientRegion(network);
    const known = regions.get(region) ?? { held: 0, networks: [] };
    // Only as many as are needed: to look again after each two or three would cost whoever signs in more than whoever fills it.
    if (known.held < count) known.networks.push(network);
    known.held += Number(held);
    regions.set(region, known);
  }
  return [...regions.values()].reduce((best, each) => (each.held > best.held ? each : best), { held: 0, networks: [] })
    .networks;
}

/** Some at once: to look for who has most is not for every call. */
async function giveWay(
  db: Db,
  table: keyof typeof KEYS,
  { networks, now }: { networks: readonly string[]; now: number },
  count: number,
): Promise<void> {
  if (networks.length === 0) return;
  const [from, key] = [sql.table(table), sql.ref(KEYS[table])];
  await sql`
    delete from ${from} where ${key} in (
      select ${key} from (
        select ${key}, expires, count(*) over (partition by client_key) as held
        from ${from} where network in (${sql.join(networks)}) and expires > ${now}) as near
      order by held desc, expires limit ${count})`.execute(db);
}
