import { randomUUID } from 'node:crypto';
import type { Kind } from '@gatehouse/contract/kinds/kinds';
import type { ListQuery } from '@gatehouse/contract/wire/paging';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { IdentityGateway } from '../../testing/identity-gateway.ts';
import { PRINT_ENDED, PRINT_STARTED, printTeller } from '../../testing/kinds/print-teller.ts';
import { addBareKind, addSixthKind, BARE, SIXTH } from '../../testing/kinds/sixth-kind.ts';
import type { TestAgent } from '../../testing/test-agent.ts';
import type { TestBrowser } from '../../testing/test-browser.ts';
import type { Resource } from '../inventory/resource-store.ts';
import type { KindsDeps } from '../kinds/kinds.ts';
import type { Actor } from '../platform/http/actor.ts';
import type { ConnectionTest } from '../sessions/connection-tests/connection-test.ts';
import type { Steps } from '../sessions/connection-tests/take-steps.ts';
import type { HostedSession } from '../sessions/host/hosted-session.ts';
import type { SessionEnd } from '../sessions/host/session-store.ts';
import type { Shells } from '../sessions/terminal/shells.ts';

const params = { clusterId: '-current-' };
const role = (name: string, allow: string) =>
  `kind: role\nversion: v6\nmetadata: {name: ${name}}\nspec: {allow: {${allow}}}\n`;

/** Read after the row is in the tables. */
const load = async () => ({
  ...(await import('@gatehouse/contract/access/explain/explain')),
  ...(await import('@gatehouse/contract/access/locks/locks')),
  ...(await import('@gatehouse/contract/access/roles/roles')),
  ...(await import('@gatehouse/contract/audit/tell-event')),
  ...(await import('@gatehouse/contract/sessions/diagnostics')),
  ...(await import('@gatehouse/contract/wire/client')),
  ...(await import('../../testing/identity-gateway.ts')),
  ...(await import('../../testing/sessions/terminal-client.ts')),
  ...(await import('../../testing/test-agent.ts')),
  ...(await import('../inventory/list-kind.ts')),
  ...(await import('../kinds/kinds.ts')),
});
let product: Awaited<ReturnType<typeof load>>;
let gateway: IdentityGateway;
let admin: TestBrowser;
let agent: TestAgent;

const printer = (name: string, floor: string) => ({
  kind: SIXTH,
  id: name,
  name,
  labels: { floor },
  spec: { pages: 3 },
});

const PUMP = { kind: BARE, id: 'well', name: 'well', labels: { floor: '0' }, spec: {} };

const testPrinter = async (steps: Steps, { names }: ConnectionTest) => {
  const told = () => `there is paper for ${names.queue}`;
  await steps.take({ step: 'paper' as never, type: 'CONNECTIVITY', run: () => {}, tell: told });
};

/** A printer has a panel, which greets. */
const printerPanels: Shells = {
  agentOf: () => undefined,
  async open({ action, events, size }) {
    events.begin({ ...size, start: 0, echo: true, program: '' });
    events.output(Buffer.from(`the panel of ${action.resource.name}`));
    return {
      ...{ survives: false, takenBy: () => 0, roundTrip: async () => undefined },
      ...{ input() {}, resize() {}, passed() {}, kept() {}, end() {}, release() {} },
    };
  },
  resume: () => {
    throw new Error('nobody holds it for another gateway');
  },
};

