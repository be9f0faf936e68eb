/** Desktop services: agents that offer desktops. */
import type { DesktopService } from '@gatehouse/contract/kinds/desktop/desktops';
import { RESOURCE_ID_LABEL } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import { visibleLabels } from '@gatehouse/contract/std/labels';
import { parseSearch, searchText } from '@gatehouse/contract/wire/filter';
import type { ListQuery } from '@gatehouse/contract/wire/paging';
import type { AccessControl } from '../../access/create-access.ts';
import { mayReach } from '../../access/reach.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { type Agent, listAgents } from '../../reach/agents/registry/agent-store.ts';
import type { AgentConnections } from '../../reach/agents/tunnels/agent-connections.ts';

interface DesktopServiceDeps {
  db: Db;
  access: Pick<AccessControl, 'decide' | 'of'>;
  agents: Pick<AgentConnections, 'isConnected'>;
  clusterName: string;
}

/** For who may know agents, or make them. Clients wait for the one that they made a token for by searching for its label. */
export async function listDesktopServices(
  { db, access, agents, clusterName }: DesktopServiceDeps,
  actor: Actor,
  { search = '', limit, startKey = '' }: ListQuery,
): Promise<{ items: DesktopService[]; startKey: string; totalCount: number }> {
  const known = ({ name }: Agent) =>
    (['list', 'create'] as const).some((verb) => mayReach(access, actor, verb, 'token', name));
  const words = parseSearch(search);
  const found = (await listAgents(db, clusterName))
    .filter((agent) => agent.roles.includes('WindowsDesktop') && known(agent) && hasWords(agent, words))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  const rest = found.filter(({ id }) => id >= startKey);
  const items = rest.slice(0, limit).map((agent) => ({
    name: agent.id,
    hostname: agent.name,
    addr: agent.address,
    labels: visibleLabels(agent.labels),
    gatehouse: { connected: agents.isConnected(agent.id), resourceId: agent.labels[RESOURCE_ID_LABEL] ?? '' },
  }));
  return { items, startKey: rest[limit]?.id ?? '', totalCount: found.length };
}

function hasWords({ id, name, labels }: Agent, words: readonly string[]): boolean {
  const texts = [id, name, ...Object.entries(labels).flat()].map(searchText);
  return words.every((word) => texts.some((text) => text.includes(word)));
}
