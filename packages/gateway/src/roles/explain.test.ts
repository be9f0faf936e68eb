import { call } from '@gatehouse/contract/client';
import { lockRoutes } from '@gatehouse/contract/locks/locks';
import { explainRoutes } from '@gatehouse/contract/roles/explain';
import { roleRoutes } from '@gatehouse/contract/roles/roles';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { putResources } from '../inventory/resource-store.ts';
import { type IdentityGateway, startIdentityGateway } from '../testing/identity-gateway.ts';
import type { TestBrowser } from '../testing/test-browser.ts';

const params = { clusterId: '-current-' };

let gateway: IdentityGateway;
let admin: TestBrowser;
beforeEach(async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('admin', { roles: ['editor'] });
  admin = await gateway.signedIn('admin');
  const content =
    'kind: role\nversion: v6\nmetadata: {name: dev}\nspec: {allow: {logins: [root], node_labels: {env: dev}}}\n';
  await call(admin.send, roleRoutes.create, { body: { content } });
  await gateway.addUser('ann', { roles: ['dev'] });
  const node = (id: string, env: string) => ({
    cluster: 'localhost',
    kind: 'node' as const,
    id,
    name: `host-${id}`,
    labels: { env },
    spec: {},
    owner: 'agent',
    expires: undefined,
    searchWords: [],
  });
  await gateway.storage.db.transaction().execute((tx) => putResources(tx, [node('a', 'dev'), node('b', 'prod')], 0));
});
afterEach(() => gateway.close());

const explain = (browser: TestBrowser, resource: string, as = 'root', user = 'ann') =>
  call(browser.send, explainRoutes.explain, { params, body: { user, kind: 'node', resource, as } });
const who = (browser: TestBrowser, resource: string) =>
  call(browser.send, explainRoutes.who, { params, query: { kind: 'node', resource } });

test('why somebody can, and why not, with what would change it', async () => {
  expect(await explain(admin, 'a')).toMatchObject({
    allowed: true,
    reasons: [{ role: 'dev', path: 'spec.allow.node_labels', labels: { env: 'dev' } }],
  });
  expect(await explain(admin, 'b')).toMatchObject({
    allowed: false,
    reasons: [],
    change: [{ type: 'add-label', sentence: "adding 'env: prod' to spec.allow.node_labels of role 'dev'" }],
  });
});

test('who can reach a resource, as whom and by which roles', async () => {
  expect(await who(admin, 'a')).toEqual([{ user: 'ann', names: ['root'], roles: ['dev'] }]);
  expect(await who(admin, 'b')).toEqual([]);
});

test('a lock is told beside what the roles say', async () => {
  await call(admin.send, lockRoutes.create, { params, body: { targets: { login: 'root' }, message: 'no root today' } });

  expect(await explain(admin, 'a')).toMatchObject({ allowed: false, lock: { message: 'no root today' } });
});

test('only those who may read roles and users are answered, and unknown things are not found', async () => {
  const ann = await gateway.signedIn('ann');

  await expect(explain(ann, 'a')).rejects.toMatchObject({ status: 403 });
  await expect(who(ann, 'a')).rejects.toMatchObject({ status: 403 });
  await expect(who(gateway.browser(), 'a')).rejects.toMatchObject({ status: 403 });
  await expect(explain(admin, 'zzz')).rejects.toMatchObject({ status: 404 });
  await expect(explain(admin, 'a', 'root', 'nobody')).rejects.toMatchObject({ status: 404 });
});
