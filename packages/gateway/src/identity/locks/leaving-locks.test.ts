import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { nodeRoutes } from '@gatehouse/contract/kinds/node/nodes';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type IdentityGateway, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import { join, newAgentKey, newJoinToken } from '../../../testing/test-agent.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';
import { hostKeyLine, newHostKey } from '../../../testing/test-host.ts';
import { findAgent } from '../../reach/agents/registry/agent-store.ts';
import { requireStillCalled } from './known-target.ts';

const clusterId = '-current-';
const ADDR = '10.0.0.9:22';

let gateway: IdentityGateway;
let admin: TestBrowser;
let kim: TestBrowser;
let id: string;

const edit = ({ send }: TestBrowser, body: object) =>
  call(send, nodeRoutes.update, { params: { clusterId, id }, body });
const remove = ({ send }: TestBrowser) => call(send, nodeRoutes.remove, { params: { clusterId, id } });
const setHostKeys = ({ send }: TestBrowser) =>
  call(send, nodeRoutes.setHostKeys, {
    params: { clusterId, id },
    body: { hostKeys: [hostKeyLine(newHostKey())] },
  });
const lock = (targets: Record<string, string>, ttlSeconds?: number) =>
  call(admin.send, lockRoutes.create, {
    params: { clusterId },
    body: { targets, message: '', force: true, ...(ttlSeconds === undefined ? {} : { ttlSeconds }) } as never,
  });
const lift = (name: string) => call(admin.send, lockRoutes.remove, { params: { clusterId, name } });

beforeEach(async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('admin', { roles: ['editor'] });
  admin = await gateway.signedIn('admin');
  const rules = '[{resources: [node], verbs: ["*"]}]';
  const content = `kind: role\nversion: v6\nmetadata: {name: keeper}\nspec: {allow: {logins: [root], node_labels: {env: dev}, rules: ${rules}}}\n`;
  await call(admin.send, roleRoutes.create, { body: { content } });
  await gateway.addUser('kim', { roles: ['keeper'] });
  kim = await gateway.signedIn('kim');
  const body = { name: 'web-1', addr: ADDR, labels: { env: 'dev' }, hostKeys: [hostKeyLine(newHostKey())] };
  id = (await call(admin.send, nodeRoutes.add, { params: { clusterId }, body })).node.id;
});
afterEach(() => gateway.close());

test('a server does not leave a lock by another name, whoever gives it, until the lock is lifted or has run out', async () => {
  const { name } = await lock({ node: 'web-1' });
  const refused = { status: 409, message: expect.stringContaining('locked by its name') };

  for (const who of [kim, admin]) {
    await expect(edit(who, { name: 'web-2' })).rejects.toMatchObject(refused);
    await expect(edit(who, { name: 'WEB-1' })).rejects.toMatchObject(refused);
    await expect(edit(who, { name: 'web-2', dryRun: true })).rejects.toMatchObject(refused);
  }
  await edit(kim, { name: 'web-1', labels: { env: 'dev', team: 'blue' } });
  await lift(name);
  await edit(kim, { name: 'web-2' });
  await lock({ node: 'web-2' }, 60);
  gateway.clock.advance(60_001);
  await edit(kim, { name: 'web-3' });
});

test('a lock by id holds whatever the name is', async () => {
  await lock({ node: id });
  await edit(admin, { name: 'web-2' });

  const resource = { id, name: 'web-2', labels: { env: 'dev' }, owner: '' };
  const action = { type: 'connect', kind: 'node', resource, login: 'root' } as const;
  expect(gateway.access.lockFor({ username: 'kim', roles: ['keeper'] }, action)).toBeDefined();
});

test.each([
  ['its name', () => 'web-1'],
  ['its id', () => id],
])('a server that is locked by %s is not made another one by who may not lift the lock', async (_, target) => {
  const { name } = await lock({ node: target() });

  await expect(edit(kim, { addr: '10.0.0.7:22' })).rejects.toMatchObject({ status: 403 });
  await expect(setHostKeys(kim)).rejects.toMatchObject({ status: 403 });
  await expect(remove(kim)).rejects.toMatchObject({ status: 403 });
  await setHostKeys(admin);
  await lift(name);
  await edit(kim, { addr: '10.0.0.7:22' });
  await remove(kim);
});

test('a database that is locked is neither moved nor removed by who may not lift the lock', async () => {
  const rules = '[{resources: [db, db_server], verbs: ["*"]}]';
  const content = `kind: role\nversion: v6\nmetadata: {name: db-keeper}\nspec: {allow: {db_labels: {env: dev}, db_users: [app], db_names: [shop], rules: ${rules}}}\n`;
  await call(admin.send, roleRoutes.create, { body: { content } });
  await gateway.addUser('dee', { roles: ['db-keeper'] });
  const { send } = await gateway.signedIn('dee');
  const labels = [{ name: 'env', value: 'dev' }];
  const body = { name: 'shop', protocol: 'postgres' as const, uri: 'db.example.com', labels };
  await call(admin.send, databaseRoutes.add, { params: { clusterId }, body });
  const { name } = await lock({ database: 'shop' });
  const params = { clusterId, name: 'shop' };
  const move = () => call(send, databaseRoutes.update, { params, body: { uri: 'other.example.com' } });

  await call(send, databaseRoutes.update, { params, body: { description: 'locked' } });
  await expect(move()).rejects.toMatchObject({ status: 403, message: expect.stringContaining("'shop' is locked") });
  await expect(call(send, databaseRoutes.remove, { params })).rejects.toMatchObject({ status: 403 });
  await lift(name);
  await move();
  await call(send, databaseRoutes.remove, { params });
});

test.each(['agent', 'node'])(
  'a machine that joins again does not leave a lock on its %s by another name',
  async (kind) => {
    const key = newAgentKey();
    const joined = await join(gateway.send, { token: await newJoinToken(admin.send), name: 'edge', key });
    const { name } = await lock({ [kind]: 'edge' });
    const again = async () => join(gateway.send, { token: await newJoinToken(admin.send), name: 'other', key });

    await expect(again()).rejects.toMatchObject({ status: 409 });
    expect(await findAgent(gateway.storage.db, 'localhost', joined.id)).toMatchObject({ name: 'edge' });
    await lift(name);
    expect((await again()).id).toBe(joined.id);
  },
);

test('a lock is not made on a name that its server has given up since it was looked for', async () => {
  const made = (name: string) =>
    gateway.storage.db.transaction().execute((tx) => requireStillCalled(tx, 'localhost', { kind: 'node', name }));
  await edit(kim, { name: 'web-2' });

  await expect(made('web-1')).rejects.toMatchObject({ code: 'conflict' });
  await made('web-2');
  await made(id);
});
