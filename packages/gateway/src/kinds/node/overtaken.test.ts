import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { nodeRoutes } from '@gatehouse/contract/kinds/node/nodes';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type IdentityGateway, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import { meanwhile } from '../../../testing/meanwhile.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';
import { hostKeyLine, newHostKey } from '../../../testing/test-host.ts';
import { findResource, putResources, type Resource } from '../../inventory/resource-store.ts';

const clusterId = '-current-';
const KEY = hostKeyLine(newHostKey());

let gateway: IdentityGateway;
let kim: TestBrowser;
let id: string;

const place = () => ({ cluster: 'localhost', kind: 'node', id }) as const;
const stored = async () => (await findResource(gateway.storage.db, place()))!;
/** Somebody else changes the server after a call of kim's found it. */
const overtaken = (change: (held: Resource) => Partial<Resource>, verb = 'update') =>
  meanwhile(gateway, { user: 'kim', verb }, async (tx) => {
    const held = (await findResource(tx, place()))!;
    await putResources(tx, [{ ...held, ...change(held) }], 0);
  });
const edit = (body: object) => call(kim.send, nodeRoutes.update, { params: { clusterId, id }, body });
const setHostKeys = (hostKeys: string[]) =>
  call(kim.send, nodeRoutes.setHostKeys, { params: { clusterId, id }, body: { hostKeys } });

beforeEach(async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('admin', { roles: ['editor'] });
  const admin = await gateway.signedIn('admin');
  const rule = `{resources: [node], verbs: [list, update, delete], where: 'equals(resource.metadata.labels["env"], "dev")'}`;
  const content = `kind: role\nversion: v6\nmetadata: {name: keeper}\nspec: {allow: {rules: [${rule}]}}\n`;
  await call(admin.send, roleRoutes.create, { body: { content } });
  await gateway.addUser('kim', { roles: ['keeper'] });
  kim = await gateway.signedIn('kim');
  const body = { name: 'web-1', addr: '10.0.0.9:22', labels: { env: 'dev' }, hostKeys: [hostKeyLine(newHostKey())] };
  id = (await call(admin.send, nodeRoutes.add, { params: { clusterId }, body })).node.id;
});
afterEach(() => gateway.close());

test('what a change does not name stays as somebody else has made it meanwhile', async () => {
  const given = { labels: { env: 'dev', team: 'blue' } };
  const other = overtaken(({ spec }) => ({ ...given, spec: { ...(spec as object), hostKeys: [KEY] } }));

  const { node } = await edit({ name: 'web-2' });
  await other.committed();

  expect(await stored()).toMatchObject({ name: 'web-2', ...given, spec: { hostKeys: [KEY] } });
  expect(node.tags).toContainEqual({ name: 'team', value: 'blue' });
});

test.each([
  ['changed', () => edit({ labels: { env: 'dev', mine: 'yes' } }), 'update'],
  ['pinned', () => setHostKeys([KEY]), 'update'],
  ['removed', () => call(kim.send, nodeRoutes.remove, { params: { clusterId, id } }), 'delete'],
])('one that left the reach of a rule meanwhile is not %s by it', async (_, act, verb) => {
  const other = overtaken(() => ({ labels: { env: 'prod' } }), verb);

  await expect(act()).rejects.toMatchObject({ status: 404 });
  await other.committed();

  const left = await stored();
  expect(left.labels).toEqual({ env: 'prod' });
  expect(left.spec).not.toMatchObject({ hostKeys: [KEY] });
});

test.each([
  ['keys', () => setHostKeys([KEY])],
  ['address', () => edit({ addr: '10.0.0.7:22' })],
])(
  'other %s are compared with what is there: a machine that was moved meanwhile is looked at again',
  async (_, act) => {
    const other = overtaken(({ spec }) => ({ spec: { ...(spec as object), addr: '10.0.0.8:22' } }));

    await expect(act()).rejects.toMatchObject({ status: 409 });
    await other.committed();

    expect((await stored()).spec).toMatchObject({ addr: '10.0.0.8:22' });
  },
);
