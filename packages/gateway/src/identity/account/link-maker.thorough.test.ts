/** Links give no more than who made them could give at the moment they are used. */

import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { userRecordRoutes } from '@gatehouse/contract/identity/users/user-records';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type IdentityGateway, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';

let gateway: IdentityGateway;
let root: TestBrowser;
let token: string;
beforeEach(async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('root', { roles: ['editor'] });
  await gateway.addUser('eve', { roles: ['editor', 'access'] });
  await gateway.addUser('ann', { roles: ['access'] });
  root = await gateway.signedIn('root');
  const eve = await gateway.signedIn('eve');
  const made = await call(eve.send, passwordRoutes.createToken, { body: { name: 'ann', type: 'password' } });
  token = made.tokenId;
});
afterEach(() => gateway.close());

const expired = { status: 403, fields: { reason: 'expired' } };
const setRoles = (name: string, roles: string[]) =>
  call(root.send, userRecordRoutes.update, { body: { name, roles, traits: {} } });

async function use() {
  const browser = gateway.browser();
  await browser.open();
  const password = Buffer.from('another password').toString('base64');
  return call(browser.send, passwordRoutes.useToken, { body: { token, password } });
}

test('somebody who later has the name of who made a link did not make it', async () => {
  await call(root.send, userRecordRoutes.remove, { params: { username: 'eve' } });
  gateway.clock.advance(1_000);
  await gateway.addUser('eve', { roles: ['editor', 'access'] });

  const read = call(gateway.browser().send, passwordRoutes.readToken, { params: { tokenId: token } });
  await expect(read).rejects.toMatchObject(expired);
  await expect(use()).rejects.toMatchObject(expired);
});

test.each([
  ['who made it loses the right', () => setRoles('eve', ['access'])],
  ['who it is for becomes more than its maker', becomeMore],
])('a link does nothing when %s while it is being used', async (_, change) => {
  const { hash } = gateway.passwords;
  gateway.passwords.hash = async (plain) => {
    gateway.passwords.hash = hash;
    await change();
    return hash(plain);
  };
  const stored = () =>
    gateway.storage.db.selectFrom('user').select('password_hash').where('name', '=', 'ann').executeTakeFirstOrThrow();
  const before = await stored();

  await expect(use()).rejects.toMatchObject(expired);
  expect(await stored()).toEqual(before);
});

test('a link of who may still make it works', async () => {
  gateway.clock.advance(1_000);
  await expect(use()).resolves.toBeDefined();
});

/** The maker may still change users, and no more than that. */
async function becomeMore() {
  const content =
    'kind: role\nversion: v6\nmetadata: {name: helpdesk}\nspec: {allow: {rules: [{resources: [user], verbs: [list, read, update]}]}}\n';
  await call(root.send, roleRoutes.create, { body: { content } });
  await setRoles('eve', ['helpdesk', 'access']);
  await setRoles('ann', ['editor']);
}

test('a link that a narrowed token made gives no more than the token held, and ends with it', async () => {
  const eve = await gateway.signedIn('eve');
  const { token: secret, id } = await call(eve.send, apiTokenRoutes.create, {
    body: { name: 'ci', scope: { users: ['list', 'read', 'edit'] }, ttlSeconds: 3600 },
  });
  const content =
    'kind: role\nversion: v6\nmetadata: {name: desk}\nspec: {allow: {rules: [{resources: [user], verbs: [list, read]}]}}\n';
  await call(root.send, roleRoutes.create, { body: { content } });
  await gateway.addUser('dan', { roles: ['desk'] });
  await setRoles('eve', ['editor', 'access', 'desk']);
  const script = gateway.browser();
  script.bearer = secret;
  const made = () => call(script.send, passwordRoutes.createToken, { body: { name: 'dan', type: 'password' } });
  const read = (tokenId: string) => call(gateway.browser().send, passwordRoutes.readToken, { params: { tokenId } });

  const first = (await made()).tokenId;
  expect((await read(first)).user).toBe('dan');
  // Eve herself could still make it; her token could not.
  await setRoles('dan', ['desk', 'access']);
  await expect(read(first)).rejects.toMatchObject(expired);
  await setRoles('dan', ['desk']);
  const second = (await made()).tokenId;
  await call(eve.send, apiTokenRoutes.remove, { params: { id } });
  await expect(read(second)).rejects.toMatchObject(expired);
});
