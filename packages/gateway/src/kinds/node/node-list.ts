/** The servers somebody sees, as lists and single calls tell of them: with the logins that person may use on each. */

import { type NodeSpec, nodeSpec } from '@gatehouse/contract/kinds/node/node-spec';
import type { Node, NodeSummary } from '@gatehouse/contract/kinds/node/nodes';
import { visibleLabels } from '@gatehouse/contract/std/labels';
import type { AccessControl } from '../../access/create-access.ts';
import type { ListIndex } from '../../inventory/list-index/create-list-index.ts';
import { type ListedKind, listKind } from '../../inventory/list-kind.ts';
import type { Resource } from '../../inventory/resource-store.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { usesSeenBy } from '../../sessions/last-uses.ts';
import { findSeenNode } from './find-node.ts';
import { asksForFacts, type ByFacts, listByFacts } from './list-by-facts.ts';
import { factsOf, summarize } from './node-facts.ts';
import { loginsOn } from './node-logins.ts';

export interface NodeListDeps {
  db: Db;
  access: Pick<AccessControl, 'of' | 'decide' | 'visibleTo'>;
  clusterName: string;
  now: () => number;
  /** For large inventories; without it SQL answers alone. */
  index?: Pick<ListIndex, 'find' | 'refresh'>;
}

export interface NodeList {
  list(actor: Actor, query: ByFacts): Promise<{ items: Node[]; startKey: string; totalCount: number }>;
  /** By id, or by name where only one has it. What the actor does not see is not found. */
  get(actor: Actor, idOrName: string): Promise<Node>;
  /** How many there are of which sort, of those the actor sees. */
  summary(actor: Actor): Promise<NodeSummary>;
}

export function createNodeList({ db, access, clusterName, index }: NodeListDeps): NodeList {
  const withFacts = async (actor: Actor, resources: readonly Resource[]): Promise<Node[]> => {
    const facts = await factsOf({ db, access, clusterName }, actor, resources);
    return resources.map((resource) => {
      const node = toNode(actor, access, resource);
      return { ...node, gatehouse: { ...node.gatehouse, ...facts.get(resource.id) } };
    });
  };

  const listed: ListedKind<Node, ByFacts> = {
    kind: 'node',
    present: withFacts,
    ownPage: (actor, seen, query) =>
      asksForFacts(query)
        ? listByFacts(db, seen, { cluster: clusterName, query, user: usesSeenBy({ access }, actor) })
        : undefined,
  };

  return {
    list: (actor, query) => listKind({ db, access, clusterName, index }, listed, actor, query),

    async get(actor, idOrName) {
      const [node] = await withFacts(actor, [await findSeenNode({ db, access, clusterName }, actor, idOrName)]);
      return node!;
    },

    async summary(actor) {
      return await summarize({ db, access, clusterName }, actor);
    },
  };
}

/** As the wire has it, with the logins of whoever asks. */
export function toNode(
  actor: Actor,
  access: Pick<AccessControl, 'of'>,
  resource: Resource,
): Node & Required<Pick<Node, 'gatehouse'>> {
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
