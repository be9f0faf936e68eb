/** Databases that agents reach: offered by them, named to be dialled by them, or looked after by their labels; and agents that mean no good. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { dbFields } from '@gatehouse/contract/kinds/db/db-spec';
import { agentRoutes } from '@gatehouse/contract/reach/agents/agents';
import { diagnosticRoutes } from '@gatehouse/contract/sessions/diagnostics';
import { call } from '@gatehouse/contract/wire/client';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { CLUSTER, type DbWorld, startDbWorld } from '../../../testing/db/db-world.ts';
import { type SecurePostgres, startSecurePostgres } from '../../../testing/db/secure-postgres.ts';
import {
  type JoinedAgent,
  join,
  newJoinToken,
  startAgent,
  type TestAgent,
  tunnelUrl,
} from '../../../testing/test-agent.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';

const SHOP = { params: { ...CLUSTER, name: 'shop' } };
const DEV = { env: ['dev'] };
const SERVICE = { suggested_agent_matcher_labels: DEV };
let postgres: SecurePostgres;
let world: DbWorld;
let tester: TestBrowser;
let agents: TestAgent[];
/** `AGENT tcp:HOST:PORT`. */
let dialled: string[];
beforeAll(async () => {
  postgres = await startSecurePostgres();
});
afterAll(() => postgres?.stop());
beforeEach(async () => {
  world = await startDbWorld(postgres);
  await world.gateway.addUser('tess', { roles: ['dev', 'editor'] });
  tester = await world.gateway.signedIn('tess');
  agents = [];
  dialled = [];
});
afterEach(async () => {
  await Promise.all(agents.map((agent) => agent.close({ drainMs: 0 })));
  await world.close();
});

interface AgentFacts {
  resources?: readonly unknown[];
  databaseMatch?: unknown;
  onDial?: ((target: string) => unknown) | undefined;
}

async function enrol(name: string, token: object, told: AgentFacts = {}): Promise<JoinedAgent & { agent: TestAgent }> {
  const secret = await newJoinToken(world.admin.send, { roles: ['Db'], ...token });
  const joined = await join(world.gateway.send, { token: secret, name });
  const agent = startAgent(joined, {
    ...{ url: tunnelUrl(world.gateway.app), resources: [], onDial: (target) => dialled.push(`${name} ${target}`) },
    ...told,
  });
  agents.push(agent);
  await expect.poll(() => agent.taken.length).toBe(1);
  return { ...joined, agent };
}

const refusals = ({ agent }: { agent: TestAgent }) => agent.taken.at(-1)?.refused.map(({ reason }) => reason);

/** As an agent's file says it. */
const offer = (name: string, more: object = {}, labels: Record<string, string> = { env: 'dev' }) => ({
  ...{ kind: 'db', id: name, name, labels },
  spec: z.object(dbFields).parse({
    ...{ protocol: 'postgres', uri: `localhost:${postgres.port}`, tls: { ca: postgres.ca } },
    ...more,
  }),
});

async function connected(port: number): Promise<Client> {
  const client = new Client({ host: '127.0.0.1', port, user: 'anybody', database: 'anybody' });
  client.on('error', () => {});
  await client.connect();
  return client;
}

async function ask(): Promise<unknown> {
  const { port } = await world.tunnel();
  const client = await connected(port);
  const { rows } = await client.query('select current_user as who');
  await client.end();
  return rows;
}

const change = (body: object) => call(world.admin.send, databaseRoutes.update, { ...SHOP, body });
const stored = () =>
  call(world.admin.send, databaseRoutes.setSecret, {
    params: { ...SHOP.params, dbUser: 'by_scram' },
    body: { password: "pass'word, =n%" },
  });
const tried = () =>
  call(tester.send, diagnosticRoutes.connect, {
    params: CLUSTER,
    body: { resource_kind: 'db', resource_name: 'shop', database_user: 'by_scram' },
  });
const details = () => call(world.admin.send, databaseRoutes.details, SHOP);

test('a database is dialled by the agents that are named, in turn, and by no other', async () => {
  await enrol('edge-1', {});
  const second = await enrol('edge-2', {});
  await enrol('edge-3', SERVICE, { databaseMatch: [DEV] });
  await change({ through: ['edge-1', 'edge-2'] });
  await stored();

  for (let turn = 0; turn < 4; turn++) expect(await ask()).toEqual([{ who: 'by_scram' }]);
  expect(new Set(dialled)).toEqual(
    new Set([`edge-1 tcp:localhost:${postgres.port}`, `edge-2 tcp:localhost:${postgres.port}`]),
  );
  expect((await details()).agents).toEqual([
    { name: 'edge-1', connected: true },
    { name: 'edge-2', connected: true },
  ]);

  await second.agent.close({ drainMs: 0 });
  await expect.poll(async () => (await details()).agents[1]?.connected).toBe(false);
  dialled.length = 0;
  for (let turn = 0; turn < 2; turn++) expect(await ask()).toEqual([{ who: 'by_scram' }]);
  expect(new Set(dialled)).toEqual(new Set([`edge-1 tcp:localhost:${postgres.port}`]));
});

