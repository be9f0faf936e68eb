/** Holds the tunnels of connected agents: one per agent, the newest; hears their reports, and says when they have gone. */
import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { agentDialRefused } from '@gatehouse/contract/kinds/node/server-events';
import { TCP_PREFIX } from '@gatehouse/contract/reach/agents/targets';
import type { Tunnel } from '@gatehouse/tunnel/gateway-tunnel';
import { StreamRefused, type TunnelEnd } from '@gatehouse/tunnel/tunnel-error';
import type { AccessControl } from '../../../access/create-access.ts';
import type { Announcer } from '../../../inventory/announce.ts';
import type { Audit } from '../../../platform/audit/emit.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import type { Log } from '../../../platform/std/log.ts';
import type { Db } from '../../../platform/storage/tables.ts';
import {
  type Agent,
  currentConnections,
  findAgent,
  noteConnected,
  noteDisconnected,
  noteSeen,
  releaseConnections,
} from '../registry/agent-store.ts';
import type { AgentConnections, OpenOptions } from './agent-connections.ts';
import type { DuplicateAgents } from './duplicate-agents.ts';
import { explainFailure } from './explain-failure.ts';
import type { IngestReport } from './ingest-report.ts';
import { createReportPace } from './report-pace.ts';
import { hearReports } from './report-stream.ts';

/** An agent whose line broke is back within a second; its servers need not blink for that. */
const GRACE_MS = 3_000;
const SEEN_EVERY_MS = 30_000;
export const REMOVED = 'this agent was removed from the cluster';

/** Without the reason, which is for administrators: the machine may be in other hands. */
export const LOCKED = 'this agent is locked';

export interface LiveDeps {
  db: Db;
  access: Pick<AccessControl, 'lockOnAgent'>;
  audit: Audit;
  announcer: Pick<Announcer, 'alive' | 'gone'>;
  takeReport: IngestReport;
  sharedKeys: DuplicateAgents;
  clusterName: string;
  log: Log;
  now: () => number;
  /** How long open streams may go on when this gateway closes. */
  drainMs: number;
}

export interface LiveAgent {
  agent: Agent;
  tunnel: Tunnel;
  /** Named after the gateway: `GATEWAY/CONNECTION`. */
  connection: string;
  address: string;
  connectedAt: number;
  /** Ends the hearing of reports. */
  stop: AbortController;
  reports: Promise<void>;
}

export class LiveAgents implements AgentConnections {
  readonly #deps: LiveDeps;
  readonly #gateway = randomUUID();
  readonly #live = new Map<string, LiveAgent>();
  /** Said farewell, with streams that may end in peace: a lock or a removal ends them as well. */
  readonly #leaving = new Set<LiveAgent>();
  /** Writes that follow the end of a tunnel. */
  readonly #work = new Set<Promise<void>>();
  readonly #seen: NodeJS.Timeout;
  readonly #listeners = new Set<(agentId: string) => void>();
  readonly #pace = createReportPace();
  #closing = false;

