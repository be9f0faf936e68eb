import { randomUUID } from 'node:crypto';
import type { Kind } from '@gatehouse/contract/kinds/kinds';
import type { ListQuery } from '@gatehouse/contract/wire/paging';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { IdentityGateway } from '../../testing/identity-gateway.ts';
import { PRINT_ENDED, PRINT_STARTED, printTeller } from '../../testing/kinds/print-teller.ts';
import { addSixthKind, SIXTH } from '../../testing/kinds/sixth-kind.ts';
import type { TestAgent } from '../../testing/test-agent.ts';
import type { TestBrowser } from '../../testing/test-browser.ts';
import type { Resource } from '../inventory/resource-store.ts';
import type { KindsDeps } from '../kinds/kinds.ts';
import type { Actor } from '../platform/http/actor.ts';
import type { HostedSession } from '../sessions/host/hosted-session.ts';
import type { SessionEnd } from '../sessions/host/session-store.ts';

const params = { clusterId: '-current-' };
const role = (name: string, allow: string) =>
  `kind: role\nversion: v6\nmetadata: {name: ${name}}\nspec: {allow: {${allow}}}\n`;

/** Read after the row is in the tables. */
const load = async () => ({
  ...(await import('@gatehouse/contract/access/explain/explain')),
  ...(await import('@gatehouse/contract/access/locks/locks')),
  ...(await import('@gatehouse/contract/access/roles/roles')),
  ...(await import('@gatehouse/contract/wire/client')),
  ...(await import('../../testing/identity-gateway.ts')),
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

beforeAll(async () => {
  addSixthKind();
  product = await load();
  Object.assign(product.KIND_DEEDS, { [SIXTH]: ({ audit }: KindsDeps) => ({ audit: printTeller(audit) }) });
  const { call, join, newJoinToken, roleRoutes, startAgent, startIdentityGateway, tunnelUrl } = product;
  gateway = await startIdentityGateway();
  await gateway.addUser('admin', { roles: ['editor'] });
  admin = await gateway.signedIn('admin');
  for (const content of [
    role('clerk', "printer_labels: {floor: '2'}, printer_queues: [ann]"),
    role('porter', "printer_labels: {'*': '*'}"),
  ])
    await call(admin.send, roleRoutes.create, { body: { content } });
  await gateway.setRoles('admin', ['editor', 'porter']);
  await gateway.addUser('ann', { roles: ['clerk'] });
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  const token = await newJoinToken(admin.send, {
    roles: ['Printer' as never],
    offers: { printers: ['laser', 'ink'] } as never,
  });
  const joined = await join(gateway.send, { token, name: 'print-host' });
  const resources = [printer('laser', '2'), printer('ink', '3'), printer('other', '2')];
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

/** A session with the printer, opened by nobody's door: what a kind gets by its row alone. */
async function print(name: string): Promise<HostedSession> {
  const browser = await gateway.signedIn(name);
  const signIns = await gateway.storage.db.selectFrom('sign_in').select('id').where('user', '=', name).execute();
  const signInId = signIns.at(-1)!.id;
  const [row] = await gateway.storage.db.selectFrom('resource').selectAll().where('id', '=', 'laser').execute();
  const { toResource } = await import('../inventory/resource-store.ts');
  const resource = toResource(row!, SIXTH);
  const now = async () => (await gateway.sessions.owner({ user: name, signInId })) as Actor;
  expect(browser.bearer).toBeDefined();
  return await gateway.sessions.open({
    ...{ caller: { username: name, signInId, now }, address: '127.0.0.1', requestId: 'r', call: 'print' },
    ...{ canWait: false, request: randomUUID(), size: { cols: 0, rows: 0 }, agent: undefined, recorded: false },
    action: { type: 'connect', kind: SIXTH, resource, queue: 'ann' } as never,
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
