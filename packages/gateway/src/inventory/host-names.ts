/** Which machine a host name stands for: the first that had it, until it is removed or calls itself otherwise. Others may have it too, and are not found by it. */
import { factsOf } from '@gatehouse/contract/kinds/kinds';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { AppError } from '../platform/std/app-error.ts';
import { sqlIn } from '../platform/storage/sql-in.ts';
import type { Db, Tx } from '../platform/storage/tables.ts';
import type { NewResource } from './resource-store.ts';

const KIND = 'hostname';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Inside `holdNames`. Names that people already find a machine by need no second entry. */
export async function holdHostNames(tx: Tx, offered: readonly NewResource[], now: number): Promise<void> {
  const machines = offered.filter(({ kind }) => factsOf(kind).offered === 'machine');
  if (machines.length === 0) return;
  const owners = machines.map(({ owner }) => owner);
  const rows = await tx
    .selectFrom('held_name')
    .select(['name', 'holder'])
    .where('kind', '=', KIND)
    .where(sqlIn(tx, 'held_name.holder', owners))
    .execute();
  const had = new Map(rows.map(({ name, holder }) => [holder, name]));
  const wanted = machines.map(({ cluster, owner: holder, name, spec }) => {
    const hostname = hostNameIn(spec).toLowerCase();
    return { cluster, kind: KIND, name: hostname === name.toLowerCase() ? '' : hostname, app: '', holder, since: now };
  });
  const changed = wanted.filter(({ holder, name }) => (had.get(holder) ?? '') !== name);
  for (const { cluster, holder } of changed) if (had.has(holder)) await freeHostNames(tx, cluster, holder);
  const taken = changed.filter(({ name }) => name !== '');
  if (taken.length === 0) return;
  await tx
    .insertInto('held_name')
    .values(taken)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Programs that ask for a host, ssh among them, write it in lower case: names that differ in nothing else are the same. */
export function isCalled(column: string, name: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`lower(${sql.ref(column)}) = ${name.toLowerCase()}`;
}

/** The agent a host name stands for, connected or not. */
export async function holderOfHostName(db: Db, cluster: string, hostname: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('held_name')
    .select('holder')
    .where('cluster', '=', cluster)
    .where('kind', '=', KIND)
    // Held in lower case; those from before that stand as they were written.
    .where('name', 'in', [hostname.toLowerCase(), hostname])
    .orderBy('since')
    .executeTakeFirst();
  return row?.holder;
}

export async function freeHostNames(tx: Tx, cluster: string, agent: string): Promise<void> {
  await tx
    .deleteFrom('held_name')
    .where('cluster', '=', cluster)
    .where('kind', '=', KIND)
    .where('holder', '=', agent)
    .execute();
}

/** Servers are found by id, name and host name: the name of one must be none of these of another. */
export async function refuseAmbiguousName(
  tx: Tx,
  { cluster, name, id }: { cluster: string; name: string; id?: string | undefined },
): Promise<void> {
  if (UUID.test(name)) throw new AppError('conflict', `'${name}' looks like the id of a server: choose a name`);
  const holder = await holderOfHostName(tx, cluster, name);
  if (holder !== undefined && holder !== id)
    throw new AppError('conflict', `'${name}' is the host name of another server: choose another name`);
}

function hostNameIn(spec: unknown): string {
  const read: unknown = typeof spec === 'object' && spec !== null && 'hostname' in spec ? spec.hostname : undefined;
  return typeof read === 'string' ? read : '';
}
