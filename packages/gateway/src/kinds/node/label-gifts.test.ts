import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { nodeRoutes } from '@gatehouse/contract/kinds/node/nodes';
import { call, type Send } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type IdentityGateway, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import { sendTo } from '../../../testing/start-test-gateway.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';
import { hostKeyLine, newHostKey } from '../../../testing/test-host.ts';

const params = { clusterId: '-current-' };
const refused = { status: 403 };
const EVERYTHING = '[{resources: [node], verbs: ["*"]}]';

let gateway: IdentityGateway;
let admin: TestBrowser;

const role = (name: string, spec: string) =>
  call(admin.send, roleRoutes.create, {
    body: { content: `kind: role\nversion: v6\nmetadata: {name: ${name}}\nspec: ${spec}\n` },
  });
async function person(name: string, roles: string[]): Promise<TestBrowser> {
  await gateway.addUser(name, { roles });
  return gateway.signedIn(name);
}
const add = (
  { send }: { send: Send },
  name: string,
  env: string,
  addr = '10.0.0.9:22',
  key = hostKeyLine(newHostKey()),
) => call(send, nodeRoutes.add, { params, body: { name, addr, labels: { env }, hostKeys: [key] } });
const edit = ({ send }: { send: Send }, id: string, body: object) =>
  call(send, nodeRoutes.update, { params: { ...params, id }, body });
const remove = ({ send }: { send: Send }, id: string) => call(send, nodeRoutes.remove, { params: { ...params, id } });

beforeEach(async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('admin', { roles: ['editor'] });
  admin = await gateway.signedIn('admin');
  await role('open', '{allow: {logins: [root], node_labels: {env: open}}}');
  await role('root', `{allow: {logins: [root], node_labels: {env: [open, prod]}, rules: ${EVERYTHING}}}`);
  await gateway.addUser('ann', { roles: ['open'] });
  await add(admin, 'web-1', 'prod');
});
afterEach(() => gateway.close());

test('a narrowed token, which connects nowhere, gives nobody a login, by other labels or by a new server', async () => {
  const rob = await person('rob', ['root']);
  const scope = { nodes: ['list', 'read', 'edit', 'create'] } as never;
  const { token } = await call(rob.send, apiTokenRoutes.create, { body: { name: 'narrow', scope } });
  const narrow = { send: sendTo(gateway.app, { authorization: `Bearer ${token}` }) };

  await expect(edit(narrow, 'web-1', { labels: { env: 'open' } })).rejects.toMatchObject(refused);
  await expect(add(narrow, 'web-2', 'open', '10.0.0.2:22')).rejects.toMatchObject(refused);
  // What gives nothing is still within its scope, and the whole account may give what it has.
  await edit(narrow, 'web-1', { labels: { env: 'prod', team: 'blue' } });
  await add(narrow, 'web-2', 'nobody', '10.0.0.2:22');
  await edit(rob, 'web-1', { labels: { env: 'open' } });
});

test.each([
  ['a second factor', '{options: {require_session_mfa: true}}', 'require_session_mfa'],
  ['a recording or none', '{options: {record_session: {default: strict}}}', 'record_session'],
  [
    'a moderator',
    `{allow: {require_session_join: [{name: two, filter: 'contains(user.spec.roles, "auditor")', kinds: [ssh], modes: [moderator], count: 1}]}}`,
    'require_session_join',
  ],
])('who needs %s there gives the login to nobody who does not', async (_, strict, clause) => {
  await role('strict', strict);
  const held = await person('rob', ['root', 'strict']);

  const message = expect.stringContaining(clause);
  await expect(edit(held, 'web-1', { labels: { env: 'open' } })).rejects.toMatchObject({ ...refused, message });
  await expect(add(held, 'web-2', 'open', '10.0.0.2:22')).rejects.toMatchObject({ ...refused, message });
  await gateway.setRoles('ann', ['open', 'strict']);
  await edit(held, 'web-1', { labels: { env: 'open' } });
});

