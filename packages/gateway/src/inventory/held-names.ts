/** Names and public hosts of what agents offer and share: they stay with the group of tokens that had them, until an administrator frees them. */
import { factsOf, type Kind } from '@gatehouse/contract/kinds/kinds';
import type { Selectable } from 'kysely';
import type { EventContext } from '../platform/audit/event-draft.ts';
import { sqlIn } from '../platform/storage/sql-in.ts';
import type { Db, Tables, Tx } from '../platform/storage/tables.ts';
import { hasHosts } from './kind-fields.ts';

/** Public hosts are held beside names, of whichever kind they are: there is one of each in the world. */
const HOST = 'host';

/** Names of one kind are apart from those of another. */
export interface HeldOf {
  cluster: string;
  kind: Kind;
}

export interface HeldName {
  /** What is held: the name of a resource, or a host of it. */
  what: 'name' | 'host';
  name: string;
  /** The resource that has it, by its name. */
  resource: string;
  /** The group of tokens. */
  holder: string;
  since: number;
}

/** A token for everything must not take every name there is. */
export const MAX_HELD = 2_000;
/** Statements have a limit of values. */
const CHUNK = 500;

interface Wanted {
  /** The name of a resource, which is its id. */
  id: string;
  /** Empty: it has none of its own. */
  host: string;
}

type Claim = Wanted & { holder: string };

/** The rows that a resource would need, whoever has them. */
export async function heldFor(db: Db, { cluster, kind }: HeldOf, { id, host }: Wanted): Promise<HeldName[]> {
  const rows = await db
    .selectFrom('held_name')
    .selectAll()
    .where('cluster', '=', cluster)
    .where((builder) =>
      builder.or([
        builder.and([builder('kind', '=', kind), builder('name', '=', id)]),
        builder.and([builder('kind', '=', HOST), builder('name', '=', host)]),
      ]),
    )
    .execute();
  return rows.map(toHeld);
}

/** Which of the names belong to whom. */
export async function holdersOf(
  db: Db,
  { cluster, kind }: HeldOf,
  names: readonly string[],
): Promise<Map<string, string>> {
  if (names.length === 0) return new Map();
  const rows = await db
    .selectFrom('held_name')
    .select(['name', 'holder'])
    .where('cluster', '=', cluster)
    .where('kind', '=', kind)
    .where('name', 'in', [...names])
    .execute();
  return new Map(rows.map(({ name, holder }) => [name, holder]));
}

export async function heldBy(db: Db, { cluster, kind }: HeldOf, holder: string): Promise<HeldName[]> {
  const rows = await db
    .selectFrom('held_name')
    .selectAll()
    .where('cluster', '=', cluster)
    .where('kind', 'in', heldAs(kind))
    .where('holder', '=', holder)
    .limit(MAX_HELD)
    .execute();
  return rows.map(toHeld);
}

export async function listHeld(db: Db, { cluster, kind }: HeldOf): Promise<HeldName[]> {
  const rows = await db
    .selectFrom('held_name')
    .selectAll()
    .where('cluster', '=', cluster)
    .where('kind', 'in', heldAs(kind))
    .orderBy('kind')
    .orderBy('name')
    .execute();
  return rows.map(toHeld);
}

/** Names as they are held, read at once for everything that is wanted; what is taken is written at once as well. */
export interface HeldBook {
  /** Why the name cannot be the group's: it belongs to another. Takes nothing. */
  anothers(wanted: Omit<Claim, 'host'>): string | undefined;
  /** Gives back why the group cannot have the names. */
  take(wanted: Claim): string | undefined;
  write(): Promise<void>;
}

interface BookFor extends HeldOf {
  wanted: readonly Claim[];
  now: number;
}