beforeAll(async () => {
  addSixthKind();
  addBareKind();
  product = await load();
  Object.assign(product.KIND_DEEDS, {
    [SIXTH]: ({ audit }: KindsDeps) => ({ audit: printTeller(audit), test: testPrinter, shells: printerPanels }),
    [BARE]: ({ audit }: KindsDeps) => ({ audit: printTeller(audit) }),
  });
  const { call, join, newJoinToken, roleRoutes, startAgent, startIdentityGateway, tunnelUrl } = product;
  gateway = await startIdentityGateway();
  // The ready-made roles alone: who manages a cluster needs none of their own for a new kind.
  await gateway.addUser('admin', { roles: ['editor', 'access'] });
  admin = await gateway.signedIn('admin');
  for (const content of [
    role('clerk', "printer_labels: {floor: '2'}, printer_queues: [ann]"),
    role('porter', "printer_labels: {'*': '*'}"),
    role('plumber', "pump_labels: {'*': '*'}").replace('spec: {', 'spec: {options: {max_connections: 1}, '),
  ])
    await call(admin.send, roleRoutes.create, { body: { content } });
  await gateway.addUser('ann', { roles: ['clerk'] });
  await gateway.addUser('jim', { roles: ['plumber'] });
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  const token = await newJoinToken(admin.send, {
    roles: ['Printer', 'Pump'] as never,
    offers: { printers: ['laser', 'ink'], pumps: ['well'] } as never,
  });
  const joined = await join(gateway.send, { token, name: 'print-host' });
  const resources = [printer('laser', '2'), printer('ink', '3'), printer('other', '2'), PUMP];
  agent = startAgent(joined, { url: tunnelUrl(gateway.app), resources });
});
afterAll(async () => {
  await agent?.close({ drainMs: 0 });
  await gateway?.close();
});

test('an agent offers it where its row and the token say so, and nothing that the token does not name', async () => {
  await expect
    .poll(() => agent.taken.at(0)?.refused, { timeout: SOON_MS })
    .toEqual([{ kind: SIXTH, name: 'other', reason: expect.stringContaining("does not name the printer 'other'") }]);
});

test('the log tells everything that a token lets machines offer', async () => {
  const made = (await gateway.events()).find(({ code }) => code === 'GH200I');

  expect(made?.data).toMatchObject({ offers: { printers: ['laser', 'ink'], pumps: ['well'] } });
});

test('it is listed and counted for who may see it', async () => {
  const { call, explainRoutes } = product;
  const ann = await gateway.signedIn('ann');
  const reach = () => call(ann.send, explainRoutes.reach, { params, body: { user: 'ann', kind: SIXTH } });

  await expect.poll(async () => (await reach()).counts[SIXTH], { timeout: SOON_MS }).toBe(1);
  expect((await reach()).items).toMatchObject([
    { kind: SIXTH, name: 'laser', names: [{ field: 'printer_queues', names: ['ann'] }] },
  ]);
  const { listedByName, listKind } = product;
  const deps = { db: gateway.storage.db, access: gateway.access, clusterName: 'localhost' };
  const subject = { username: 'ann', roles: ['clerk'], traits: {} };
  const actor = { ...subject, acl: gateway.access.aclOf(subject) } as unknown as Actor;
  const query = { limit: 10, sort: 'name:desc' } as ListQuery;
  expect(await listKind(deps, listedByName(SIXTH), actor, query)).toMatchObject({
    items: [{ kind: SIXTH, id: 'laser', name: 'laser', labels: [{ name: 'floor', value: '2' }] }],
    totalCount: 1,
  });
});

test('access to it is explained in its own words', async () => {
  const { call, explainRoutes } = product;
  const ask = (names: object) =>
    call(admin.send, explainRoutes.explain, {
      params,
      body: { user: 'ann', kind: SIXTH as Kind, resource: 'laser', ...names },
    });

  expect((await ask({ queue: 'ann' })).allowed).toBe(true);
  expect(await ask({ queue: 'root' })).toMatchObject({
    allowed: false,
    change: [{ type: 'add-principal', field: 'printer_queues', value: 'root' }],
  });
});

test('a name of another kind is refused, with those that it has', async () => {
  const { call, explainRoutes } = product;
  const ask = (kind: Kind, resource: string) =>
    call(admin.send, explainRoutes.explain, { params, body: { user: 'ann', kind, resource, login: 'root' } });

  await expect(ask(SIXTH, 'laser')).rejects.toThrow("'login' is not asked of printers: there it is queue, tray");
  await expect(ask(BARE, 'well')).rejects.toThrow("'login' is not asked of pumps: one connects there under no name");
});

