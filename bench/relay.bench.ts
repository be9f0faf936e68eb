/** What the relay to another cluster adds, beside the same asked there directly in the same run: a list, an echo, a download, and 500 leaves at rest. */
import { type ChildProcess, fork } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { clusterRoutes } from '@gatehouse/contract/console/clusters';
import { nodeRoutes } from '@gatehouse/contract/kinds/node/nodes';
import { trustedClusterRoutes } from '@gatehouse/contract/reach/trusted-clusters/trusted-clusters';
import { TUNNEL_PATH } from '@gatehouse/contract/reach/tunnel/handshake';
import { pathFor } from '@gatehouse/contract/wire/route';
import { startRoot } from '@gatehouse/gateway/testing/relay/trusting-ends';
import { connectTunnel } from '@gatehouse/tunnel/connect-tunnel';
import { agentKeyOf } from '@gatehouse/tunnel/handshake/agent-key';
import { WebSocket } from 'ws';
import { median, verdict } from './bench-frame.ts';
import { wantedPhases } from './wanted-phases.ts';

const PHASES = { list: measureList, stream: measureStreams, far: measureFar, leaves: measureLeaves };
const SERVERS = 50;
const LISTS = 1_000;
/** While the code of both gateways is new, and not yet compiled for what it does. */
const NEW_LISTS = 300;
const ECHOES = 500;
const WARM = 50;
const DOWNLOAD_BYTES = 200_000_000;
const FAR_CALLS = 40;
/** Each way. */
const FAR_MS = 40;
const LEAVES = 500;
const REST_MS = 10_000;
const CSRF = '0'.repeat(64);
const MB = 1e6;

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-relay-bench-'));
const children: ChildProcess[] = [];
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

async function start<T>(file: string, env: Record<string, string> = {}): Promise<{ child: ChildProcess } & T> {
  const child = fork(new URL(file, import.meta.url), { env: { ...process.env, ...env }, execArgv: ['--expose-gc'] });
  children.push(child);
  const [ready] = await once(child, 'message');
  return { child, ...ready };
}

interface Gateway {
  port: number;
  cookie: string;
  bearer: string;
}

async function ask({ port, cookie, bearer }: Gateway, method: string, path: string, body?: object): Promise<string> {
  const headers: OutgoingHttpHeaders = {
    cookie: `session=${cookie}; grv_csrf=${CSRF}`,
    authorization: `Bearer ${bearer}`,
    'x-csrf-token': CSRF,
    ...(body ? { 'content-type': 'application/json' } : {}),
  };
  const call = request({ host: '127.0.0.1', port, method, path, headers, agent });
  call.end(body && JSON.stringify(body));
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  const said = await text(response);
  if (response.statusCode !== 200) throw new Error(`${method} ${path}: ${response.statusCode} ${said}`);
  return said;
}

async function measureList(): Promise<void> {
  const env = (name: string, servers: number) => ({
    BENCH_CLUSTER: name,
    BENCH_SERVERS: String(servers),
    BENCH_DATA: mkdtempSync(join(folder, `${name}-`)),
  });
  const root = await start<Gateway>('relay-gateway.ts', env('home', 0));
  const leaf = await start<Gateway>('relay-gateway.ts', env('east', SERVERS));
  const offer = JSON.parse(await ask(root, 'POST', trustedClusterRoutes.createToken.path, {}));
  const spec = {
    token: offer.token,
    root_key: offer.rootKey,
    web_proxy_addr: `http://127.0.0.1:${root.port}`,
    role_map: [{ remote: '*', local: ['access'] }],
  };
  const content = JSON.stringify({ kind: 'trusted_cluster', version: 'v2', metadata: { name: 'home' }, spec });
  await ask(leaf, 'POST', trustedClusterRoutes.create.path, { content });
  const isUp = async () => JSON.parse(await ask(root, 'GET', clusterRoutes.sites.path))[1]?.status === 'online';
  while (!(await isUp())) await sleep(100);

  const list = (clusterId: string) => pathFor(nodeRoutes.list.path, { clusterId });
  const [direct, relayed]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < LISTS + WARM; turn++)
    for (const [gateway, path, times] of [
      [leaf, list('east'), direct],
      [root, list('east'), relayed],
    ] as const) {
      const from = performance.now();
      const said = await ask(gateway, 'GET', path);
      if (turn >= WARM) times.push(performance.now() - from);
      if (!said.includes(`web-${SERVERS - 1}`)) throw new Error('not all servers are listed');
    }
  const more = median(relayed) - median(direct);
  const moreWhileNew = median(relayed.slice(0, NEW_LISTS)) - median(direct.slice(0, NEW_LISTS));
  process.stdout.write(`     of the first ${NEW_LISTS} lists: ${moreWhileNew.toFixed(2)} ms more\n`);
  verdict(
    `a list of ${SERVERS} servers: ${median(direct).toFixed(2)} ms there, ${more.toFixed(2)} ms more through the relay (p50, at most 3)`,
    more <= 3,
  );
}

