/** Names and public hosts of applications that agents offer: they stay with the group of tokens that had them, until an administrator frees them. */
import type { Db, Tx } from '../storage/tables.ts';

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
export const MOST_HELD = 2_000;

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
    .limit(MOST_HELD)
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

/** Takes the names of an application for a group, inside `holdNames`. Gives back why it cannot have them. */
export async function takeNames(
  tx: Tx,
  { cluster, app, host, holder, now }: Wanted & { holder: string; now: number },
): Promise<string | undefined> {
  const held = await heldFor(tx, { cluster, app, host });
  const named = held.find(({ kind }) => kind === 'app');
  if (named && named.holder !== holder)
    return `the name '${app}' belongs to agents of another token: make the next token for it with: gatehouse tokens add --app ${app}=…, or free the name with: gatehouse apps free ${app}`;
  const hosted = held.find(({ kind }) => kind === 'host');
  if (hosted && (hosted.holder !== holder || hosted.app !== app))
    return `the host '${host}' belongs to the application '${hosted.app}': choose another, or free it with: gatehouse apps free ${hosted.app}`;
  const missing = [
    ...(named ? [] : [{ cluster, kind: 'app', name: app, app, holder, since: now }]),
    ...(hosted || host === '' ? [] : [{ cluster, kind: 'host', name: host, app, holder, since: now }]),
  ];
  if (missing.length === 0) return undefined;
  if ((await countHeld(tx, cluster, holder)) + missing.length > MOST_HELD)
    return `its token holds ${MOST_HELD} names already: free those that are not needed with: gatehouse apps free`;
  await tx.insertInto('held_name').values(missing).execute();
  return undefined;
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

async function countHeld(tx: Tx, cluster: string, holder: string): Promise<number> {
  const { count } = await tx
    .selectFrom('held_name')
    .select((builder) => builder.fn.countAll<number>().as('count'))
    .where('cluster', '=', cluster)
    .where('holder', '=', holder)
    .executeTakeFirstOrThrow();
  return Number(count);
}

function toHeld({ kind, name, app, holder, since }: Omit<HeldName, 'kind'> & { kind: string }): HeldName {
  return { kind: kind === 'host' ? 'host' : 'app', name, app, holder, since };
}
