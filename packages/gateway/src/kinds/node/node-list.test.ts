import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { nodeRoutes } from '@gatehouse/contract/kinds/node/nodes';
import { call } from '@gatehouse/contract/wire/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type IdentityGateway, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';
import { type NewResource, putResources } from '../../inventory/resource-store.ts';

let gateway: IdentityGateway;
let ann: TestBrowser;

const node = (name: string, labels: Record<string, string>, spec: object, owner = ''): NewResource => ({
  cluster: 'localhost',
  kind: 'node',
  id: `id-of-${name}`,
  name,
  labels,
  spec: { hostname: name, ...spec },
  owner,
  expires: undefined,
});
const plain = (addr: string) => ({ type: 'openssh', addr, hostKeys: [] });

beforeAll(async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('admin', { roles: ['editor'] });
  const admin = await gateway.signedIn('admin');
  const makeRole = (name: string, spec: string) =>
    call(admin.send, roleRoutes.create, {
      body: { content: `kind: role\nversion: v6\nmetadata: {name: ${name}}\nspec: ${spec}\n` },
    });
  await makeRole('dev', '{allow: {logins: [root, ann], node_labels: {env: dev}}}');
  await makeRole('web', '{allow: {logins: [www], node_labels: {app: web}}}');
  await makeRole('no-root', '{deny: {logins: [root], node_labels: {env: secret}}}');
  await gateway.addUser('ann', { roles: ['dev', 'web', 'no-root'] });
  ann = await gateway.signedIn('ann');
  const agent = { type: 'agent', os: 'linux', arch: 'x64', version: '1' };
  await gateway.storage.db
    .transaction()
    .execute((tx) =>
      putResources(
        tx,
        [
          node('alpha', { env: 'dev', app: 'web', 'teleport.internal/place': 'Cellar' }, plain('10.0.0.9:22')),
          node('beta', { app: 'web' }, { ...plain('10.0.0.3:22'), through: 'agent-1' }),
          node('gamma', { env: 'dev' }, { ...agent, logins: ['root', 'ann', 'www'] }, 'id-of-gamma'),
          node('hidden', { env: 'prod' }, plain('10.0.0.1:22')),
          node('secret', { env: 'secret', app: 'web' }, plain('10.0.0.2:22')),
        ],
        0,
      ),
    );
});
afterAll(() => gateway.close());

/** As clients of the wire write it: every name, empty when unused. */
const list = (query: Record<string, string> = {}) =>
  call(ann.send, nodeRoutes.list, {
    params: { clusterId: '-current-' },
    query: {
      searchAsRoles: '',
      limit: '15',
      startKey: '',
      query: '',
      search: '',
      sort: 'hostname:asc',
      ...query,
    } as never,
  });
const names = async (query: Record<string, string>) => (await list(query)).items.map(({ hostname }) => hostname);

test('somebody sees their servers, with the logins they may use on each, and nothing of the others', async () => {
  expect(await list()).toEqual({
    startKey: '',
    totalCount: 3,
    items: [
      {
        id: 'id-of-alpha',
        siteId: 'localhost',
        hostname: 'alpha',
        addr: '10.0.0.9:22',
        tunnel: false,
        tags: [
          { name: 'app', value: 'web' },
          { name: 'env', value: 'dev' },
        ],
        sshLogins: ['ann', 'www'],
        gatehouse: { type: 'openssh', agent: '', os: '', arch: '', version: '', status: 'unknown' },
      },
      {
        id: 'id-of-beta',
        siteId: 'localhost',
        hostname: 'beta',
        addr: '10.0.0.3:22',
        tunnel: true,
        tags: [{ name: 'app', value: 'web' }],
        sshLogins: ['www'],
        gatehouse: { type: 'openssh', agent: 'agent-1', os: '', arch: '', version: '', status: 'unknown' },
      },
      {
        id: 'id-of-gamma',
        siteId: 'localhost',
        hostname: 'gamma',
        addr: '',
        tunnel: true,
        tags: [{ name: 'env', value: 'dev' }],
        sshLogins: ['ann'],
        gatehouse: { type: 'agent', agent: 'id-of-gamma', os: 'linux', arch: 'x64', version: '1', status: 'online' },
      },
    ],
  });
});

test.each([
  [{ search: 'ALPHA' }, ['alpha']],
  [{ search: '10.0.0' }, ['alpha', 'beta']],
  [{ search: 'tunnel' }, ['beta', 'gamma']],
  [{ search: 'cellar' }, ['alpha']],
  [{ search: 'hidden' }, []],
  [{ query: 'labels["env"] == "dev"' }, ['alpha', 'gamma']],
  [{ query: 'labels["env"] != "dev"' }, ['beta']],
  [{ query: 'resource.spec.type == "agent" || name == "alpha"' }, ['alpha', 'gamma']],
  [{ query: 'exists(labels.app)', search: 'id-of-b' }, ['beta']],
  [{ sort: 'address:desc' }, ['alpha', 'beta', 'gamma']],
  [{ sort: 'name:desc', skip: '1' }, ['beta', 'alpha']],
])('%j finds %j', async (query, expected) => {
  expect(await names(query)).toEqual(expected);
});

test('pages follow one another by their keys, and the last has none', async () => {
  const first = await list({ limit: '2' });
  const second = await list({ limit: '2', startKey: first.startKey });

  expect(first.items.map(({ hostname }) => hostname)).toEqual(['alpha', 'beta']);
  expect(second.items.map(({ hostname }) => hostname)).toEqual(['gamma']);
  expect([first.totalCount, second.totalCount, second.startKey]).toEqual([3, 3, '']);
});

test.each([
  [{ query: 'labels.env = "dev"' }, 'query cannot be read at character 12: = "dev"'],
  [{ sort: 'name:up' }, "sort must end with :asc or :desc, not ':up'"],
  [{ limit: '0' }, 'limit must be a whole number above 0'],
  [{ startKey: 'x' }, 'the start key is not one that was given out'],
])('%j is refused: %s', async (query, message) => {
  await expect(list(query)).rejects.toMatchObject({ code: 'bad_request', message: expect.stringContaining(message) });
});

test('one server is found by its id or name, and only by those who see it', async () => {
  const get = (id: string, clusterId = 'localhost') => call(ann.send, nodeRoutes.get, { params: { clusterId, id } });

  expect(await get('alpha')).toEqual(await get('id-of-alpha'));
  await expect(get('hidden')).rejects.toMatchObject({ code: 'not_found' });
  await expect(get('alpha', 'elsewhere')).rejects.toMatchObject({ code: 'not_found' });
});
