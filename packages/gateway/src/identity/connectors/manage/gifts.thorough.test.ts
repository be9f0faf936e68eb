/** Whoever opens a way into an account has what its provider gives it, now or later: they must be able to give that themselves. */
import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { oidcConnectorRoutes } from '@gatehouse/contract/identity/connectors/connectors';
import { identityRoutes } from '@gatehouse/contract/identity/connectors/identities';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { userRecordRoutes } from '@gatehouse/contract/identity/users/user-records';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ANN, type SsoGateway, startSsoGateway } from '../../../../testing/connectors/sso-gateway.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';

let gateway: SsoGateway;
let hal: TestBrowser;

const HELPS = '{rules: [{resources: [user, lock], verbs: ["*"]}]}';
const role = (name: string, allow: string) =>
  `{kind: role, version: v6, metadata: {name: ${name}}, spec: {allow: ${allow}}}`;
const mapping = (...entries: [string, string[]][]) => ({
  claims_to_roles: entries.map(([value, roles]) => ({ claim: 'groups', value, roles })),
});
const link = (browser: TestBrowser, username: string, subject: string) =>
  call(browser.send, identityRoutes.link, { params: { username }, body: { connector: 'okta', subject } });
const makeLink = (browser: TestBrowser, name: string, type: 'password' | 'invite' = 'password') =>
  call(browser.send, passwordRoutes.createToken, { body: { name, type } });
const update = (spec: Record<string, unknown>) =>
  call(gateway.admin.send, oidcConnectorRoutes.update, {
    params: { name: 'okta' },
    body: { content: gateway.document(spec) },
  });

async function redeem(token: string) {
  const browser = gateway.browser();
  await browser.open();
  const password = Buffer.from('another password').toString('base64');
  return call(browser.send, passwordRoutes.useToken, { body: { token, password } });
}

beforeEach(async () => {
  gateway = await startSsoGateway({ accounts: { ann: ANN } });
  for (const content of [role('plain', '{node_labels: {env: dev}, logins: [deploy]}'), role('helping', HELPS)])
    await call(gateway.admin.send, roleRoutes.create, { body: { content } });
  await gateway.addUser('hal', { roles: ['plain', 'helping'] });
  hal = await gateway.signedIn('hal');
});
afterEach(() => gateway.close());

const MORE = mapping(['staff', ['plain']], ['boss', ['editor']]);
const NO_MORE = mapping(['staff', ['plain']]);
const refused = { code: 'denied', message: expect.stringMatching(/through 'okta'.*role 'editor'/) };

test('nobody links a subject to an account of theirs where the connector could give it more than they hold', async () => {
  await gateway.save(MORE);
  await gateway.addUser('puppet', { roles: ['plain'] });

  await expect(link(hal, 'puppet', 'boss')).rejects.toMatchObject(refused);
  await expect(link(hal, 'hal', 'boss')).rejects.toMatchObject(refused);
  expect(await link(gateway.admin, 'puppet', 'boss')).toMatchObject({ subject: 'boss' });
});

test('what they could give themselves, they link', async () => {
  await gateway.save(NO_MORE);
  await gateway.addUser('puppet', { roles: ['plain'] });

  expect(await link(hal, 'puppet', 'ann')).toMatchObject({ subject: 'ann' });
});

test('nobody deletes somebody whom their provider could make more', async () => {
  await gateway.save(MORE);
  await gateway.signIn(gateway.browser(), 'ann');
  const remove = ({ send }: TestBrowser) =>
    call(send, userRecordRoutes.remove, { params: { username: 'ann@acme.example' } });

  await expect(remove(hal)).rejects.toMatchObject(refused);
  await remove(gateway.admin);
});

test.each([
  ['a role that the provider names', { claims_to_roles: [{ claim: 'groups', value: '^(.*)$', roles: ['$1'] }] }],
  ['traits', { ...NO_MORE, traits: [{ from: 'groups', to: 'logins' }] }],
])('nor where it could give %s', async (_, spec) => {
  await gateway.save(spec);
  await gateway.addUser('puppet', { roles: ['plain'] });

  await expect(link(hal, 'puppet', 'boss')).rejects.toMatchObject({
    code: 'denied',
    message: expect.stringContaining("through 'okta'"),
  });
});

test.each(['password', 'invite'] as const)(
  'nobody makes a link (%s) for somebody whom their provider could give more tomorrow',
  async (type) => {
    await gateway.save(MORE);
    await gateway.signIn(gateway.browser(), 'ann');

    await expect(makeLink(hal, 'ann@acme.example', type)).rejects.toMatchObject(refused);
    expect(await makeLink(gateway.admin, 'ann@acme.example', type)).toBeDefined();
  },
);

test('nor while the provider has taken everything back', async () => {
  await gateway.save(MORE);
  await gateway.signIn(gateway.browser(), 'ann');
  await update({ ...MORE, enabled: false });

  await expect(makeLink(hal, 'ann@acme.example')).rejects.toMatchObject(refused);
});

test('a link that was made before opens nothing once the connector gives more, or the account is linked to one that does', async () => {
  await gateway.save(NO_MORE);
  await gateway.signIn(gateway.browser(), 'ann');
  await gateway.addUser('puppet', { roles: ['plain'] });
  const [ofAnn, ofPuppet] = [await makeLink(hal, 'ann@acme.example'), await makeLink(hal, 'puppet')];
  await update(MORE);
  await link(gateway.admin, 'puppet', 'boss');

  for (const { tokenId } of [ofAnn, ofPuppet])
    await expect(redeem(tokenId)).rejects.toMatchObject({ status: 403, fields: { reason: 'expired' } });
});

test('for somebody whom the provider gives no more than they hold, the link works', async () => {
  await gateway.save(NO_MORE);
  await gateway.signIn(gateway.browser(), 'ann');

  await expect(redeem((await makeLink(hal, 'ann@acme.example')).tokenId)).resolves.toBeDefined();
});

test('nobody lifts the lock on somebody whom their provider could give more', async () => {
  await gateway.save(MORE);
  await gateway.signIn(gateway.browser(), 'ann');
  await update({ ...MORE, enabled: false });
  const params = { clusterId: 'localhost' };
  const body = { targets: { user: 'ann@acme.example' }, message: 'held' };
  const { name } = await call(gateway.admin.send, lockRoutes.create, { params, body });
  const lift = (browser: TestBrowser) => call(browser.send, lockRoutes.remove, { params: { ...params, name } });

  await expect(lift(hal)).rejects.toMatchObject(refused);
  expect(await lift(gateway.admin)).toBeDefined();
});

test('nor the lock on a name that nobody has, which somebody of a provider may have tomorrow', async () => {
  await gateway.save(MORE);
  const params = { clusterId: 'localhost' };
  const lock = async (browser: TestBrowser, user: string) =>
    (await call(browser.send, lockRoutes.create, { params, body: { targets: { user }, message: 'x', force: true } }))
      .name;
  const lift = (name: string) => call(hal.send, lockRoutes.remove, { params: { ...params, name } });

  await expect(lift(await lock(gateway.admin, 'tomorrow'))).rejects.toMatchObject(refused);
  // What they forbade themselves, they allow again.
  expect(await lift(await lock(hal, 'mistaken'))).toBeDefined();
});
