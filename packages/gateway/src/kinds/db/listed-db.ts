/** A database as it stands in the inventory, with what follows from its record. */
import { type DbAddress, dbDialAddress, parseDbUri } from '@gatehouse/contract/kinds/db/db-address';
import { type DbSpec, dbSpec } from '@gatehouse/contract/kinds/db/db-spec';
import { findResource, findSealed, type Resource } from '../../inventory/resource-store.ts';
import { canonicalJson } from '../../platform/std/canonical-json.ts';
import type { Db } from '../../platform/storage/tables.ts';

export interface ListedDb {
  resource: Resource;
  spec: DbSpec;
  address: DbAddress;
  /** Agents that reach it, each of which will do; none: the gateway dials. */
  ways: readonly string[];
  /** What is secret, for `DbSecrets`. */
  sealed: string | undefined;
}

export async function readDb(
  from: Db,
  { cluster, name }: { cluster: string; name: string },
): Promise<ListedDb | undefined> {
  const resource = await findResource(from, { cluster, kind: 'db', id: name });
  return resource && toListedDb(resource, await findSealed(from, resource));
}

export function toListedDb(resource: Resource, sealed?: string): ListedDb {
  const spec = dbSpec.parse(resource.spec);
  const parsed = parseDbUri(spec.uri, spec.protocol);
  if ('wrong' in parsed) throw new Error(`the address '${spec.uri}' cannot be read: ${parsed.wrong}`);
  return { resource, spec, address: parsed.address, ways: spec.through, sealed };
}

/** Whatever decides who hears what is sent: whoever could change one of these alone could have the passwords sent to themselves. */
export function dbTargetOf({ uri, protocol, through, tls }: DbSpec): string {
  const parsed = parseDbUri(uri, protocol);
  const hosts = 'wrong' in parsed ? [uri] : parsed.address.hosts.map(dbDialAddress);
  return canonicalJson([protocol, hosts, [...through].sort(), tls]);
}

/** Changes with anything that decides who may reach what, and how. */
export function dbVersionOf({ labels, spec }: Pick<Resource, 'labels' | 'spec'>): string {
  const { description: _, ...decides } = dbSpec.parse(spec);
  return canonicalJson([labels, decides]);
}
