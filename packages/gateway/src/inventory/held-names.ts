/** Names and public hosts of applications that agents offer: they stay with the group of tokens that had them, until an administrator frees them. */

import { sqlIn } from '../platform/storage/sql-in.ts';
import type { Db, Tx } from '../platform/storage/tables.ts';

export type HeldKind = 'app' | 'host';

const KINDS: readonly HeldKind[] = ['app', 'host'];

export interface HeldName {
  kind: HeldKind;
  name: string;
  /** The application that has it. */
  app: string;
  /** The group of tokens. */
  holder: string;
  since: number;
}

/** A token for everything must not take every name there is. */
export const MAX_HELD = 2_000;
/** Statements have a limit of values. */
const CHUNK = 500;

interface Wanted {
  cluster: string;
  app: string;
  /** Empty: it has none of its own. */
  host: string;
}

/** The rows that an application would need, whoever has them. */
export async function heldFor(db: Db, { cluster, app, host }: Wanted): Promise<HeldName[]> {
  const rows = await db
    .selectFrom('held_name')
    .select(['kind', 'name', 'app', 'holder', 'since'])
    .where('cluster', '=', cluster)
    .where((builder) =>
      builder.or([
        builder.and([builder('kind', '=', 'app'), builder('name', '=', app)]),
        builder.and([builder('kind', '=', 'host'), builder('name', '=', host)]),
      ]),
    )
    .execute();
  return rows.map(toHeld);
}

/** Which of the names belong to whom. */
export async function holdersOf(db: Db, cluster: string, apps: readonly string[]): Promise<Map<string, string>> {
  if (apps.length === 0) return new Map();
  const rows = await db
    .selectFrom('held_name')
    .select(['name', 'holder'])
    .where('cluster', '=', cluster)
    .where('kind', '=', 'app')
    .where('name', 'in', [...apps])
    .execute();
  return new Map(rows.map(({ name, holder }) => [name, holder]));
}

export async function heldBy(db: Db, cluster: string, holder: string): Promise<HeldName[]> {
  const rows = await db
    .selectFrom('held_name')
    .selectAll()
    .where('cluster', '=', cluster)
    .where('kind', 'in', KINDS)
    .where('holder', '=', holder)
    .limit(MAX_HELD)
    .execute();
  return rows.map(toHeld);
}

export async function listHeld(db: Db, cluster: string): Promise<HeldName[]> {
  const rows = await db
    .selectFrom('held_name')
    .selectAll()
    .where('cluster', '=', cluster)
    .where('kind', 'in', KINDS)
    .orderBy('kind')
    .orderBy('name')
    .execute();
  return rows.map(toHeld);
}

/** Names as they are held, read at once for everything that is wanted; what is taken is written at once as well. */
export interface HeldBook {
  /** Why the name cannot be the group's: it belongs to another. Takes nothing. */
  anothers(wanted: Pick<Wanted, 'app'> & { holder: string }): string | undefined;
  /** Gives back why the group cannot have the names. */
  take(wanted: Pick<Wanted, 'app' | 'host'> & { holder: string }): string | undefined;
  write(): Promise<void>;
}

interface BookFor {
  cluster: string;
  wanted: readonly (Pick<Wanted, 'app' | 'host'> & { holder: string })[];
  now: number;
}

/** Inside `holdNames`. */
export async function readHeld(tx: Tx, { cluster, wanted, now }: BookFor): Promise<HeldBook> {
  const names = [...new Set(wanted.flatMap(({ app, host }) => [app, host]))].filter((name) => name !== '');
  const rows = await tx
    .selectFrom('held_name')
    .select(['kind', 'name', 'app', 'holder', 'since'])
    .where('cluster', '=', cluster)
    .where('kind', 'in', KINDS)
    .where(sqlIn(tx, 'held_name.name', names))
    .execute();
  const held = new Map(rows.map((row) => [keyOf(row.kind, row.name), toHeld(row)]));
  const counts = await countHeld(tx, cluster, [...new Set(wanted.map(({ holder }) => holder))]);
  const added: HeldName[] = [];
  const anothers: HeldBook['anothers'] = ({ app, holder }) => {
    const named = held.get(keyOf('app', app));
    if (!named || named.holder === holder) return undefined;
    return `the name '${app}' belongs to agents of another token: make the next token for it with: gatehouse tokens add --app ${app}=…, or free the name with: gatehouse apps free ${app}`;
  };
  return {
    anothers,
    take({ app, host, holder }) {
      const reason = anothers({ app, holder });
      if (reason !== undefined) return reason;
      const named = held.get(keyOf('app', app));
      const hosted = host === '' ? undefined : held.get(keyOf('host', host));
      if (hosted && (hosted.holder !== holder || hosted.app !== app))
        return `the host '${host}' belongs to the application '${hosted.app}': choose another, or free it with: gatehouse apps free ${hosted.app}`;
      const missing: HeldName[] = [
        ...(named ? [] : [{ kind: 'app' as const, name: app, app, holder, since: now }]),
        ...(hosted || host === '' ? [] : [{ kind: 'host' as const, name: host, app, holder, since: now }]),
      ];
      if (missing.length === 0) return undefined;
      const count = (counts.get(holder) ?? 0) + missing.length;
      if (count > MAX_HELD)
        return `its token holds ${MAX_HELD} names already: free those that are not needed with: gatehouse apps free`;
      counts.set(holder, count);
      for (const name of missing) held.set(keyOf(name.kind, name.name), name);
      added.push(...missing);
      return undefined;
    },
    async write() {
      for (let start = 0; start < added.length; start += CHUNK) {
        const chunk = added.slice(start, start + CHUNK).map((name) => ({ cluster, ...name }));
        await tx.insertInto('held_name').values(chunk).execute();
      }
    },
  };
}

/** Takes the names of one application for a group, inside `holdNames`. Gives back why it cannot have them. */
export async function takeNames(
  tx: Tx,
  { cluster, now, ...wanted }: Wanted & { holder: string; now: number },
): Promise<string | undefined> {
  const book = await readHeld(tx, { cluster, wanted: [wanted], now });
  const reason = book.take(wanted);
  await book.write();
  return reason;
}

/** By the name of the application, with its hosts, or by one host. Gives back what was freed. */
export async function freeNames(tx: Tx, cluster: string, wanted: string): Promise<HeldName[]> {
  const rows = await tx
    .deleteFrom('held_name')
    .where('cluster', '=', cluster)
    .where('kind', 'in', KINDS)
    .where((builder) =>
      builder.or([
        builder('app', '=', wanted),
        builder.and([builder('kind', '=', 'host'), builder('name', '=', wanted)]),
      ]),
    )
    .returningAll()
    .execute();
  return rows.map(toHeld);
}

async function countHeld(tx: Tx, cluster: string, holders: readonly string[]): Promise<Map<string, number>> {
  const rows = await tx
    .selectFrom('held_name')
    .select((builder) => ['holder', builder.fn.countAll<number>().as('count')])
    .where('cluster', '=', cluster)
    .where(sqlIn(tx, 'held_name.holder', holders))
    .groupBy('holder')
    .execute();
  return new Map(rows.map(({ holder, count }) => [holder, Number(count)]));
}

function keyOf(kind: string, name: string): string {
  return `${kind} ${name}`;
}

function toHeld({ kind, name, app, holder, since }: Omit<HeldName, 'kind'> & { kind: string }): HeldName {
  return { kind: kind === 'host' ? 'host' : 'app', name, app, holder, since };
}
