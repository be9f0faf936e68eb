/** Answers the calls by which machines join, and by which administrators list and forget agents. */

import type { RuleVerb } from '@gatehouse/contract/access/roles/vocabulary';
import { agentRemoved } from '@gatehouse/contract/kinds/node/server-events';
import type { AgentItem, agentRoutes } from '@gatehouse/contract/reach/agents/agents';
import { OK } from '@gatehouse/contract/wire/ack';
import { agentKeyFrom } from '@gatehouse/tunnel/handshake/agent-key';
import type { AccessControl } from '../../../access/create-access.ts';
import { mayReach, requireEver } from '../../../access/reach.ts';
import { removeOwned } from '../../../inventory/announcement-store.ts';
import { freeHostNames } from '../../../inventory/host-names.ts';
import type { Actor } from '../../../platform/http/actor.ts';
import type { Handlers } from '../../../platform/http/call.ts';
import { contextOf } from '../../../platform/http/context-of.ts';
import { notFound } from '../../../platform/std/app-error.ts';
import type { Db } from '../../../platform/storage/tables.ts';
import { type Agent, deleteAgent, findAgent, listAgents } from './agent-store.ts';
import { type JoinDeps, joinAgent } from './join-agent.ts';

/** Gateways say every half minute which agents they hold; one that has not for this long is gone, and its agents with it. */
const SEEN_LATELY_MS = 90_000;

export interface AgentDeps extends JoinDeps {
  db: Db;
  access: Pick<AccessControl, 'decide' | 'of'>;
  connections: {
    isConnected(id: string): boolean;
    /** Ends what a forgotten agent has open here; others hear of it by the change feed. */
    disconnect(id: string, reason: string): Promise<void>;
  };
}

export function agentHandlers(deps: AgentDeps): Handlers<typeof agentRoutes> {
  const { db, access, audit, now, clusterName, connections } = deps;
  const admit = (actor: Actor, verb: RuleVerb) => requireEver(access, actor, verb, 'token');

  return {
    joinChallenge: async () => ({ nonce: await deps.challenges.give() }),

    async join({ body, exchange }) {
      const asked = new URL(exchange.origin).host;
      const { id, labels } = await joinAgent(deps, { ...body, asked, address: exchange.address });
      return { agentId: id, cluster: clusterName, labels };
    },

    async list({ actor }) {
      admit(actor, 'list');
      const [agents, counts] = await Promise.all([listAgents(db, clusterName), countOwned(db, clusterName)]);
      const isConnected = ({ id, connection, lastSeen = 0 }: Agent) =>
        connections.isConnected(id) || (connection !== '' && lastSeen > now() - SEEN_LATELY_MS);
      const known = agents.filter(({ name }) => mayReach(access, actor, 'list', 'token', name));
      return known.map((agent) => toItem(agent, isConnected(agent), counts.get(agent.id) ?? 0));
    },

    async remove({ actor, params: { id: idOrName }, exchange }) {
      admit(actor, 'delete');
      const agent = await findAgent(db, clusterName, idOrName);
      if (!agent || !mayReach(access, actor, 'delete', 'token', agent.name)) throw notFound('agent', idOrName);
      const { id, name } = agent;
      await db.transaction().execute(async (tx) => {
        await deleteAgent(tx, id);
        await removeOwned(tx, [id]);
        await freeHostNames(tx, clusterName, id);
        const fields = { user: actor.username, name, host_id: id };
        await audit.emit(tx, agentRemoved, fields, contextOf(actor, exchange));
      });
      await connections.disconnect(id, 'this agent was removed from the cluster');
      return OK;
    },
  };
}

async function countOwned(db: Db, cluster: string): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('resource')
    .select((builder) => ['owner', builder.fn.countAll<number>().as('count')])
    .where('cluster', '=', cluster)
    .where('owner', '<>', '')
    .groupBy('owner')
    .execute();
  return new Map(rows.map(({ owner, count }) => [owner, Number(count)]));
}

function toItem(agent: Agent, connected: boolean, resources: number): AgentItem {
  return {
    id: agent.id,
    name: agent.name,
    roles: agent.roles,
    fingerprint: agentKeyFrom(agent.key).fingerprint,
    version: agent.version,
    joined: new Date(agent.created).toISOString(),
    joinedBy: agent.createdBy,
    connected,
    lastSeen: agent.lastSeen === undefined ? '' : new Date(agent.lastSeen).toISOString(),
    address: agent.address,
    resources,
  };
}
