import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { nodeRoutes } from '@gatehouse/contract/kinds/node/nodes';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type IdentityGateway, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';
import { type NewResource, putResources } from '../../inventory/resource-store.ts';

let gateway: IdentityGateway;
let admin: TestBrowser;

const node = (name: string, labels: Record<string, string>, owner = ''): NewResource => ({
  cluster: 'localhost',
  kind: 'node',
  id: `id-of-${name}`,
  name,
  labels,
  spec:
    owner === ''
      ? { type: 'openssh', hostname: name, addr: '10.0.0.9:22', hostKeys: [] }
      : { type: 'agent', hostname: name, os: '', arch: '', version: '' },
  owner,
  expires: undefined,
});
const role = (name: string, spec: string) =>
  call(admin.send, roleRoutes.create, {
    body: { content: `kind: role\nversion: v6\nmetadata: {name: ${name}}\nspec: ${spec}\n` },
  });

beforeEach(async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('admin', { roles: ['editor', 'access'] });
  admin = await gateway.signedIn('admin');
  await role('dev', '{allow: {logins: [www], node_labels: {env: dev}}}');
  await role('ops', '{allow: {logins: [root], node_labels: {env: prod}}}');
  const rules = '[{resources: [node], verbs: ["*"]}]';
  await role('keeper', `{allow: {logins: [www], node_labels: {env: dev}, rules: ${rules}}}`);
  await gateway.addUser('ann', { roles: ['dev'] });
  await gateway.addUser('ops', { roles: ['ops'] });
  await gateway.addUser('kim', { roles: ['keeper'] });
  await gateway.storage.db
    .transaction()
    .execute((tx) =>
      putResources(
        tx,
        [node('web-1', { env: 'dev', 'teleport.internal/id': 'x' }), node('web-9', {}), node('joined', {}, 'a-1')],
        0,
      ),
    );
});
afterEach(() => gateway.close());

const edit = (browser: TestBrowser, body: object, id = 'web-1') =>
  call(browser.send, nodeRoutes.update, { params: { clusterId: '-current-', id }, body });
const read = (name = 'web-1') => call(admin.send, nodeRoutes.get, { params: { clusterId: '-current-', id: name } });

test('who gains and who loses by other labels is told before anything changes, and again when it does', async () => {
  const labels = { env: 'prod' };
  const effects = {
    items: [
      { user: 'ann', gained: [], lost: ['www'] },
      { user: 'kim', gained: [], lost: ['www'] },
      { user: 'ops', gained: ['root'], lost: [] },
    ],
    hidden: 0,
  };
  expect((await edit(admin, { labels, dryRun: true })).effects).toEqual(effects);
  expect((await read()).tags).toEqual([{ name: 'env', value: 'dev' }]);

  expect((await edit(admin, { labels })).effects).toEqual(effects);
  expect((await read()).tags).toEqual([{ name: 'env', value: 'prod' }]);
  const stored = await gateway.storage.db
    .selectFrom('resource')
    .select('labels')
    .where('id', '=', 'id-of-web-1')
    .execute();
  // What the gateway gave stays.
  expect(stored[0]?.labels).toContain('teleport.internal/id');
  const event = (await gateway.events()).find(({ code }) => code === 'GH217I');
  expect(event).toMatchObject({ user: 'admin', data: { name: 'web-1', labels: { env: 'prod' } } });
});

test('name and address change, and a name that is taken is refused', async () => {
  const { node: changed } = await edit(admin, { name: 'web-2', addr: '10.0.0.7:2222' });
  expect(changed).toMatchObject({ id: 'id-of-web-1', hostname: 'web-2', addr: '10.0.0.7:2222' });
  await expect(edit(admin, { name: 'web-9' }, 'web-2')).rejects.toMatchObject({ status: 409 });
  await expect(edit(admin, { addr: '169.254.169.254:22' }, 'web-2')).rejects.toMatchObject({ status: 400 });
});

test('nobody gives by labels what they do not have there, to themselves or to others', async () => {
  const kim = await gateway.signedIn('kim');
  await expect(edit(kim, { labels: { env: 'prod' } })).rejects.toMatchObject({ status: 403 });
  await expect(edit(kim, { labels: { env: 'prod' }, dryRun: true })).rejects.toMatchObject({ status: 403 });
  await expect(edit(kim, { labels: { env: 'dev' } }, 'web-9')).rejects.toMatchObject({ status: 403 });
  // What takes away, or changes nothing for anybody, is theirs to do; of whom it concerns they hear a number.
  expect((await edit(kim, { labels: { env: 'dev', team: 'blue' } })).effects).toEqual({ items: [], hidden: 0 });
  expect((await edit(kim, { labels: {} })).effects).toEqual({ items: [], hidden: 2 });
});

test('what an agent announces, hidden labels, and whoever has no right are refused', async () => {
  await expect(edit(admin, { name: 'x' }, 'joined')).rejects.toMatchObject({ status: 400 });
  await expect(edit(admin, { labels: { 'teleport.internal/x': 'y' } })).rejects.toMatchObject({ status: 400 });
  await expect(edit(await gateway.signedIn('ann'), { name: 'x' })).rejects.toMatchObject({ status: 403 });
});
