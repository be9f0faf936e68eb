/** A root and a leaf joined by a real tunnel on loopback. Who trusts whom is kept in memory, and passports are plain words. */
import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { agentKeyOf } from '@gatehouse/tunnel/handshake/agent-key';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { ownerAcl } from '../../src/access/create-access.ts';
import { createHandshakeSlots } from '../../src/doors/agent-tunnel/handshake-limiter.ts';
import { serveTunnels } from '../../src/doors/agent-tunnel/tunnel-door.ts';
import { createMetrics } from '../../src/platform/health/metrics.ts';
import type { Actor } from '../../src/platform/http/actor.ts';
import type { Clusters } from '../../src/platform/http/cluster.ts';
import { openRelayedDoor, type RelayedDoor } from '../../src/platform/http/relayed-door.ts';
import { createServer } from '../../src/platform/http/server.ts';
import { openSocketDoor } from '../../src/platform/http/socket-door.ts';
import { AppError } from '../../src/platform/std/app-error.ts';
import type { ClusterNews } from '../../src/platform/std/news-line.ts';
import { authorizeLeaf } from '../../src/reach/leaf-clusters/authorize-leaf.ts';
import { type DialledRoots, dialRoots } from '../../src/reach/leaf-clusters/dial-roots.ts';
import type { KnownLeaf, KnownRoot } from '../../src/reach/leaf-clusters/known-clusters.ts';
import { createClusters } from '../../src/reach/leaf-clusters/leaf-relay.ts';
import { LiveLeaves } from '../../src/reach/leaf-clusters/live-leaves.ts';

const log = pino({ level: 'silent' });
const BACK_OFF = { baseMs: 10, capMs: 50 };

export function actor(username: string): Actor {
  return {
    username,
    signInId: `s-${username}`,
    signInKind: 'browser',
    roles: [],
    traits: {},
    authType: 'local',
    acl: ownerAcl(),
    address: '203.0.113.7',
  };
}

function plainApp(): FastifyInstance {
  const { metrics } = createMetrics({ version: 'test', processMetrics: 'none' });
  return createServer({ log, metrics, trustedProxies: [], strictTransport: false });
}