async function measureStreams(): Promise<void> {
  const root = await startRoot();
  const leaf = await start<{ port: number; row: Parameters<typeof root.leaves.set>[0][0] }>('relay-leaf.ts');
  root.leaves.set([leaf.row]);
  leaf.child.send({ root: root.port });
  while (root.live.size === 0) await sleep(20);

  const sockets = await Promise.all(
    [`${leaf.port}/v1/sites/-current-/echo`, `${root.port}/v1/sites/east/echo`].map(async (place) => {
      const socket = new WebSocket(`ws://127.0.0.1:${place}`);
      await once(socket, 'open');
      return socket;
    }),
  );
  const times: [number[], number[]] = [[], []];
  for (let turn = 0; turn < ECHOES + WARM; turn++)
    for (const [index, socket] of sockets.entries()) {
      const from = performance.now();
      socket.send('k');
      await once(socket, 'message');
      if (turn >= WARM) times[index]!.push(performance.now() - from);
    }
  for (const socket of sockets) socket.terminate();
  const more = median(times[1]) - median(times[0]);
  verdict(
    `an echo: ${median(times[0]).toFixed(2)} ms there, ${more.toFixed(2)} ms more through the relay (p50, at most 1)`,
    more <= 1,
  );

  const rates: number[] = [];
  for (let turn = 0; turn < 3; turn++) {
    const from = performance.now();
    const call = request({ host: '127.0.0.1', port: root.port, path: `/v1/sites/east/bytes/${DOWNLOAD_BYTES}` }).end();
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    let bytes = 0;
    response.on('data', (piece: Buffer) => {
      bytes += piece.length;
    });
    await once(response, 'end');
    if (bytes !== DOWNLOAD_BYTES) throw new Error(`${bytes} bytes came`);
    rates.push(DOWNLOAD_BYTES / MB / ((performance.now() - from) / 1000));
  }
  verdict(`a download: ${median(rates).toFixed(0)} MB/s through the relay (at least 50)`, median(rates) >= 50);
  leaf.child.send({});
  await root.close();
}

/** A leaf far away: its calls cost one round trip, as they would there. */
async function measureFar(): Promise<void> {
  const root = await startRoot();
  const line = createTcpServer((near) => {
    const far = connect(root.port, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.setNoDelay(true);
      from.on('data', (data) => setTimeout(() => to.destroyed || to.write(data), FAR_MS));
      from.on('error', () => to.destroy()).on('close', () => to.destroy());
    }
  }).listen(0, '127.0.0.1');
  await once(line, 'listening');
  const leaf = await start<{ port: number; row: Parameters<typeof root.leaves.set>[0][0] }>('relay-leaf.ts');
  root.leaves.set([leaf.row]);
  leaf.child.send({ root: (line.address() as AddressInfo).port });
  while (root.live.size === 0) await sleep(20);
  const times: number[] = [];
  for (let turn = 0; turn < FAR_CALLS; turn++) {
    const from = performance.now();
    const call = request({ host: '127.0.0.1', port: root.port, path: '/v1/sites/east/bytes/1000', agent }).end();
    await text(((await once(call, 'response')) as [IncomingMessage])[0]);
    times.push(performance.now() - from);
  }
  const ms = median(times);
  verdict(`a call ${2 * FAR_MS} ms away: ${ms.toFixed(1)} ms (p50, at most ${2 * FAR_MS + 10})`, ms <= 2 * FAR_MS + 10);
  leaf.child.send({});
  line.close();
  await root.close();
}

interface State {
  connected: number;
  bytes: number;
  /** What it has used of the processor: before it looked at its memory, and after. */
  before: number;
  after: number;
}

async function stateOf(child: ChildProcess, message: object = {}): Promise<State> {
  child.send(message);
  return (await once(child, 'message'))[0];
}

async function measureLeaves(): Promise<void> {
  const { child, port } = await start<{ port: number }>('relay-root.ts');
  const keys = Array.from({ length: LEAVES }, () => generateKeyPairSync('ed25519').privateKey);
  const leaves = keys.map((key, index) => ({
    ...{ id: `id-${index}`, name: `leaf-${index}`, key: agentKeyOf(key).publicKey },
    ...{ next: undefined, wants: [], lastSeen: undefined },
  }));
  await stateOf(child, { leaves });
  await sleep(1_000);
  const before = await stateOf(child);
  const quiet = { debug() {}, info() {}, warn() {} };
  const tunnels = keys.map((key, index) =>
    connectTunnel({
      url: `http://127.0.0.1:${port}${TUNNEL_PATH}`,
      key,
      hello: () => ({ kind: 'cluster', version: '0', hostname: 'x', instanceId: `i-${index}`, offers: {} }),
      onStream: (offered) => offered.refuse('not_found', 'nothing'),
      log: quiet,
      now: () => performance.now(),
    }),
  );
  for (let state = before; state.connected < LEAVES; state = await stateOf(child)) await sleep(200);
  await sleep(2_000);
  const after = await stateOf(child);
  await sleep(REST_MS);
  const rested = await stateOf(child);
  const each = (after.bytes - before.bytes) / LEAVES / 1024;
  const share = (rested.before - after.after) / 1000 / REST_MS;
  verdict(`${LEAVES} leaves: ${each.toFixed(1)} KB each (at most 80)`, each <= 80);
  verdict(`${LEAVES} leaves at rest: ${(share * 100).toFixed(2)} % of a core (at most 2)`, share <= 0.02);
  await Promise.all(tunnels.map((tunnel) => tunnel.close({ drainMs: 0 })));
}

try {
  for (const phase of wantedPhases(PHASES)) await PHASES[phase]();
} finally {
  for (const child of children) child.kill();
  agent.destroy();
  rmSync(folder, { recursive: true, force: true });
}
process.exit();
