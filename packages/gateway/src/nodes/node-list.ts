/** The servers somebody sees, as lists and single calls tell of them: with the logins that person may use on each. */
import { visibleLabels } from '@gatehouse/contract/labels';
import { type NodeSpec, nodeSpec } from '@gatehouse/contract/nodes/node-spec';
import type { Node } from '@gatehouse/contract/nodes/nodes';
import type { ListQuery } from '@gatehouse/contract/paging';
import { CURRENT_CLUSTER } from '@gatehouse/contract/shell/clusters';
import type { Actor } from '../access/actor.ts';
import type { AccessControl } from '../access/create-access.ts';
import { principalsFor } from '../access/principals-for.ts';
import type { ListIndex } from '../inventory/list-index/create-list-index.ts';
import { listResources } from '../inventory/list-resources.ts';
import type { Resource } from '../inventory/resource-store.ts';
import { notFound } from '../std/app-error.ts';
import type { Db } from '../storage/tables.ts';
import { findSeenNode } from './find-node.ts';

export interface NodeListDeps {
  db: Db;
  access: Pick<AccessControl, 'of' | 'decide' | 'visibleTo'>;
  clusterName: string;
  now: () => number;
  /** For large inventories; without it SQL answers alone. */
  index?: Pick<ListIndex, 'find' | 'refresh'>;
}

export interface NodeList {
  list(
    actor: Actor,
    clusterId: string,
    query: ListQuery,
  ): Promise<{ items: Node[]; startKey: string; totalCount: number }>;
  /** By id, or by name where only one has it. What the actor does not see is not found. */
  get(actor: Actor, clusterId: string, idOrName: string): Promise<Node>;
}

export function createNodeList({ db, access, clusterName, index }: NodeListDeps): NodeList {
  const requireOwn = (clusterId: string) => {
    if (clusterId !== CURRENT_CLUSTER && clusterId !== clusterName) throw notFound('cluster', clusterId);
  };

  return {
    async list(actor, clusterId, query) {
      requireOwn(clusterId);
      // Both wait for the store, so they do it together; a failure shows where it is waited for.
      const fresh = index?.refresh();
      fresh?.catch(() => {});
      const seen = await access.visibleTo(actor, 'node');
      const find: ListIndex['find'] | undefined = index && ((who, plan) => index.find(who, plan, fresh));
      const page = await listResources(db, seen, { cluster: clusterName, kind: 'node', ...query }, find && { find });
      return { ...page, items: page.items.map((resource) => toNode(actor, access, resource)) };
    },

    async get(actor, clusterId, idOrName) {
      requireOwn(clusterId);
      return toNode(actor, access, await findSeenNode({ db, access, clusterName }, actor, idOrName));
    },
  };
}

/** As the wire has it, with the logins of whoever asks. */
export function toNode(actor: Actor, access: Pick<AccessControl, 'of'>, resource: Resource): Node {
  const spec = nodeSpec.parse(resource.spec);
  return {
    tunnel: isTunnel(spec),
    id: resource.id,
    siteId: resource.cluster,
    hostname: resource.name,
    addr: spec.type === 'agent' ? '' : spec.addr,
    tags: visibleLabels(resource.labels),
    sshLogins: loginsOn(actor, access, resource, spec),
    gatehouse: {
      type: spec.type,
      agent: spec.type === 'agent' ? resource.owner : (spec.through ?? ''),
      os: spec.type === 'agent' ? spec.os : '',
      arch: spec.type === 'agent' ? spec.arch : '',
      version: spec.type === 'agent' ? spec.version : '',
    },
  };
}

/** Reached through an agent, its own or one in its network: the gateway knows no way of its own to it. */
export function isTunnel(spec: NodeSpec): boolean {
  return spec.type === 'agent' || spec.through !== undefined;
}

/** Sorted. What an agent does not start shells for is not offered, whatever roles say. */
export function loginsOn(
  actor: Actor,
  access: Pick<AccessControl, 'of'>,
  resource: Pick<Resource, 'labels'>,
  spec: NodeSpec,
): string[] {
  const held = actor.isOwner ? ['*'] : principalsFor(access.of(actor), 'node', resource.labels, 'logins');
  const limits = spec.type === 'agent' ? spec.logins : undefined;
  if (!limits) return held;
  return (held.includes('*') ? [...new Set(limits)] : held.filter((login) => limits.includes(login))).sort();
}
