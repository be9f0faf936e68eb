/** Kubernetes clusters as the wire has them: the list, and one with all that can be edited. */
import type { KubeCluster, KubeClusterDetails } from '@gatehouse/contract/kinds/kube/kubernetes';
import { visibleLabels } from '@gatehouse/contract/std/labels';
import type { ListQuery } from '@gatehouse/contract/wire/paging';
import type { AccessControl } from '../../access/create-access.ts';
import { principalsFor } from '../../access/principals-for.ts';
import { type ListedPage, type ListKindDeps, listKind } from '../../inventory/list-kind.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { findAgent } from '../../reach/agents/registry/agent-store.ts';
import type { AgentConnections } from '../../reach/agents/tunnels/agent-connections.ts';
import { type ListedKube, offersOf, toListedKube } from './listed-kube.ts';

export interface KubeListDeps extends ListKindDeps {
  access: AccessControl;
  agents: Pick<AgentConnections, 'isConnected'>;
}

export async function listKubes(deps: KubeListDeps, actor: Actor, query: ListQuery): Promise<ListedPage<KubeCluster>> {
  const present = async (_: Actor, resources: readonly ListedKube['resource'][]) => {
    const offers = await offersOf(deps.db, resources);
    return resources.map((resource) => toKube(deps, actor, toListedKube(resource, offers)));
  };
  return await listKind(deps, { kind: 'kube', present }, actor, query);
}

/** As the wire has it, with what whoever asks may be there. */
export function toKube({ access, agents }: KubeListDeps, actor: Actor, cluster: ListedKube): KubeCluster {
  const { resource, spec, ways, wrong } = cluster;
  const given = (field: 'kubernetes_users' | 'kubernetes_groups') =>
    actor.isOwner ? [] : principalsFor(access.of(actor), 'kube', resource.labels, field);
  const isEntered = resource.owner === '';
  const connected = ways.filter((way) => agents.isConnected(way)).length;
  return {
    name: resource.name,
    labels: visibleLabels(resource.labels),
    kubernetes_users: given('kubernetes_users'),
    kubernetes_groups: given('kubernetes_groups'),
    gatehouse: {
      source: isEntered ? 'entered' : 'agent',
      server: spec.server,
      insecure: spec.insecureSkipVerify,
      credential: isEntered ? 'stored' : 'agent',
      ...(spec.credentialEnds === '' ? {} : { credentialEnds: spec.credentialEnds }),
      lacks: [
        ...(isEntered && spec.mark === '' ? (['credential'] as const) : []),
        ...(cluster.dialledBy === 'agent' && connected === 0 ? (['agent'] as const) : []),
      ],
      ...(wrong === '' ? {} : { wrong }),
      namespaces: spec.namespaces,
      ways: ways.length,
      connected,
    },
  };
}

/** `isTold`: they may change it, and are told who dials it. */
export async function toKubeDetails(
  deps: KubeListDeps,
  actor: Actor,
  cluster: ListedKube,
  isTold: boolean,
): Promise<KubeClusterDetails> {
  const { spec, ways, resource } = cluster;
  const { server, ca, serverName, insecureSkipVerify, namespaces } = spec;
  const nameOf = async (id: string) => (await findAgent(deps.db, resource.cluster, id))?.name ?? id;
  const dialers = (isTold ? ways : []).map(async (id) => ({
    name: await nameOf(id),
    connected: deps.agents.isConnected(id),
  }));
  return {
    item: toKube(deps, actor, cluster),
    ...{ server, ca, serverName, insecureSkipVerify, namespaces },
    labels: Object.fromEntries(visibleLabels(resource.labels).map(({ name, value }) => [name, value])),
    through: isTold ? await Promise.all(spec.through.map(nameOf)) : [],
    agents: await Promise.all(dialers),
  };
}
