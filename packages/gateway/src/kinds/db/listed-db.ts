/** A database as it stands in the inventory, with what follows from its record. */
import { type DbAddress, dbDialAddress, parseDbUri } from '@gatehouse/contract/kinds/db/db-address';
import { type DbSpec, readStoredDb, type StoredDb } from '@gatehouse/contract/kinds/db/db-spec';
import { routesTo } from '../../inventory/resource-routes.ts';
import { findWithSealed, type Resource, toResource } from '../../inventory/resource-store.ts';
import { canonicalJson } from '../../platform/std/canonical-json.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { agentsFor, type DbService, readServices } from './db-services.ts';

export interface ListedDb extends StoredDb {
  resource: Resource;
  /** Without hosts where it cannot be read. */
  address: DbAddress;
  /** What an agent offers, or is to dial, is never dialled from the gateway, also while no agent reaches it. */
  dialledBy: 'gateway' | 'agents';
  /** Agents that reach it, each of which will do. */
  ways: readonly string[];
  /** What is secret, for `DbSecrets`. */
  sealed: string | undefined;
}

/** What says who dials: looked up for all that are listed at once. */
export interface DbDialers {
  /** By the id of a database. */
  offers: ReadonlyMap<string, readonly string[]>;
  services: readonly DbService[];
}

export async function readDb(
  from: Db,
  { cluster, name }: { cluster: string; name: string },
): Promise<ListedDb | undefined> {
  // Asked for at once, also where an agent offers it and services say nothing of it: one after the other, each waits for the store.
  const [found, services] = await Promise.all([
    findWithSealed(from, { cluster, kind: 'db', id: name }),
    readServices(from, cluster),
  ]);
  if (!found) return undefined;
  const { resource, sealed } = found;
  return toListedDb(resource, await dialersOf(from, [resource], async () => services), sealed);
}

export async function readDialers(from: Db, cluster: string, dbs: readonly Resource[]): Promise<DbDialers> {
  return await dialersOf(from, dbs, () => readServices(from, cluster));
}

async function dialersOf(
  from: Db,
  dbs: readonly Resource[],
  services: () => Promise<readonly DbService[]>,
): Promise<DbDialers> {
  const offered = dbs.filter(({ owner }) => owner !== '');
  return { offers: await routesTo(from, offered), services: offered.length < dbs.length ? await services() : [] };
}

/** Those that administrators entered. */
export async function enteredDbs(from: Db, cluster: string): Promise<ListedDb[]> {
  const rows = await from
    .selectFrom('resource')
    .selectAll()
    .where('cluster', '=', cluster)
    .where('kind', '=', 'db')
    .where('owner', '=', '')
    .execute();
  const nobody = { offers: new Map(), services: [] };
  return rows.map((row) => toListedDb(toResource(row, 'db'), nobody));
}

export function toListedDb(resource: Resource, { offers, services }: DbDialers, sealed?: string): ListedDb {
  const stored = readStoredDb(resource.spec);
  const { spec } = stored;
  const parsed = parseDbUri(spec.uri, spec.protocol);
  const address = 'wrong' in parsed ? { hosts: [], replicaSet: '' } : parsed.address;
  const isOffered = resource.owner !== '';
  const named = spec.through.length > 0 ? spec.through : agentsFor(services, resource.labels);
  const ways = isOffered ? (offers.get(resource.id) ?? []) : named;
  const dialledBy = isOffered || ways.length > 0 ? 'agents' : 'gateway';
  return { ...stored, resource, address, dialledBy, ways, sealed };
}

/** Whatever decides who hears what is sent: whoever could change one of these alone could have the passwords sent to themselves. */
export function dbTargetOf({ uri, protocol, through, tls }: DbSpec): string {
  const parsed = parseDbUri(uri, protocol);
  const hosts = 'wrong' in parsed ? [uri] : parsed.address.hosts.map(dbDialAddress);
  return canonicalJson([protocol, hosts, [...through].sort(), tls]);
}

/** Changes with anything that decides who may reach what, and how. */
export function dbVersionOf({ labels, spec }: Pick<Resource, 'labels' | 'spec'>): string {
  const { description: _, ...decides } = readStoredDb(spec).spec;
  return canonicalJson([labels, decides]);
}