  constructor(deps: LiveDeps) {
    this.#deps = deps;
    this.#seen = setInterval(() => {
      if (this.#live.size > 0) this.#follow(noteSeen(deps.db, this.#gateway, deps.now()));
    }, SEEN_EVERY_MS).unref();
  }

  get size(): number {
    return this.#live.size;
  }

  all(): LiveAgent[] {
    return [...this.#live.values()];
  }

  /** Also those that only finish what is open. */
  held(): LiveAgent[] {
    return [...this.#live.values(), ...this.#leaving];
  }

  get(agentId: string): LiveAgent | undefined {
    return this.#live.get(agentId);
  }

  isConnected(agentId: string): boolean {
    return this.#live.has(agentId);
  }

  onConnected(listener: (agentId: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  connectedAt(agentId: string): number | undefined {
    return this.#live.get(agentId)?.connectedAt;
  }

  /** Takes over the tunnel of an agent that was let in. The newest connection is the agent's; the one before is closed. */
  async admit(tunnel: Tunnel, agent: Agent, address: string): Promise<void> {
    const admitted = this.#admit(tunnel, agent, address);
    this.#follow(admitted);
    await admitted;
  }

  async #admit(tunnel: Tunnel, agent: Agent, address: string): Promise<void> {
    const { db, now, announcer, takeReport, log, sharedKeys } = this.#deps;
    const connection = `${this.#gateway}/${randomUUID()}`;
    const known = await noteConnected(db, agent.id, { connection, address, version: tunnel.hello.version, now: now() });
    if (!known) return tunnel.close(REMOVED, { retry: false });
    const stop = new AbortController();
    const live: LiveAgent = {
      agent,
      tunnel,
      connection,
      address,
      connectedAt: now(),
      stop,
      reports: Promise.resolve(),
    };
    const before = this.#live.get(agent.id);
    this.#live.set(agent.id, live);
    if (before) this.#follow(this.#replace(before, live, sharedKeys));
    this.#follow(tunnel.leaving.then((end) => this.#leave(live, end)));
    // Now that changes find it: what changed while it shook hands, for up to ten seconds, was heard by nobody.
    const refused = await this.#decideAgain(live);
    if (refused) return this.#end(live, refused.reason, refused.retry);
    // Lost or followed by another one meanwhile.
    if (this.#live.get(agent.id) !== live) return;
    // Whoever waited for it to be gone for good need not.
    this.#follow(announcer.alive(agent.id));
    const take = takeReport(live);
    live.reports = hearReports({ tunnel, take, agentId: agent.id, pace: this.#pace, log, signal: stop.signal });
    if (this.#closing) this.#farewell(live);
    log.info({ agentId: agent.id, name: agent.name, address, transport: tunnel.transport }, 'agent connected');
    for (const listener of this.#listeners) listener(agent.id);
  }

  /** The agent as it is now, with its roles and labels; or why it may not be here. */
  async #decideAgain(live: LiveAgent): Promise<{ reason: string; retry: boolean } | undefined> {
    const { db, access, clusterName } = this.#deps;
    const found = await findAgent(db, clusterName, live.agent.id);
    if (found?.id !== live.agent.id) return { reason: REMOVED, retry: false };
    live.agent = found;
    const lock = access.lockOnAgent(found);
    return lock && { reason: LOCKED, retry: true };
  }

  async open(agentId: string, target: string, options: OpenOptions = {}): Promise<Duplex> {
    const live = this.#live.get(agentId);
    if (!live) throw await this.#notConnected(agentId);
    const lock = this.#deps.access.lockOnAgent(live.agent);
    if (lock)
      throw new AppError('target_unreachable', `the agent '${live.agent.name}' is locked`, {
        fields: { next: 'ask an administrator to lift the lock' },
      });
    try {
      return await live.tunnel.open(target, options);
    } catch (error) {
      if (error instanceof StreamRefused && error.code === 'not_allowed' && target.startsWith(TCP_PREFIX)) {
        await this.#auditRefusedDial(live, target, error.message, options);
      }
      throw explainFailure(error, live.agent.name);
    }
  }

  async ping(agentId: string): Promise<number> {
    const live = this.#live.get(agentId);
    if (!live) throw await this.#notConnected(agentId);
    return live.tunnel.ping().catch((error: unknown) => {
      throw explainFailure(error, live.agent.name);
    });
  }

  async disconnect(agentId: string, reason: string, { retry = false } = {}): Promise<void> {
    const ended = this.held().filter(({ agent }) => agent.id === agentId);
    await Promise.all(ended.map((live) => this.#end(live, reason, retry)));
  }

  /** Ends one connection, not whichever the agent has by now. */
  async replaced(live: LiveAgent): Promise<void> {
    await this.#end(live, 'the agent connected to another gateway of this cluster', true);
  }

  beginClose(): void {
    if (this.#closing) return;
    this.#closing = true;
    clearInterval(this.#seen);
    for (const live of this.all()) this.#farewell(live);
  }

  async close(): Promise<void> {
    this.beginClose();
    for (const live of this.held()) this.#follow(live.tunnel.close('the gateway is closing', { retry: true }));
    while (this.#work.size > 0) await Promise.all(this.#work);
    await releaseConnections(this.#deps.db, this.#gateway).catch((error: unknown) => {
      this.#deps.log.warn({ error }, 'connections of agents cannot be released');
    });
  }

  async #end(live: LiveAgent, reason: string, retry: boolean): Promise<void> {
    live.stop.abort();
    await live.tunnel.close(reason, { retry });
    await live.reports;
  }

  /** Nothing more is heard from it; sessions that are open have their time. */
  #farewell(live: LiveAgent): void {
    live.stop.abort();
    this.#follow(live.tunnel.close('the gateway is closing', { retry: true, drainMs: this.#deps.drainMs }));
  }

  async #replace(before: LiveAgent, live: LiveAgent, sharedKeys: DuplicateAgents): Promise<void> {
    before.stop.abort();
    try {
      await sharedKeys.watch(before, live);
    } finally {
      // Nobody finds it any more: left open by a store that is away, no lock and no removal would end its streams.
      await before.tunnel.close('the agent connected anew', { retry: true });
    }
  }

  /** Said farewell, closed or lost: from here on it is not connected. */
  async #leave(live: LiveAgent, end: TunnelEnd): Promise<void> {
    const { db, now, announcer, log } = this.#deps;
    const { agent, connection } = live;
    live.stop.abort();
    if (this.#live.get(agent.id) === live) this.#live.delete(agent.id);
    this.#leaving.add(live);
    void live.tunnel.closed.then(() => this.#leaving.delete(live));
    log.info({ agentId: agent.id, name: agent.name, reason: end.reason }, 'agent disconnected');
    await live.reports;
    if (this.#closing) return;
    if (await noteDisconnected(db, agent.id, connection, now())) {
      await announcer.gone(agent.id, end.code === 'closed_by_peer' ? 0 : GRACE_MS);
    } else if (!(await currentConnections(db, [agent.id])).has(agent.id)) {
      // Removed: a report that was under way may have come after that.
      await announcer.gone(agent.id, 0);
    }
  }

  #follow(work: Promise<unknown>): void {
    const followed = work.then(
      () => {},
      (error: unknown) => this.#deps.log.warn({ error }, 'what an agent left cannot be written'),
    );
    this.#work.add(followed);
    void followed.then(() => this.#work.delete(followed));
  }

  async #notConnected(agentId: string): Promise<AppError> {
    const { db, clusterName } = this.#deps;
    const agent = await findAgent(db, clusterName, agentId);
    if (!agent) return new AppError('target_unreachable', 'the agent that leads there was removed');
    const seen = agent.lastSeen === undefined ? 'it never was' : `last seen ${new Date(agent.lastSeen).toISOString()}`;
    if (agent.connection === '') {
      const words = `the agent '${agent.name}' is not connected (${seen}): is it running, and can it reach the gateway?`;
      return new AppError('target_unreachable', words);
    }
    // It runs and is connected: starting it would mend nothing.
    const next =
      'open it through the gateway the agent is connected to; let one gateway serve all agents, the balancer sending people and agents to the same one';
    const words = `the agent '${agent.name}' is connected to another gateway of this cluster`;
    return new AppError('target_unreachable', words, { fields: { next } });
  }

  async #auditRefusedDial(live: LiveAgent, target: string, reason: string, { metadata }: OpenOptions): Promise<void> {
    const { db, audit } = this.#deps;
    const { id, name } = live.agent;
    const user = metadata?.user ?? '';
    const fields = { user, host_id: id, node_name: name, target: target.slice(TCP_PREFIX.length), reason };
    const context = metadata?.session === undefined ? {} : { sessionId: metadata.session };
    await db.transaction().execute((tx) => audit.emit(tx, agentDialRefused, fields, context));
  }
}
