import { once } from 'node:events';
import { connect } from 'node:net';
import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { agentRoutes } from '@gatehouse/contract/reach/agents/agents';
import { joinTokenRoutes } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import { TUNNEL_PATH } from '@gatehouse/contract/reach/tunnel/handshake';
import { call } from '@gatehouse/contract/wire/client';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type IdentityGateway, startIdentityGateway } from '../../../../testing/identity-gateway.ts';
import {
  type JoinedAgent,
  join,
  newAgentKey,
  newJoinToken,
  nodeOf,
  startAgent,
  type TestAgent,
  tunnelUrl,
} from '../../../../testing/test-agent.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';

const clusterId = '-current-';
let gateway: IdentityGateway;
let admin: TestBrowser;
let url: string;
const agents: TestAgent[] = [];
beforeEach(async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('admin', { roles: ['editor'] });
  admin = await gateway.signedIn('admin');
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  url = tunnelUrl(gateway.app);
});
afterEach(async () => {
  await Promise.all(agents.splice(0).map((agent) => agent.close({ drainMs: 0 })));
  await gateway.close();
});

async function joined(name = 'web-1', token: Parameters<typeof newJoinToken>[1] = {}): Promise<JoinedAgent> {
  return join(gateway.send, { token: await newJoinToken(admin.send, token), name });
}

function start(agent: JoinedAgent, options: Partial<Parameters<typeof startAgent>[1]> = {}): TestAgent {
  const started = startAgent(agent, { url, ...options });
  agents.push(started);
  return started;
}

async function connected(name?: string, options: Parameters<typeof start>[1] = {}) {
  const agent = await joined(name);
  const started = start(agent, options);
  await expect.poll(() => started.taken.length, SOON).toBeGreaterThan(0);
  return { agent, started };
}

const list = () => call(admin.send, agentRoutes.list, {});
const nodes = () => gateway.storage.db.selectFrom('resource').selectAll().where('kind', '=', 'node').execute();
const events = async (code: string) =>
  (await gateway.events()).filter((event) => event.code === code).map(({ data }) => data);
const lock = (target: Record<string, string>, message = '') =>
  call(admin.send, lockRoutes.create, { params: { clusterId }, body: { targets: target, message } });
const lastState = ({ states }: TestAgent) => states.at(-1);

/** The inventory writes and sweeps by the second. */
const SOON = { timeout: 5_000 };