test('without names it is dialled by the agents that look after its labels, else by the gateway', async () => {
  expect(await ask()).toEqual([{ who: 'by_scram' }]);
  expect(dialled).toEqual([]);
  const service = await enrol('service', SERVICE, { databaseMatch: [DEV] });
  await enrol(
    'elsewhere',
    { suggested_agent_matcher_labels: { env: ['prod'] } },
    { databaseMatch: [{ env: ['prod'] }] },
  );

  expect(await ask()).toEqual([{ who: 'by_scram' }]);
  expect(dialled).toEqual([`service tcp:localhost:${postgres.port}`]);
  expect(await call(world.admin.send, databaseRoutes.services, { params: CLUSTER })).toMatchObject({
    items: [
      { name: 'elsewhere', resource_matchers: [{ labels: { env: 'prod' } }] },
      { name: 'service', resource_matchers: [{ labels: { env: 'dev' } }], gatehouse: { connected: true } },
    ],
  });
  expect((await call(world.ann.send, databaseRoutes.services, { params: CLUSTER })).items).toEqual([]);

  // While it is away nobody else dials: what is reached by it may be another in the network of the gateway.
  await service.agent.close({ drainMs: 0 });
  await expect.poll(async () => (await details()).agents).toEqual([{ name: 'service', connected: false }]);
  await expect(ask()).rejects.toThrow('no agent that reaches it is connected');
  await call(world.admin.send, agentRoutes.remove, { params: { id: 'service' } });
  expect(await ask()).toEqual([{ who: 'by_scram' }]);
});

test.each([
  ['labels that its token does not name', { suggested_agent_matcher_labels: { env: ['prod'] } }, [{ '*': ['*'] }], []],
  ['anything, with a token that names nothing', {}, [DEV], [expect.stringContaining('names no labels of databases')]],
  ['anything, without the role', { roles: ['Node'] }, [DEV], [expect.stringContaining('does not let it look after')]],
  ['something that cannot be read', SERVICE, 'junk', [expect.stringContaining('malformed')]],
  ['too much', SERVICE, Array(65).fill(DEV), [expect.stringContaining('malformed')]],
])('an agent that says it looks after %s is asked for nothing', async (_what, token, databaseMatch, told) => {
  const posing = await enrol('posing', token, { databaseMatch });

  expect(refusals(posing)).toEqual(told);
  expect(await ask()).toEqual([{ who: 'by_scram' }]);
  expect(dialled).toEqual([]);
});

test('a database that several agents offer is one, and its name is theirs', async () => {
  const token = { offers: { databases: ['far*'] }, group: 'edge' };
  await enrol('edge-1', token, { resources: [offer('far')] });
  await enrol('edge-2', token, { resources: [offer('far')] });
  const { items } = await call(world.ann.send, databaseRoutes.list, { params: CLUSTER, query: {} as never });

  expect(items.map(({ name, gatehouse }) => [name, gatehouse?.source, gatehouse?.ways, gatehouse?.connected])).toEqual([
    ['far', 'agent', 2, 2],
    ['shop', 'entered', 0, 0],
  ]);
  const body = { name: 'far', protocol: 'postgres' as const, uri: 'db.inside' };
  await expect(call(world.admin.send, databaseRoutes.add, { params: CLUSTER, body })).rejects.toThrow(
    "the name 'far' belongs to a database that an agent offers",
  );
  await expect(
    call(world.admin.send, databaseRoutes.update, { params: { ...CLUSTER, name: 'far' }, body: { readOnly: false } }),
  ).rejects.toThrow('change or remove it in the configuration of those agents');

  for (const agent of agents) await agent.close({ drainMs: 0 });
  const listed = async () =>
    (await call(world.admin.send, databaseRoutes.names, { params: CLUSTER })).map(({ offered }) => offered);
  await expect.poll(listed, { timeout: 20_000 }).toEqual([false]);
  await expect(call(world.admin.send, databaseRoutes.add, { params: CLUSTER, body })).rejects.toThrow(
    'gatehouse db free far',
  );
  await call(world.admin.send, databaseRoutes.free, { params: { ...CLUSTER, name: 'far' } });
  expect(await call(world.admin.send, databaseRoutes.add, { params: CLUSTER, body })).toMatchObject({ name: 'far' });
});