test('who may connect under any name is answered where there are no names', async () => {
  const { call, explainRoutes } = product;
  const ask = (user: string) =>
    call(admin.send, explainRoutes.explain, { params, body: { user, kind: BARE, resource: 'well', anyName: true } });

  await expect.poll(async () => (await ask('admin')).allowed, { timeout: SOON_MS }).toBe(true);
  expect(await ask('ann')).toMatchObject({ allowed: false, asked: 'connect under any name' });
});

const print = (name: string) => open(name, SIXTH, 'laser', { queue: 'ann' });
const pump = (name: string) => open(name, BARE, 'well', {});

/** A session opened by nobody's door: what a kind gets by its row alone. */
async function open(name: string, kind: Kind, id: string, names: object): Promise<HostedSession> {
  const browser = await gateway.signedIn(name);
  const signIns = await gateway.storage.db.selectFrom('sign_in').select('id').where('user', '=', name).execute();
  const signInId = signIns.at(-1)!.id;
  const [row] = await gateway.storage.db.selectFrom('resource').selectAll().where('id', '=', id).execute();
  const { toResource } = await import('../inventory/resource-store.ts');
  const resource = toResource(row!, kind);
  const now = async () => (await gateway.sessions.owner({ user: name, signInId })) as Actor;
  expect(browser.bearer).toBeDefined();
  return await gateway.sessions.open({
    ...{ caller: { username: name, signInId, now }, address: '127.0.0.1', requestId: 'r', call: 'print' },
    ...{ request: randomUUID(), size: { cols: 0, rows: 0 }, agent: undefined, recorded: false },
    action: { type: 'connect', kind, resource, ...names } as never,
    proveFactor: async () => {},
  });
}

const over = (hosted: HostedSession) =>
  new Promise<SessionEnd>((resolve) => void hosted.parts.attach({ onEnd: resolve }));

test('a session with it is opened by its own right, told in its own words, and refused without it', async () => {
  await gateway.addUser('joe', { roles: ['porter'] });

  const hosted = await print('ann');
  await expect(print('joe')).rejects.toThrow("none of your roles lets you connect to 'laser' as 'ann'");

  const told = (await gateway.events()).filter(({ data }) => data.sid === hosted.id).map(({ code }) => code);
  expect(told).toEqual([PRINT_STARTED.code]);
  hosted.finish({ cause: 'closed', message: 'printed' });
  await expect
    .poll(async () => (await gateway.events()).filter(({ data }) => data.sid === hosted.id).map(({ code }) => code))
    .toEqual([PRINT_STARTED.code, PRINT_ENDED.code]);
});

test.each<[string, () => Promise<unknown>, string]>([
  ['its labels leave the role', () => relabel('3'), 'denied'],
  ['what is dialled changes', () => putAgain({ pages: 4 }), 'denied'],
  ['its role is taken away', () => gateway.setRoles('ann', ['editor']), 'denied'],
])('a session with it ends when %s', async (_what, act, cause) => {
  const hosted = await print('ann');
  onTestFinished(async () => {
    await gateway.setRoles('ann', ['clerk']);
    await relabel('2');
  });
  const ended = over(hosted);

  await act();

  expect((await ended).cause).toBe(cause);
});

async function put(change: Partial<Resource>): Promise<void> {
  const { putResources, toResource } = await import('../inventory/resource-store.ts');
  const [row] = await gateway.storage.db.selectFrom('resource').selectAll().where('id', '=', 'laser').execute();
  const resource = { ...toResource(row!, SIXTH), ...change };
  await gateway.storage.db.transaction().execute((tx) => putResources(tx, [resource], gateway.clock.now));
}
const relabel = (floor: string) => put({ labels: { floor } });
const putAgain = (spec: object) => put({ spec });

