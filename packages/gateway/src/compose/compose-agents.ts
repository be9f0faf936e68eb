/** Puts the parts of the tunnels together: the door, the connected agents, what they report, and what ends them. */
import type { FastifyInstance } from 'fastify';
import { Gauge, type Registry } from 'prom-client';
import type { AccessControl } from '../access/create-access.ts';
import { createAuthorizeAgent } from '../doors/agent-tunnel/authorize-agent.ts';
import { createHandshakeSlots } from '../doors/agent-tunnel/handshake-limiter.ts';
import { type DoorDeps, serveTunnels } from '../doors/agent-tunnel/tunnel-door.ts';
import type { Announcer } from '../inventory/announce.ts';
import type { Audit } from '../platform/audit/emit.ts';
import type { ChangeFeed } from '../platform/change-feed/change-feed.ts';
import type { GatewayConfig } from '../platform/config/resolve.ts';
import type { Log } from '../platform/std/log.ts';
import { isPostgres } from '../platform/storage/named-lock.ts';
import type { Db } from '../platform/storage/tables.ts';
import { releaseConnections } from '../reach/agents/registry/agent-store.ts';
import type { AgentConnections } from '../reach/agents/tunnels/agent-connections.ts';
import { createDuplicateAgents } from '../reach/agents/tunnels/duplicate-agents.ts';
import { createIngestReport, type IngestReportDeps } from '../reach/agents/tunnels/ingest-report.ts';
import { LiveAgents } from '../reach/agents/tunnels/live-agents.ts';
import { watchAgents } from '../reach/agents/tunnels/watch-agents.ts';

export interface TunnelDeps {
  config: Pick<GatewayConfig, 'listen' | 'publicAddr' | 'proxy' | 'clusterName' | 'drainSeconds'>;
  db: Db;
  feed: Pick<ChangeFeed, 'subscribe'>;
  access: Pick<AccessControl, 'lockOnAgent' | 'onChange'>;
  audit: Audit;
  announcer: Announcer;
  kinds: IngestReportDeps['kinds'];
  leaves: DoorDeps['leaves'];
  registry: Registry;
  log: Log;
  now: () => number;
}

/** Call it before the application is ready. */
export async function openTunnels(app: FastifyInstance, deps: TunnelDeps): Promise<AgentConnections> {
  const { config, db, feed, access, audit, announcer, registry, log, now } = deps;
  const { clusterName } = config;
  // A gateway that is alone on its store knows that nobody holds an agent before it does.
  if (!isPostgres(db)) await releaseConnections(db, undefined);
  const live = new LiveAgents({
    db,
    access,
    audit,
    announcer,
    takeReport: createIngestReport({ db, audit, announcer, kinds: deps.kinds, now }),
    sharedKeys: createDuplicateAgents({ db, audit, now }),
    clusterName,
    log,
    now,
    drainMs: config.drainSeconds * 1000,
  });
  const slots = createHandshakeSlots();
  const authorize = createAuthorizeAgent({ db, access, audit, clusterName, now });
  serveTunnels(app, {
    config,
    authorize,
    slots,
    admit: (tunnel, agent, address) => live.admit(tunnel, agent, address),
    leaves: deps.leaves,
    log,
  });
  const stopWatching = watchAgents({ db, feed, access, live, log });
  app.addHook('onClose', async () => stopWatching());
  measure(registry, {
    gatehouse_agents_connected: ['Agents connected to this gateway.', () => live.size],
    gatehouse_tunnel_handshakes: ['Agents on their way in that have not proved themselves yet.', () => slots.taken],
    gatehouse_tunnel_waiting: ['Agents in line for that.', () => slots.inLine],
  });
  return live;
}

function measure(registry: Registry, gauges: Record<string, [help: string, read: () => number]>): void {
  for (const [name, [help, read]] of Object.entries(gauges)) {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  }
}
