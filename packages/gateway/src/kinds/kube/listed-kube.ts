/** A Kubernetes cluster as it stands in the inventory, with what follows from its record. */
import {
  type KubeAddress,
  type KubeSpec,
  kubeDialAddress,
  parseKubeServer,
  readStoredKube,
  type StoredKube,
} from '@gatehouse/contract/kinds/kube/kube-spec';
import type { AccessControl } from '../../access/create-access.ts';
import { routesTo } from '../../inventory/resource-routes.ts';
import { findResource, findSealed, type Resource } from '../../inventory/resource-store.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { AppError, notFound } from '../../platform/std/app-error.ts';
import { canonicalJson } from '../../platform/std/canonical-json.ts';
import type { Db } from '../../platform/storage/tables.ts';
import type { Target } from '../../reach/reach.ts';
import type { TlsTerms } from '../../reach/tls/start-tls.ts';

export interface ListedKube extends StoredKube {
  resource: Resource;
  /** Undefined where it cannot be read. */
  address: KubeAddress | undefined;
  /** What an agent offers, or is to dial, is never dialled from the gateway, also while no agent reaches it. */
  dialledBy: 'gateway' | 'agent';
  /** Agents that reach it, each of which will do. */
  ways: readonly string[];
  /** What is secret, for `KubeSecrets`. */
  sealed: string | undefined;
  /** Changes with anything that decides who may reach what, and how. */
  version: string;
}

export async function readKube(
  from: Db,
  { cluster, name }: { cluster: string; name: string },
): Promise<ListedKube | undefined> {
  const resource = await findResource(from, { cluster, kind: 'kube', id: name });
  if (!resource) return undefined;
  const [offers, sealed] = await Promise.all([offersOf(from, [resource]), findSealed(from, resource)]);
  return toListedKube(resource, offers, sealed);
}

/** Agents that offer them, by the id of each. */
export async function offersOf(
  from: Db,
  clusters: readonly Resource[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  return await routesTo(
    from,
    clusters.filter(({ owner }) => owner !== ''),
  );
}

export function toListedKube(
  resource: Resource,
  offers: ReadonlyMap<string, readonly string[]>,
  sealed?: string,
): ListedKube {
  const stored = readStoredKube(resource.spec);
  const { spec } = stored;
  const isOffered = resource.owner !== '';
  const ways = isOffered ? (offers.get(resource.id) ?? []) : spec.through;
  return {
    ...stored,
    resource,
    address: parseKubeServer(spec.server),
    dialledBy: isOffered || ways.length > 0 ? 'agent' : 'gateway',
    ways,
    sealed,
    version: kubeVersionOf(resource),
  };
}

export interface SeenKubeDeps {
  db: Db;
  access: Pick<AccessControl, 'decide'>;
  clusterName: string;
}

/** Throws `not_found`, alike for what is not there and what is not seen. */
export async function findSeenKube(
  { db, access, clusterName }: SeenKubeDeps,
  actor: Actor,
  name: string,
): Promise<ListedKube> {
  const found = await readKube(db, { cluster: clusterName, name });
  if (found && access.decide(actor, { type: 'see', kind: 'kube', resource: found.resource }).allowed) return found;
  throw notFound('Kubernetes cluster', name);
}

/** Clusters may be on the machine of the gateway, beside it; what an agent offers is dialled by agents alone. */
export function kubeTarget(cluster: ListedKube, tlsExtra: Pick<TlsTerms, 'certificate'> = {}): Target {
  const { address, dialledBy, ways } = cluster;
  if (!address) throw wrongRecord(cluster);
  return {
    addr: kubeDialAddress(address),
    through: dialledBy === 'gateway' ? 'gateway' : { anyOf: ways },
    mayBeThisMachine: true,
    tls: { ...kubeTls(cluster), ...tlsExtra },
  };
}

/** By the name in the address, or the one that was given. */
export function kubeTls({ address, spec }: Pick<ListedKube, 'address' | 'spec'>): TlsTerms {
  const { serverName, ca, insecureSkipVerify } = spec;
  return { name: serverName || (address?.host ?? ''), ca, insecureSkipVerify, protocols: ['http/1.1'] };
}

export function wrongRecord({ resource, wrong }: Pick<ListedKube, 'resource' | 'wrong'>): AppError {
  return new AppError('conflict', `the record of '${resource.name}' lets nobody in until it is changed: ${wrong}`);
}

/**
 * Whatever decides who hears what is sent: whoever could change one of these alone could have the credential sent to themselves.
 * Where its certificate is checked it does not matter who carries the bytes.
 */
export function kubeTargetOf({ server, ca, serverName, insecureSkipVerify, through }: KubeSpec): string {
  const address = parseKubeServer(server);
  return canonicalJson([
    address ? [kubeDialAddress(address), address.path] : server,
    ca,
    serverName,
    insecureSkipVerify ? [...through].sort() : null,
  ]);
}

export function kubeVersionOf({ labels, spec }: Pick<Resource, 'labels' | 'spec'>): string {
  const { namespaces: _, ...decides } = readStoredKube(spec).spec;
  return canonicalJson([labels, decides]);
}