test('a session with it ends with a lock on it, which names it', async () => {
  const { call, lockRoutes } = product;
  const hosted = await print('ann');
  const ended = over(hosted);

  const body = { targets: { printer: 'laser' } as never, message: '' };
  const { name } = await call(admin.send, lockRoutes.create, { params, body });

  expect(await ended).toMatchObject({ cause: 'locked', message: "the printer 'laser' is locked" });
  await call(admin.send, lockRoutes.remove, { params: { ...params, name } });
  const told = () => gateway.storage.db.selectFrom('event').selectAll().where('session', '=', hosted.id).execute();
  await expect.poll(async () => (await told()).map(({ code }) => code)).toContain(PRINT_ENDED.code);
  const about = (await told()).map(({ resource_kind, resource_name }) => `${resource_kind} ${resource_name}`);
  expect(about).toEqual(about.map(() => 'printer laser'));
});

const tellings = async () => (await gateway.events()).map(({ code, data }) => product.tellEvent({ ...data, code }));

test('a way to it is tested by its own steps and names, and told as its own', async () => {
  const { call, diagnosticRoutes } = product;
  const body = { resource_kind: SIXTH, resource_name: 'laser' };
  const test = (more: object) => call(admin.send, diagnosticRoutes.connect, { params, body: { ...body, ...more } });

  await expect(test({ ssh_principal: 'ann' })).rejects.toThrow("body 'printer_queue': name whom to become");
  expect(await test({ printer_queue: 'ann' })).toMatchObject({
    success: true,
    message: "'ann' can connect to 'laser'",
    traces: [{ details: 'there is paper for ann', gatehouse: { step: 'paper' } }],
  });
  const tried = (await tellings()).find(({ code }) => code === 'GH215I');
  expect(tried).toMatchObject({ subject: { kind: SIXTH, name: 'laser' } });
});

test('whether a second factor is asked there can be asked of any kind', async () => {
  const { call, diagnosticRoutes } = product;
  const ask = (body: object) => call(admin.send, diagnosticRoutes.mfaRequired, { params, body });

  expect(await ask({ pump: { name: 'well' } })).toEqual({ required: false });
  await expect(ask({ pump: { name: 'wall' } })).rejects.toMatchObject({ status: 404 });
  await expect(ask({ pump: { name: 'well' }, app: { name: 'wiki' } })).rejects.toMatchObject({ status: 400 });
});

test('one that a limit turns away is told of the thing itself, with nobody it would have become', async () => {
  const hosted = await pump('jim');
  await expect(pump('jim')).rejects.toThrow();

  const rejected = (await tellings()).find(({ code }) => code === 'T1006W');
  expect(rejected).toMatchObject({ subject: { kind: BARE, name: 'well' } });
  expect(rejected?.message).toMatch(/^jim was not let into the pump well: /);
  hosted.finish({ cause: 'closed', message: '' });
});

test('a terminal on it is opened where it has shells, and refused where it has none', async () => {
  const { connectTerminal, opening, tabOf } = product;
  const terminal = async (name: string, kind: Kind, resource: string) =>
    connectTerminal(tabOf(gateway.app, await gateway.signedIn(name)), { ...opening(resource, 'ann'), kind });

  const panel = await terminal('ann', SIXTH, 'laser');
  await panel.until(/the panel of laser/);
  expect(await panel.state).toMatchObject({ server: { name: 'laser' }, login: 'ann' });
  panel.send({ type: 'end' });
  await panel.closed;
  const none = await terminal('jim', BARE, 'well');
  expect(await none.told('refused')).toMatchObject({ message: 'there are no terminals on pumps' });
});

test('it is locked by its name; a name that is none is told with what was meant', async () => {
  const { call, explainRoutes, lockRoutes } = product;
  const lock = (targets: object) => call(admin.send, lockRoutes.create, { params, body: { targets, message: '' } });

  await expect(lock({ printer: 'lasser' })).rejects.toThrow("there is no printer 'lasser'; did you mean 'laser'?");
  await lock({ printer: 'laser' });
  const body = { user: 'ann', kind: SIXTH, resource: 'laser', queue: 'ann' } as never;
  expect(await call(admin.send, explainRoutes.explain, { params, body })).toMatchObject({
    allowed: false,
    lock: { target: 'printer', targetName: 'laser' },
  });
});