/** Inside `holdNames`. */
export async function readHeld(tx: Tx, { cluster, kind, wanted, now }: BookFor): Promise<HeldBook> {
  const { noun, path, command: called = path } = factsOf(kind);
  const names = [...new Set(wanted.flatMap(({ id, host }) => [id, host]))].filter((name) => name !== '');
  const rows = await tx
    .selectFrom('held_name')
    .selectAll()
    .where('cluster', '=', cluster)
    .where('kind', 'in', heldAs(kind))
    .where(sqlIn(tx, 'held_name.name', names))
    .execute();
  const held = new Map(rows.map(toHeld).map((each) => [keyOf(each), each]));
  const counts = await countHeld(tx, cluster, [...new Set(wanted.map(({ holder }) => holder))]);
  const added: HeldName[] = [];
  const anothers: HeldBook['anothers'] = ({ id, holder }) => {
    const named = held.get(keyOf({ what: 'name', name: id }));
    if (!named || named.holder === holder) return undefined;
    return `the name '${id}' belongs to agents of another token: make the next token for it with: gatehouse tokens add --${kind} ${id}=…, or free the name with: gatehouse ${called} free ${id}`;
  };
  return {
    anothers,
    take({ id, host, holder }) {
      const reason = anothers({ id, holder });
      if (reason !== undefined) return reason;
      const named = held.get(keyOf({ what: 'name', name: id }));
      const hosted = host === '' ? undefined : held.get(keyOf({ what: 'host', name: host }));
      if (hosted && (hosted.holder !== holder || hosted.resource !== id))
        return `the host '${host}' belongs to the ${noun} '${hosted.resource}': choose another, or free it with: gatehouse ${called} free ${hosted.resource}`;
      const missing: HeldName[] = [
        ...(named ? [] : [{ what: 'name' as const, name: id, resource: id, holder, since: now }]),
        ...(hosted || host === '' ? [] : [{ what: 'host' as const, name: host, resource: id, holder, since: now }]),
      ];
      if (missing.length === 0) return undefined;
      const count = (counts.get(holder) ?? 0) + missing.length;
      if (count > MAX_HELD)
        return `its token holds ${MAX_HELD} names already: free those that are not needed with: gatehouse ${called} free`;
      counts.set(holder, count);
      for (const name of missing) held.set(keyOf(name), name);
      added.push(...missing);
      return undefined;
    },
    async write() {
      for (let start = 0; start < added.length; start += CHUNK) {
        const chunk = added.slice(start, start + CHUNK).map(({ what, resource, ...name }) => ({
          ...name,
          cluster,
          kind: what === 'host' ? HOST : kind,
          app: resource,
        }));
        await tx.insertInto('held_name').values(chunk).execute();
      }
    },
  };
}

/** Takes the names of one resource for a group, inside `holdNames`. Gives back why it cannot have them. */
export async function takeNames(
  tx: Tx,
  { cluster, kind, now, ...wanted }: HeldOf & Claim & { now: number },
): Promise<string | undefined> {
  const book = await readHeld(tx, { cluster, kind, wanted: [wanted], now });
  const reason = book.take(wanted);
  await book.write();
  return reason;
}

export interface FreedNames {
  user: string;
  /** Of the resource. */
  name: string;
  hosts: string[];
  group: string;
}

/** Tells the audit log that names were freed, in the kind's own event. */
export type TellFreed = (tx: Tx, freed: FreedNames, context: EventContext) => Promise<unknown>;

/** By the name of the resource, with its hosts, or by one host. Gives back what was freed. */
export async function freeNames(tx: Tx, { cluster, kind }: HeldOf, wanted: string): Promise<HeldName[]> {
  const rows = await tx
    .deleteFrom('held_name')
    .where('cluster', '=', cluster)
    .where('kind', 'in', heldAs(kind))
    .where((builder) =>
      builder.or([
        builder('app', '=', wanted),
        builder.and([builder('kind', '=', HOST), builder('name', '=', wanted)]),
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

/** What the store calls them. */
function heldAs(kind: Kind): string[] {
  return hasHosts(kind) ? [kind, HOST] : [kind];
}

function keyOf({ what, name }: Pick<HeldName, 'what' | 'name'>): string {
  return `${what} ${name}`;
}

function toHeld({ kind, name, app, holder, since }: Selectable<Tables['held_name']>): HeldName {
  return { what: kind === HOST ? 'host' : 'name', name, resource: app, holder, since };
}
