/** Database services: agents that look after databases which are entered here, by their labels. */

import type { DatabaseService } from '@gatehouse/contract/kinds/db/databases';
import type { DatabaseMatch } from '@gatehouse/contract/kinds/db/db-match';
import { RESOURCE_ID_LABEL } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import { fitsLabels, type MatcherLabels } from '@gatehouse/contract/std/matcher-labels';
import type { AccessControl } from '../../access/create-access.ts';
import { mayReach } from '../../access/reach.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { type Agent, listMatching } from '../../reach/agents/registry/agent-store.ts';
import type { AgentConnections } from '../../reach/agents/tunnels/agent-connections.ts';

export interface DbService {
  /** Id of the agent. */
  agent: string;
  /** By its token: it is asked for no others, whatever it says. */
  allowed: MatcherLabels;
  match: DatabaseMatch;
}

export async function readServices(from: Db, cluster: string): Promise<DbService[]> {
  return (await listMatching(from, cluster)).filter(isService).map(toService);
}

/** Those that look after a database with these labels. */
export function agentsFor(services: readonly DbService[], labels: Readonly<Record<string, string>>): string[] {
  return services
    .filter(({ allowed, match }) => fitsLabels(allowed, labels) && match.some((each) => fitsLabels(each, labels)))
    .map(({ agent }) => agent);
}

interface ServiceDeps {
  db: Db;
  access: Pick<AccessControl, 'decide' | 'of'>;
  agents: Pick<AgentConnections, 'isConnected'>;
  clusterName: string;
}

/** For who may know agents, or make them. */
export async function listServices(
  { db, access, agents, clusterName }: ServiceDeps,
  actor: Actor,
): Promise<DatabaseService[]> {
  const known = ({ name }: Agent) =>
    (['list', 'create'] as const).some((verb) => mayReach(access, actor, verb, 'token', name));
  const all = (await listMatching(db, clusterName)).filter((agent) => isService(agent) && known(agent));
  return all.map((agent) => ({
    name: agent.name,
    resource_matchers: agent.databaseMatch.map((matcher) => ({ labels: asTold(matcher) })),
    gatehouse: { connected: agents.isConnected(agent.id), resourceId: agent.labels[RESOURCE_ID_LABEL] ?? '' },
  }));
}

function isService({ roles }: Agent): boolean {
  return roles.includes('Db');
}

function toService({ id, matcherLabels, databaseMatch }: Agent): DbService {
  return { agent: id, allowed: matcherLabels, match: databaseMatch };
}

function asTold(matcher: MatcherLabels): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(matcher).map(([name, values]) => [name, values.length === 1 ? values[0]! : values]),
  );
}
