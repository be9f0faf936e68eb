/** Where agents, and clusters that joined, come in: an upgrade on the public listener, a proof, a decision, and then a tunnel. */
import { TUNNEL_PATH, type TunnelHello } from '@gatehouse/contract/reach/tunnel/handshake';
import { acceptTunnel } from '@gatehouse/tunnel/accept-tunnel';
import type { Tunnel } from '@gatehouse/tunnel/gateway-tunnel';
import type { AgentKey } from '@gatehouse/tunnel/handshake/agent-key';
import type { Decision } from '@gatehouse/tunnel/handshake/challenge-agent';
import { messageOf, TunnelError } from '@gatehouse/tunnel/tunnel-error';
import type { FastifyInstance } from 'fastify';
import type { GatewayConfig } from '../../platform/config/resolve.ts';
import { addUpgrade } from '../../platform/http/socket-door.ts';
import type { Log } from '../../platform/std/log.ts';
import { randomFraction } from '../../platform/std/random-fraction.ts';
import type { Agent } from '../../reach/agents/registry/agent-store.ts';
import type { LeafDecision } from '../../reach/leaf-clusters/authorize-leaf.ts';
import type { KnownLeaf } from '../../reach/leaf-clusters/known-clusters.ts';
import { isOwnAudience } from './audience.ts';
import type { AuthorizeAgent } from './authorize-agent.ts';
import type { HandshakeSlots } from './handshake-limiter.ts';

/** Agents that find all places taken come back within this, each at its own time. */
const BUSY_RETRY_SECONDS = 5;

type Refused = Extract<Decision, { accept: false }>;

const STORE_DOWN = {
  accept: false,
  code: 'unavailable',
  reason: 'the gateway cannot look this agent up now',
  retry: true,
} as const;

export interface DoorDeps {
  config: Pick<GatewayConfig, 'listen' | 'publicAddr' | 'proxy'>;
  authorize: AuthorizeAgent;
  slots: HandshakeSlots;
  admit(tunnel: Tunnel, agent: Agent, address: string): Promise<void>;
  /** Clusters that joined this one come in by the same door. */
  leaves: {
    authorize(hello: TunnelHello, key: AgentKey): LeafDecision;
    admit(tunnel: Tunnel, leaf: KnownLeaf, address: string): Promise<void>;
  };
  log: Log;
}

/** Who was let in: what becomes of their tunnel. */
type Admit = (tunnel: Tunnel) => Promise<void>;

/** Call it where the socket door of the application is open. */
export function serveTunnels(app: FastifyInstance, { config, authorize, slots, admit, leaves, log }: DoorDeps): void {
  const leaving = new AbortController();
  app.addHook('preClose', async () => leaving.abort(new TunnelError('closed', 'the gateway is closing')));

  addUpgrade(app, TUNNEL_PATH, async (request, reply, takeUpgrade) => {
    const address = request.ip;
    const release = await slots.take(address).catch((error: unknown) => {
      reply.header('retry-after', String(1 + Math.floor(randomFraction() * BUSY_RETRY_SECONDS)));
      throw error;
    });
    const asked = request.host;
    let take: Admit | undefined;
    const decide = async (hello: TunnelHello, key: AgentKey): Promise<Refused | undefined> => {
      if (hello.kind === 'cluster') {
        const decision = leaves.authorize(hello, key);
        if ('refused' in decision) return decision.refused;
        take = (tunnel) => leaves.admit(tunnel, decision.leaf, address);
        return undefined;
      }
      const decision = await authorize(hello, key, address).catch((error: unknown) => {
        log.error({ error }, 'agents cannot be looked up');
        return { refused: STORE_DOWN };
      });
      if ('refused' in decision) return decision.refused;
      take = (tunnel) => admit(tunnel, decision.agent, address);
      return undefined;
    };
    try {
      const { socket, head } = takeUpgrade();
      const tunnel = await acceptTunnel(request.raw, socket, head, {
        authorize: async (hello, key) => (await decide(hello, key)) ?? { accept: true },
        // Behind a proxy that ends TLS, agent and gateway do not share a connection a proof could be tied to.
        binding: config.proxy.behind ? 'none' : 'auto',
        isAudience: (audience) => isOwnAudience(config, audience, asked),
        log,
        now: () => performance.now(),
        signal: leaving.signal,
      });
      await take!(tunnel).catch(async (error: unknown) => {
        await tunnel.close('the gateway cannot take agents now', { retry: true });
        throw error;
      });
    } catch (error) {
      // Past the upgrade there is nobody left to answer by HTTP; the socket is closed or closing.
      const expected = error instanceof TunnelError;
      log[expected ? 'debug' : 'error']({ error: expected ? messageOf(error) : error, address }, 'agent not let in');
    } finally {
      release();
    }
  });
}