test('whoever may only add, change and remove servers adds none that somebody could sign in to', async () => {
  await role('keeper', `{allow: {rules: ${EVERYTHING}}}`);
  const kim = await person('kim', ['keeper']);

  await expect(edit(kim, 'web-1', { labels: { env: 'open' } })).rejects.toMatchObject(refused);
  await remove(kim, 'web-1');
  await expect(add(kim, 'web-1', 'open')).rejects.toMatchObject({
    ...refused,
    message: expect.stringContaining("as 'root'"),
  });
  await add(kim, 'web-1', 'nobody');
  // Those who may edit roles could reach it anyway.
  await add(admin, 'web-2', 'open', '10.0.0.2:22');
});

test('another address under labels that are open is another server: it takes what adding that takes', async () => {
  await role('keeper', `{allow: {rules: ${EVERYTHING}}}`);
  await add(admin, 'play', 'open', '10.0.0.2:22');
  const kim = await person('kim', ['keeper']);

  await expect(edit(kim, 'play', { addr: '10.0.0.3:22' })).rejects.toMatchObject(refused);
  await edit(kim, 'web-1', { addr: '10.0.0.3:22' });
  await edit(admin, 'play', { addr: '10.0.0.4:22' });
});

test('removing a server and adding it again gives oneself no more than changing its labels', async () => {
  await role('own', `{allow: {logins: [root], node_labels: {env: open}, rules: ${EVERYTHING}}}`);
  const key = hostKeyLine(newHostKey());
  await add(admin, 'db-1', 'prod', '10.0.0.2:22', key);
  const eve = await person('eve', ['own']);
  await expect(edit(eve, 'db-1', { labels: { env: 'open' } })).rejects.toMatchObject(refused);
  await remove(eve, 'db-1');

  await expect(add(eve, 'db-1', 'open', '10.0.0.2:22')).rejects.toMatchObject(refused);
  await expect(add(eve, 'db-2', 'open', 'db-1.example:22', key)).rejects.toMatchObject(refused);
  // A machine that was never here is hers to add, and does not become that one.
  await add(eve, 'new', 'open', '10.0.0.3:22');
  await expect(edit(eve, 'new', { addr: '10.0.0.2:22' })).rejects.toMatchObject(refused);
  const pinned = call(eve.send, nodeRoutes.setHostKeys, {
    params: { ...params, id: 'new' },
    body: { hostKeys: [key] },
  });
  await expect(pinned).rejects.toMatchObject(refused);

  await add(eve, 'db-1', 'prod', '10.0.0.2:22', key);
  await remove(eve, 'db-1');
  await add(admin, 'db-1', 'open', '10.0.0.2:22', key);
  await remove(eve, 'db-1');
  await add(eve, 'db-1', 'open', '10.0.0.2:22', key);
});

test('pinning another host key frees the old one for no other entry, and takes it back', async () => {
  await role('own', `{allow: {logins: [root], node_labels: {env: open}, rules: ${EVERYTHING}}}`);
  const [key, other] = [hostKeyLine(newHostKey()), hostKeyLine(newHostKey())];
  await add(admin, 'db-1', 'prod', '10.0.0.2:22', key);
  const eve = await person('eve', ['own']);
  const pin = (hostKeys: string[]) =>
    call(eve.send, nodeRoutes.setHostKeys, { params: { ...params, id: 'db-1' }, body: { hostKeys } });
  await pin([other]);

  await expect(add(eve, 'db-2', 'open', 'db-1.example:22', key)).rejects.toMatchObject(refused);
  await remove(eve, 'db-1');
  await expect(add(eve, 'db-2', 'open', 'db-1.example:22', key)).rejects.toMatchObject(refused);
  await add(eve, 'db-1', 'prod', '10.0.0.2:22', key);
  await pin([other]);
  await pin([key]);
});
