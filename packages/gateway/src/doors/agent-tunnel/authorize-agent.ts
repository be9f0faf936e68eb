/** Decides about an agent that has proved which key it holds. */
import { agentRefused } from '@gatehouse/contract/kinds/node/server-events';
import type { TunnelHello } from '@gatehouse/contract/reach/tunnel/handshake';
import type { AgentKey } from '@gatehouse/tunnel/handshake/agent-key';
import type { Decision } from '@gatehouse/tunnel/handshake/challenge-agent';
import type { AccessControl } from '../../access/create-access.ts';
import type { Audit } from '../../platform/audit/emit.ts';
import { clientKey } from '../../platform/std/client-key.ts';
import { createOncePer } from '../../platform/std/throttle.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { type Agent, findAgentByKey } from '../../reach/agents/registry/agent-store.ts';
import { LOCKED } from '../../reach/agents/tunnels/live-agents.ts';

/** A locked agent asks again by itself: the lock may be lifted. */
const LOCKED_RETRY_MS = 30_000;
const REPEAT_REFUSAL_MS = 3_600_000;

export interface AuthorizeDeps {
  db: Db;
  access: Pick<AccessControl, 'lockOnAgent'>;
  audit: Audit;
  clusterName: string;
  now: () => number;
}

export type AgentDecision = { agent: Agent } | { refused: Extract<Decision, { accept: false }> };

export type AuthorizeAgent = (hello: TunnelHello, key: AgentKey, address: string) => Promise<AgentDecision>;

export function createAuthorizeAgent({ db, access, audit, clusterName, now }: AuthorizeDeps): AuthorizeAgent {
  const firstTime = createOncePer(REPEAT_REFUSAL_MS, now);

  return async (hello, key, address) => {
    const agent = await findAgentByKey(db, clusterName, key.publicKey);
    if (!agent) {
      // Keys cost nothing to make: one event per address, not per key.
      if (firstTime(`unknown ${clientKey(address)}`)) {
        await tell(hello.hostname, `its key ${key.fingerprint} belongs to no agent`, address);
      }
      const reason = 'no agent has this key: it never joined here, or was removed. Join again with a new token';
      return { refused: { accept: false, code: 'unknown_agent', reason, retry: false } };
    }
    const lock = access.lockOnAgent(agent);
    if (!lock) return { agent };
    const reason = LOCKED;
    if (firstTime(`locked ${agent.id} ${lock.id}`)) await tell(agent.name, reason, address, agent.id);
    return {
      refused: { accept: false, code: 'not_allowed', reason, retry: true, retryAfterMs: LOCKED_RETRY_MS },
    };
  };

  async function tell(name: string, reason: string, address: string, id?: string): Promise<void> {
    const fields = { node_name: name, reason, 'addr.remote': address, ...(id === undefined ? {} : { host_id: id }) };
    await db.transaction().execute((tx) => audit.emit(tx, agentRefused, fields));
  }
}
