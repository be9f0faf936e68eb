import type { Kind } from '@gatehouse/contract/kinds/kinds';
import type { ListQuery } from '@gatehouse/contract/wire/paging';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { IdentityGateway } from '../../testing/identity-gateway.ts';
import { addSixthKind, SIXTH } from '../../testing/kinds/sixth-kind.ts';
import type { TestAgent } from '../../testing/test-agent.ts';
import type { TestBrowser } from '../../testing/test-browser.ts';
import type { Actor } from '../platform/http/actor.ts';

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