test('agents offer no names but those of their tokens, none that is entered, and nothing that leads the gateway astray', async () => {
  const refused = await enrol(
    'posing',
    { offers: { databases: ['far*', 'shop'] } },
    {
      resources: [
        offer('near'),
        offer('shop'),
        offer('far-password', { signIn: 'password' }),
        offer('far-insecure', { tls: { mode: 'insecure' } }),
        offer('far-any', { tls: { mode: 'verify-ca', ca: postgres.ca } }),
        offer('far-init', { limits: { initSql: ['set role postgres'] } }),
        offer('far-cloud', { uri: '169.254.169.254:5432' }),
        { ...offer('far-id'), id: 'shop-2' },
        { ...offer('far-junk'), spec: { protocol: 'postgres', uri: 'postgres://u:p@host' } },
        { kind: 'db', id: 5, name: null },
      ],
    },
  );

  expect(refusals(refused)).toEqual([
    expect.stringContaining("does not name the database 'near'"),
    expect.stringContaining("signed in to by 'password'"),
    expect.stringContaining("its TLS is 'insecure'"),
    expect.stringContaining("its TLS is 'verify-ca'"),
    expect.stringContaining("'limits.initSql'"),
    expect.stringContaining('it is never reached'),
    expect.stringContaining('the id of databases is their name'),
    expect.stringContaining('spec.uri'),
    expect.any(String),
    expect.stringContaining('belongs to one that was entered by hand'),
  ]);
  const { items } = await call(world.ann.send, databaseRoutes.list, { params: CLUSTER, query: {} as never });
  expect(items.map(({ name }) => name)).toEqual(['shop']);
});

test('an agent cannot give the database of another name other labels', async () => {
  await change({ uri: 'shop.inside:5432', labels: [{ name: 'env', value: 'prod' }] });
  const posing = await enrol(
    'posing',
    { offers: { databases: ['far*'] } },
    {
      resources: [
        offer('far-same', { uri: 'shop.inside:5432' }),
        // Its certificate proves no port, and the agent dials where it likes.
        offer('far-beside', { uri: 'SHOP.inside:5433' }),
        offer('far-named', { uri: 'alias.inside:5432', tls: { ca: postgres.ca, serverName: 'shop.inside' } }),
      ],
    },
  );

  expect(refusals(posing)).toEqual([
    expect.stringContaining('who may sign in to the one could sign in to the other'),
    expect.stringContaining('who may sign in to the one could sign in to the other'),
    expect.stringContaining('who may sign in to the one could sign in to the other'),
  ]);
});

test('an agent that dials something else gives no session: the certificate tells', async () => {
  const other = await startSecurePostgres();
  onTestFinished(() => other.stop());
  await enrol('edge', SERVICE, { databaseMatch: [DEV], onDial: () => other.port });

  await expect(ask()).rejects.toThrow('vouches for it');
});

test.each([
  ['sends junk', (socket: Socket) => socket.end(Buffer.alloc(64 * 1024, 0xff))],
  ['hangs up', (socket: Socket) => socket.destroy()],
])('an agent that %s gives no session, and the gateway goes on', async (_what, answer) => {
  const server = createServer((socket) => {
    socket.on('error', () => {}).resume();
    answer(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  await enrol('edge', SERVICE, { databaseMatch: [DEV], onDial: () => port });

  await expect(ask()).rejects.toThrow();
  expect(await tried()).toMatchObject({ success: false });
  expect(await call(world.ann.send, databaseRoutes.get, SHOP)).toMatchObject({ name: 'shop' });
});

test('a session ends with its reason when its agent is locked, and nobody comes in by it again', async () => {
  const { name } = await enrol('edge', SERVICE, { databaseMatch: [DEV] });
  const { port } = await world.tunnel();
  const client = await connected(port);
  const ended = client.query('select pg_sleep(600)').catch((error: unknown) => error);
  await expect.poll(() => dialled.length).toBe(1);
  await call(world.admin.send, lockRoutes.create, {
    params: CLUSTER,
    body: { targets: { agent: name }, message: '' },
  });

  expect(await ended).toBeInstanceOf(Error);
  const told = async () => (await world.gateway.events()).filter(({ code }) => code === 'TDB01I').length;
  await expect.poll(told).toBe(1);
  await expect(ask()).rejects.toThrow('no agent that reaches it is connected');
});

test('a session says so when its agent is lost', async () => {
  const { agent } = await enrol('edge', SERVICE, { databaseMatch: [DEV] });
  const { port } = await world.tunnel();
  const client = await connected(port);
  const ended = client.query('select pg_sleep(600)').catch((error: unknown) => error);
  await expect.poll(() => dialled.length).toBe(1);
  await agent.close({ drainMs: 0 });

  expect(await ended).toMatchObject({
    code: '57P01',
    message: expect.stringContaining('the agent that it was reached by has gone'),
  });
});

test('a test tells each hop, and what to do where the agent may not dial it', async () => {
  await enrol('edge', SERVICE, { databaseMatch: [DEV] });
  const good = await tried();

  expect(good).toMatchObject({ success: true });
  expect(good.traces?.map(({ details: said }) => said).join('\n')).toContain('through an agent in its network');
  await Promise.all(agents.map((agent) => agent.close({ drainMs: 0 })));
  agents = [];
  await call(world.admin.send, agentRoutes.remove, { params: { id: 'edge' } });
  await enrol('strict', SERVICE, { databaseMatch: [DEV], onDial: undefined });
  const bad = await tried();
  expect(bad.success).toBe(false);
  expect(JSON.stringify(bad.traces)).toContain('allow');
});