describe('a connected agent', () => {
  test.each(['upgrade', 'websocket'] as const)(
    'carries streams over %s and is listed as connected',
    async (transport) => {
      const { agent } = await connected('web-1', { transport });

      const stream = await gateway.connections.open(agent.id, 'echo', { metadata: { user: 'ann' } });
      stream.end('hello');
      const [answer] = await once(stream, 'data');

      expect(String(answer)).toBe('hello');
      expect(await gateway.connections.ping(agent.id)).toBeLessThan(SOON_MS);
      expect(gateway.connections.connectedAt(agent.id)).toBe(gateway.clock.now);
      expect(await list()).toMatchObject([
        {
          id: agent.id,
          name: 'web-1',
          roles: ['Node'],
          fingerprint: expect.stringMatching(/^SHA256:[\w-]{43}$/),
          connected: true,
          joinedBy: 'admin',
          address: '127.0.0.1',
          resources: 1,
        },
      ]);
    },
  );

  test('offers its machine, with the labels of its token over its own', async () => {
    const agent = await joined('web-1', { labels: { env: 'prod' } });
    const labels = { env: 'mine', disk: 'full', 'teleport.internal/resource-id': 'forged' };
    const started = start(agent, { resources: [nodeOf(agent, labels)] });
    await expect.poll(() => started.taken.length, SOON).toBe(1);

    const [node] = await nodes();

    expect(started.taken).toMatchObject([{ seq: 1, refused: [] }]);
    expect(started.taken[0]?.nextMs).toBeGreaterThan(50_000);
    expect(node).toMatchObject({ id: agent.id, name: 'web-1', owner: agent.id });
    const stored: Record<string, string> = JSON.parse(node?.labels ?? '{}');
    expect(stored).toMatchObject({ env: 'prod', disk: 'full' });
    expect(stored['teleport.internal/resource-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('is gone with its servers as soon as it says farewell', async () => {
    const { agent, started } = await connected();

    await started.close();

    await expect.poll(nodes, SOON).toEqual([]);
    expect(gateway.connections.isConnected(agent.id)).toBe(false);
    expect(await list()).toMatchObject([{ connected: false, lastSeen: expect.stringContaining('2026') }]);
  });

  test('is told to come back when the gateway closes', async () => {
    const { started } = await connected();

    await gateway.app.close();

    await expect.poll(() => started.states.some(({ state }) => state === 'waiting'), SOON).toBe(true);
    const waiting = started.states.find(({ state }) => state === 'waiting');
    expect(waiting).toMatchObject({ reason: 'the gateway is closing' });
    const [row] = await gateway.storage.db.selectFrom('agent').select('connection').execute();
    expect(row?.connection).toBe('');
    expect(await nodes()).toHaveLength(1);
  });
});

describe('what cannot be opened is explained', () => {
  const open = (id: string, target: string) =>
    gateway.connections.open(id, target, { metadata: { user: 'ann', session: 's1' } });

  test('an agent that is not connected, or no more', async () => {
    const agent = await joined();

    await expect(open(agent.id, 'echo')).rejects.toMatchObject({
      code: 'target_unreachable',
      message: expect.stringContaining("'web-1' is not connected (it never was)"),
    });
    await expect(open('nobody', 'echo')).rejects.toMatchObject({ message: expect.stringContaining('was removed') });
    await expect(gateway.connections.ping(agent.id)).rejects.toMatchObject({ code: 'target_unreachable' });
  });

  test('an address the agent does not allow, which is audited', async () => {
    const { agent } = await connected();

    await expect(open(agent.id, 'tcp:10.0.0.9:22')).rejects.toMatchObject({
      code: 'denied',
      message: expect.stringContaining("the configuration of the agent 'web-1' does not allow it"),
      cause: { code: 'not_allowed', message: "'tcp:10.0.0.9:22' is not in allow" },
    });

    expect(await events('GH206W')).toMatchObject([
      { user: 'ann', node_name: 'web-1', host_id: agent.id, target: '10.0.0.9:22' },
    ]);
  });

  test('an agent that vanishes while it is asked', async () => {
    const { agent, started } = await connected();

    const opening = open(agent.id, 'never');
    const refused = expect(opening).rejects.toMatchObject({ code: 'target_unreachable', message: /lost/ });
    await new Promise((resolve) => setTimeout(resolve, 50));
    await started.close({ drainMs: 0 });

    await refused;
  });

  test('a caller who gives up hears their own reason', async () => {
    const { agent } = await connected();
    const giveUp = new AbortController();
    const reason = new Error('enough');

    const opening = gateway.connections.open(agent.id, 'never', { signal: giveUp.signal });
    giveUp.abort(reason);

    await expect(opening).rejects.toBe(reason);
  });
});

describe('who is turned away', () => {
  test('a key that never joined is told to stay away, and audited once', async () => {
    for (let again = 0; again < 3; again++) {
      const stranger = start({ id: 'x', name: 'stranger', key: newAgentKey() });
      expect(await stranger.closed).toMatchObject({
        code: 'refused',
        retry: false,
        reason: expect.stringContaining('no agent has this key'),
      });
    }

    expect(await events('GH203W')).toMatchObject([{ node_name: 'stranger', 'addr.remote': '127.0.0.1' }]);
  });

  test('a removed agent is disconnected at once, what it offered is gone, and its key opens nothing', async () => {
    const { agent, started } = await connected();

    await call(admin.send, agentRoutes.remove, { params: { id: 'web-1' } });

    expect(await started.closed).toMatchObject({ retry: false, reason: expect.stringContaining('removed') });
    expect(await nodes()).toEqual([]);
    expect(await list()).toEqual([]);
    expect(await start(agent).closed).toMatchObject({ code: 'refused', retry: false });
    expect(await events('GH205I')).toMatchObject([{ user: 'admin', name: 'web-1', host_id: agent.id }]);
    await expect(call(admin.send, agentRoutes.remove, { params: { id: agent.id } })).rejects.toMatchObject({
      status: 404,
    });
  });

  test.each(['name', 'id'] as const)('a lock by %s ends the tunnel soon and keeps it out', async (by) => {
    const { agent, started } = await connected();
    const opened = await gateway.connections.open(agent.id, 'echo');
    const ended = new Promise((resolve) => opened.on('error', () => {}).on('close', resolve));
    const began = performance.now();

    const { name } = await lock({ agent: agent[by] }, 'stolen');

    await ended;
    expect(performance.now() - began).toBeLessThan(SOON_MS);
    expect(gateway.connections.isConnected(agent.id)).toBe(false);
    await expect
      .poll(() => lastState(started))
      .toMatchObject({
        state: 'waiting',
        reason: 'the gateway refused this agent: this agent is locked',
        retryInMs: 30_000,
      });
    expect(await events('GH203W')).toMatchObject([{ node_name: 'web-1', reason: 'this agent is locked' }]);
    await call(admin.send, lockRoutes.remove, { params: { clusterId, name } });
    const again = start(agent);
    await expect.poll(() => lastState(again)?.state, SOON).toBe('connected');
  });

  test('who says the wrong host, or is a page of another site, does not get as far as a proof', async () => {
    const { key } = await joined();
    const elsewhere = start(
      { id: 'x', name: 'x', key },
      { url: url.replace('127.0.0.1', '127.0.0.2'), transport: 'upgrade' },
    );
    const upgrade = { connection: 'upgrade', upgrade: 'websocket', 'sec-websocket-protocol': 'tunnel.1' };
    const ask = (headers: Record<string, string>) =>
      fetch(url, { headers: { ...headers } }).then(({ status }) => status);

    expect(await ask({})).toBe(400);
    expect(await gateway.app.inject({ url: TUNNEL_PATH, headers: { host: 'evil.example', ...upgrade } })).toMatchObject(
      {
        statusCode: 403,
      },
    );
    await expect.poll(() => lastState(elsewhere)?.state, SOON).toBe('waiting');
  });
});

test('connections that prove nothing keep their own address waiting, no longer than they last', async () => {
  const { port, pathname } = new URL(url);
  const idle = () => {
    const socket = connect(Number(port), '127.0.0.1').on('error', () => {});
    socket.write(
      `GET ${pathname} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nconnection: upgrade\r\nupgrade: tunnel/1\r\n\r\n`,
    );
    return socket;
  };
  const gauges = async () => {
    const text = await gateway.registry.metrics();
    return ['handshakes', 'waiting'].map((name) =>
      Number(new RegExp(`^gatehouse_tunnel_${name} (\\d+)$`, 'm').exec(text)?.[1]),
    );
  };
  const held = Array.from({ length: 64 }, idle);
  await expect.poll(gauges, SOON).toEqual([64, 0]);
  const waiting = Array.from({ length: 20 }, idle);
  await expect.poll(gauges, SOON).toEqual([64, 20]);

  for (const socket of waiting) socket.destroy();
  const started = start(await joined());
  await expect.poll(gauges, SOON).toEqual([64, 21]);
  for (const socket of held) socket.destroy();

  await expect.poll(() => started.taken.length, SOON).toBe(1);
  await expect.poll(gauges, SOON).toEqual([0, 0]);
});

describe('one agent, two connections', () => {
  test('the newer one counts, whether it is the same process or another', async () => {
    // Neither comes back while we look, however busy the machine is: two that push each other out are the next test's.
    const patient = { backOff: { baseMs: 60_000, capMs: 60_000 }, random: () => 0.99 };
    const { agent, started } = await connected('web-1', { instanceId: 'one', ...patient });

    const second = start(agent, { instanceId: 'two', ...patient });
    await expect.poll(() => second.taken.length, SOON).toBe(1);

    await expect
      .poll(() => lastState(started), SOON)
      .toMatchObject({ state: 'waiting', reason: 'the agent connected anew' });
    expect(gateway.connections.isConnected(agent.id)).toBe(true);
    await expect.poll(nodes, SOON).toHaveLength(1);
    expect(await list()).toMatchObject([{ connected: true }]);
    expect(await events('GH207W')).toEqual([]);
  });

  test('two processes that push each other out are told of, once', async () => {
    const { agent } = await connected('web-1', { instanceId: 'one' });
    const refusals = async () => {
      const { token } = await gateway.storage.db
        .selectFrom('join_token')
        .select('id as token')
        .executeTakeFirstOrThrow();
      return (await call(admin.send, joinTokenRoutes.progress, { params: { id: token } })).refused;
    };
    expect(await refusals()).toEqual([]);
    start(agent, { instanceId: 'two' });

    await expect.poll(() => events('GH207W'), SOON).toHaveLength(1);
    // Whoever waits for the copy, which is never refused, hears of it too.
    await expect.poll(refusals, SOON).toMatchObject([
      {
        ...{ name: 'web-1', address: '127.0.0.1', next: 'sudo sh /opt/gatehouse-agent/uninstall.sh' },
        reason: expect.stringMatching(/^two machines use the key of 'web-1', from 127\.0\.0\.1 and 127\.0\.0\.1/),
      },
    ]);
    await new Promise((resolve) => setTimeout(resolve, 500));

    const told = await events('GH207W');
    expect(told).toHaveLength(1);
    expect(told).toMatchObject([{ host_id: agent.id, node_name: 'web-1', addresses: ['127.0.0.1', '127.0.0.1'] }]);
  });

  test('joining again with the same key and a new token counts at once', async () => {
    const { agent, started } = await connected();
    const token = await newJoinToken(admin.send, { labels: { env: 'stage' } });

    const again = await join(gateway.send, { token, name: 'web-1', key: agent.key });

    expect(again.id).toBe(agent.id);
    await expect.poll(() => started.taken.length, SOON).toBe(2);
    await expect.poll(async () => JSON.parse((await nodes())[0]?.labels ?? '{}'), SOON).toMatchObject({ env: 'stage' });
  });
});

describe('what an agent may not report', () => {
  test('another id, another name, another kind and nonsense are refused by name; the rest is taken', async () => {
    const { agent, started } = await connected();
    const own = nodeOf(agent);
    const offered = [
      { ...own, id: 'other-agent' },
      { ...own, name: 'db-1' },
      { ...own, kind: 'printer' },
      own,
      own,
      { ...own, labels: { bad: 'line\nbreak' } },
      'nonsense',
    ];

    await started.report(offered);
    await started.report(offered);

    expect(started.taken.at(-1)?.refused.map(({ name, reason }) => `${name}: ${reason}`)).toEqual([
      "web-1: it reports for 'other-agent', which is not this agent",
      "db-1: the name of this agent is 'web-1'; it joined under it",
      expect.stringContaining('web-1: kind: '),
      'web-1: it is reported twice',
      'web-1: labels.bad: holds control characters',
      expect.stringContaining(': '),
    ]);
    expect((await nodes()).map(({ id, name }) => [id, name])).toEqual([[agent.id, 'web-1']]);
    expect(await events('GH204W')).toHaveLength(6);
  });

  test('a token for applications does not let a machine be a server', async () => {
    const agent = await joined('app-1', { roles: ['App'] });
    const started = start(agent);

    await expect
      .poll(() => started.taken.at(-1)?.refused)
      .toEqual([{ kind: 'node', name: 'app-1', reason: expect.stringContaining('does not let it offer a node') }]);
    expect(await nodes()).toEqual([]);
  });

  test('saying that it is alive is answered with when to say so again', async () => {
    const { started } = await connected();

    await started.report();

    expect(started.taken.at(-1)).toMatchObject({ seq: 2, refused: [] });
  });
});