class Rows<Row> {
  rows: Row[] = [];
  readonly #listeners = new Set<() => void>();
  all = () => this.rows;
  onChange = (listener: () => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };
  set(rows: Row[]): void {
    this.rows = rows;
    for (const listener of this.#listeners) listener();
  }
}

export interface RootEnd {
  app: FastifyInstance;
  port: number;
  leaves: Rows<KnownLeaf>;
  live: LiveLeaves;
  clusters: Clusters;
  /** What was written of leaves that came and went. */
  told: string[];
  noted: string[];
  close(): Promise<void>;
}

export async function startRoot(
  options: { news?: Pick<ClusterNews, 'withLeaf'>; graceMs?: number } = {},
): Promise<RootEnd> {
  const app = plainApp();
  const leaves = new Rows<KnownLeaf>();
  const told: string[] = [];
  const noted: string[] = [];
  const trust = {
    leaves: {
      any: () => leaves.rows.length > 0,
      byId: (id: string) => leaves.rows.find((leaf) => leaf.id === id),
      byKey: (key: string) => leaves.rows.find((leaf) => leaf.key === key || leaf.next === key),
      find: (name: string) => leaves.rows.find((leaf) => leaf.name === name),
      onChange: leaves.onChange,
    },
    passportFor: async ({ username }: Actor, { id }: Pick<KnownLeaf, 'id'>) => `${username}@${id}`,
    vouch: () => 'a word',
    noteLeaf: async (id: string) => void noted.push(id),
    noteLeft: async (id: string) => void noted.push(`${id} left`),
  };
  const live = new LiveLeaves({
    trust,
    news: options.news,
    tell: async ({ name, connected, reason = '' }) =>
      void told.push(connected ? `${name} connected` : `${name} gone: ${reason}`),
    log,
    now: Date.now,
    drainMs: 0,
    graceMs: options.graceMs ?? 50,
  });
  const sockets = openSocketDoor(app);
  serveTunnels(app, {
    config: { listen: { host: '127.0.0.1', port: 0 }, publicAddr: undefined, proxy: { behind: false, trusted: [] } },
    authorize: async () => ({
      refused: { accept: false, code: 'unknown_agent', reason: 'no agents here', retry: false },
    }),
    slots: createHandshakeSlots(),
    admit: async () => {},
    leaves: {
      authorize: (hello, key) => authorizeLeaf(trust, hello, key),
      admit: (tunnel, leaf, address) => live.admit(tunnel, leaf, address),
    },
    log,
  });
  const clusters = createClusters({ own: 'root', trust, live });
  app.all(
    '/v1/sites/:clusterId/*',
    {
      onRequest: async (request, reply) => {
        const { clusterId } = request.params as { clusterId: string };
        const who = actor('ann');
        const found = await clusters.find(clusterId, who);
        if (found?.is !== 'leaf') throw new AppError('not_found', 'no leaf');
        await found.leaf.forward({ request, reply, url: request.url.replace(`/${clusterId}/`, '/-current-/') }, who);
      },
    },
    async () => 'served at the root',
  );
  sockets.add('/v1/sites/:clusterId/echo', async (request, accept) => {
    const { clusterId } = request.params as { clusterId: string };
    const who = actor('ann');
    const found = await clusters.find(clusterId, who);
    const socket = await accept();
    socket.pause();
    if (found?.is !== 'leaf') return socket.terminate();
    await found.leaf.forwardSocket(
      { socket, active() {}, request, url: request.url.replace(`/${clusterId}/`, '/-current-/') },
      who,
    );
    socket.resume();
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    app,
    port: (app.server.address() as AddressInfo).port,
    leaves,
    live,
    clusters,
    told,
    noted,
    async close() {
      await live.close();
      await app.close();
    },
  };
}

export interface LeafEnd {
  key: KeyObject;
  row: KnownLeaf;
  trusts: Rows<KnownRoot>;
  ended: string[];
  door: RelayedDoor;
  roots: DialledRoots;
  close(): Promise<void>;
}

export interface LeafOptions {
  name: string;
  addRoutes?(app: FastifyInstance): void;
  news?: Pick<ClusterNews, 'withRoot'>;
  admitted?: readonly string[];
  /** Another gateway of a leaf that is there. */
  of?: Pick<LeafEnd, 'key'>;
}

/** Dials nothing before it is told which roots there are. */
export async function startLeaf({ name, addRoutes, news, of, admitted = ['ann'] }: LeafOptions): Promise<LeafEnd> {
  const app = plainApp();
  addRoutes?.(app);
  const door = openRelayedDoor(app, { origin: () => 'http://leaf.example:3080', cluster: name });
  await app.ready();
  const privateKey = of?.key ?? generateKeyPairSync('ed25519').privateKey;
  const { publicKey } = agentKeyOf(privateKey);
  const row: KnownLeaf = { id: `id-${name}`, name, key: publicKey, next: undefined, wants: [], lastSeen: undefined };
  const trusts = new Rows<KnownRoot>();
  const ended: string[] = [];
  const roots = dialRoots({
    trust: {
      gatewayId: randomUUID(),
      trusts,
      keys: { now: async () => ({ current: { publicKey } }), sign: async (bytes) => sign(null, bytes, privateKey) },
      async admit(passport, trust) {
        const [user = '', id] = passport.split('@');
        if (id !== row.id || !admitted.includes(user))
          throw new AppError('denied', `none of your roles is mapped in '${name}'`);
        return { trust, username: `${trust}/${user}`, signInId: `${trust}-${user}`, address: '203.0.113.7' };
      },
      noteRoot: async (trust, reason) => {
        ended.push(`${trust}: ${reason}`);
        trusts.set(trusts.rows.map((each) => (each.name === trust ? { ...each, ended: reason } : each)));
      },
    },
    door,
    news,
    log,
    now: Date.now,
    drainMs: 0,
    backOff: BACK_OFF,
  });
  return {
    key: privateKey,
    row,
    trusts,
    ended,
    door,
    roots,
    async close() {
      await roots.close();
      door.close();
      await app.close();
    },
  };
}

/** Between two ends: a line that can be cut. */
export async function startLine(port: number): Promise<{ port: number; cut(): void; close(): void; server: Server }> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy()).on('close', () => other.destroy());
      socket.pipe(other);
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  return {
    port: (server.address() as AddressInfo).port,
    server,
    cut,
    close() {
      cut();
      server.close();
    },
  };
}
