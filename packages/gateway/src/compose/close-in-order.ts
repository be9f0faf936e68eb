/**
 * How a gateway stops: nothing new, then what agents keep is let go of, then people have their time, then the rest is ended.
 * One hook, because in which order it happens is what counts: a tunnel waits for its streams, and those end with sessions.
 */
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Drain } from '../platform/std/drain.ts';
import type { Log } from '../platform/std/log.ts';
import type { AgentConnections } from '../reach/agents/tunnels/agent-connections.ts';
import type { LinkedClusters } from './compose-clusters.ts';
import type { Files } from './compose-files.ts';
import type { Sessions } from './compose-sessions.ts';
import { waitForPeople } from './wait-for-people.ts';

/** For last words to arrive, and for answers that are being sent. */
const LAST_WORDS_MS = 1_000;

export interface ClosingDeps {
  drain: Drain;
  agents: AgentConnections;
  clusters: Pick<LinkedClusters, 'beginClose' | 'close'>;
  sessions: Sessions;
  files: Files;
  /** What is open through them is cut. */
  doors: readonly { close(): void }[];
  log: Log;
}

/** Call it before sockets are opened: what ends with the gateway is told before they close. */
export function closeInOrder(app: FastifyInstance, deps: ClosingDeps): void {
  const { drain, agents, clusters, sessions, files, doors, log } = deps;
  const connections = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
  });
  app.addHook('preClose', async () => {
    drain.begin();
    agents.beginClose();
    clusters.beginClose();
    await sessions.letGo();
    await waitForPeople({ ...sessions, files: files.sessions, drain, log });
    files.sessions.close();
    for (const door of doors) door.close();
    await sessions.close();
    await agents.close();
    await clusters.close();
    // Whoever does not take the end as told, or takes an answer byte by byte, does not keep the gateway.
    const force = () => {
      for (const socket of connections) socket.destroy();
    };
    const timer = setTimeout(force, Math.max(LAST_WORDS_MS, drain.peopleMs())).unref();
    app.server.once('close', () => clearTimeout(timer));
  });
}
