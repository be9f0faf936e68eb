/** A link to another connector is a key to the account like any other: whoever made it may have waited for what the next connector gives. */
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { oidcConnectorRoutes } from '@gatehouse/contract/identity/connectors/connectors';
import { ssoFactorRoutes } from '@gatehouse/contract/identity/connectors/factor-flow';
import { identityRoutes } from '@gatehouse/contract/identity/connectors/identities';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { userRecordRoutes } from '@gatehouse/contract/identity/users/user-records';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { linkOwn as linkThere } from '../../../../testing/connectors/link-own.ts';
import { ANN, ORIGIN, type SsoGateway, startSsoGateway, visit } from '../../../../testing/connectors/sso-gateway.ts';
import { codeOf, enrolApp } from '../../../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';
import { listIdentitiesOf } from '../stores/identity-store.ts';

const role = (name: string, allow: string) =>
  `{kind: role, version: v6, metadata: {name: ${name}}, spec: {allow: ${allow}}}`;
const gives = (name: string) => ({ claims_to_roles: [{ claim: 'groups', value: 'staff', roles: [name] }] });

let gateway: SsoGateway;
/** Helps users and edits connectors, and may not edit roles. */
let hal: TestBrowser;
beforeEach(async () => {
  gateway = await startSsoGateway({
    secondFactor: 'optional',
    accounts: { ann: ANN, hal: { ...ANN, email: 'hal@acme.example' }, again: ANN },
    connectors: ['okta', 'other'],
  });
  const rules = '{rules: [{resources: [user, auth_connector], verbs: ["*"]}]}';
  for (const content of [role('plain', '{node_labels: {env: dev}, logins: [deploy]}'), role('helping', rules)])
    await call(gateway.admin.send, roleRoutes.create, { body: { content } });
  await gateway.addUser('hal', { roles: ['plain', 'helping'] });
  hal = await gateway.signedIn('hal');
  await gateway.save(gives('editor'));
  await gateway.save(gives('plain'), 'other');
});
afterEach(() => gateway.close());

const makeAnn = () => call(hal.send, userRecordRoutes.create, { body: { name: 'ann', roles: ['plain'], traits: {} } });
const link = (by: TestBrowser, connector: string, subject: string) =>
  call(by.send, identityRoutes.link, { params: { username: 'ann' }, body: { connector, subject } });
const linksOf = async (name: string) =>
  (await listIdentitiesOf(gateway.storage.db, name)).map(({ connector }) => connector).toSorted();
const come = (account: string, connector: string) => gateway.signIn(gateway.browser(), account, { connector });

const linkOwn = (browser: TestBrowser, connector: string, account: string) =>
  linkThere(gateway, browser, { connector, account });
async function redeem(token: string): Promise<TestBrowser> {
  const browser = gateway.browser();
  await browser.open();
  const password = Buffer.from('a password of ann').toString('base64');
  await call(browser.send, passwordRoutes.useToken, { body: { token, password } });
  await browser.open();
  return browser;
}
const inviteFor = async () =>
  (await call(hal.send, passwordRoutes.createToken, { body: { name: 'ann', type: 'password' } })).tokenId;

test('whoever helped, and linked the account to themselves, is out when it is handed over', async () => {
  await makeAnn();
  await link(hal, 'other', 'hal');
  expect(await come('hal', 'other')).toBe('/web');
  await link(gateway.admin, 'okta', 'ann');
  expect(await come('ann', 'okta')).toBe('/web');

  expect(await linksOf('ann')).toEqual(['okta']);
  // They are somebody of their own now, and have nothing of hers.
  expect(await come('hal', 'other')).toBe('/web');
  expect(await linksOf('hal@acme.example')).toEqual(['other']);
  const told = (await gateway.events()).filter(({ code }) => code === 'GH150I').map(({ data }) => data);
  expect(told.at(-1)).toMatchObject({ name: 'ann', connector: 'other', subject: 'hal', action: 'unlinked' });
  const ended = (await gateway.events()).find(({ code, data }) => code === 'GH152I' && data.connector === 'okta');
  expect(ended?.data.reason).toContain("the link to 'other'");
});

test('so is who has not come through their link yet, and would come afterwards', async () => {
  await makeAnn();
  await link(hal, 'other', 'hal');
  await link(gateway.admin, 'okta', 'ann');
  await come('ann', 'okta');

  expect(await linksOf('ann')).toEqual(['okta']);
});

test('so is who linked themselves while they had the account', async () => {
  await makeAnn();
  const puppet = await redeem(await inviteFor());
  await linkOwn(puppet, 'other', 'hal');
  expect(await linksOf('ann')).toEqual(['other']);
  await link(gateway.admin, 'okta', 'ann');
  await come('ann', 'okta');

  expect(await linksOf('ann')).toEqual(['okta']);
});

test('what somebody linked who may edit roles stays, whichever way they come first', async () => {
  await makeAnn();
  await link(gateway.admin, 'other', 'ann');
  await link(gateway.admin, 'okta', 'ann');
  await come('ann', 'okta');
  await come('ann', 'other');

  expect(await linksOf('ann')).toEqual(['okta', 'other']);
});

test('so does what a helper linked, once somebody who may edit roles has linked it too', async () => {
  await makeAnn();
  await link(hal, 'other', 'ann');
  await come('ann', 'other');
  await link(gateway.admin, 'other', 'ann');
  await link(gateway.admin, 'okta', 'ann');
  await come('ann', 'okta');

  expect(await linksOf('ann')).toEqual(['okta', 'other']);
});

test('whoever came first under her name, through a provider where people choose theirs, is out as well', async () => {
  const username = 'ann@acme.example';
  await come('again', 'other');
  expect(await come('ann', 'okta')).toContain('/web/msg/error/login');
  const body = { connector: 'okta', subject: 'ann' };
  await call(gateway.admin.send, identityRoutes.link, { params: { username }, body });
  await come('ann', 'okta');

  expect(await linksOf(username)).toEqual(['okta']);
});

test('not where somebody who may edit roles says of both that they are the user', async () => {
  const username = 'ann@acme.example';
  await come('again', 'other');
  for (const [connector, subject] of [
    ['other', 'again'],
    ['okta', 'ann'],
  ] as const)
    await call(gateway.admin.send, identityRoutes.link, { params: { username }, body: { connector, subject } });
  await come('ann', 'okta');

  expect(await linksOf(username)).toEqual(['okta', 'other']);
});

test('who got new credentials links themselves, and whoever came first has no link to it any more', async () => {
  const username = 'ann@acme.example';
  await come('again', 'other');
  const { tokenId } = await call(gateway.admin.send, passwordRoutes.createToken, {
    body: { name: username, type: 'password' },
  });
  const ann = await redeem(tokenId);

  expect(await linkOwn(ann, 'okta', 'ann')).toContain('can be closed');
  expect(await linksOf(username)).toEqual(['okta']);
});

test('who answers with a device of the account keeps no other link: whoever had it before may have made it', async () => {
  await call(gateway.admin.send, oidcConnectorRoutes.update, {
    params: { name: 'okta' },
    body: { content: gateway.document({ ...gives('editor'), mfa: 'gateway' }) },
  });
  await gateway.addUser('ann', { roles: ['plain'] });
  const ann = await gateway.signedIn('ann');
  const secret = await enrolApp(gateway, ann);
  const comeWithFactor = async () => {
    const browser = gateway.browser();
    await browser.open();
    const code = new URL(await gateway.signIn(browser, 'ann'), ORIGIN).searchParams.get('sso') ?? '';
    await call(browser.send, ssoFactorRoutes.answer, { body: { code, totp: codeOf(secret, gateway.clock.now) } });
    gateway.clock.advance(30_000);
  };
  const proof = codeOf(secret, gateway.clock.now);
  await call(ann.send, passwordRoutes.createPrivilegeToken, { body: { secondFactorToken: proof } });
  await linkOwn(ann, 'other', 'hal');
  gateway.clock.advance(30_000);
  await link(gateway.admin, 'okta', 'ann');
  expect(await linksOf('ann')).toEqual(['okta', 'other']);
  await comeWithFactor();
  expect(await linksOf('ann')).toEqual(['okta']);
});

test('nobody links themselves to more while a helper has a link to it; who had the account before has none by that', async () => {
  await makeAnn();
  await link(hal, 'other', 'hal');
  const ann = await redeem(await inviteFor());
  const refused = {
    code: 'conflict',
    message: expect.stringContaining("linked 'ann' to 'other' who need not be them"),
  };
  await expect(linkOwn(ann, 'okta', 'ann')).rejects.toMatchObject(refused);

  await call(ann.send, identityRoutes.unlinkOwn, { params: { connector: 'other' } });
  await linkOwn(ann, 'other', 'hal');
  const again = await redeem(await inviteFor());
  expect(await linkOwn(again, 'okta', 'ann')).toContain('can be closed');
  expect(await linksOf('ann')).toEqual(['okta']);
});

test('a link that a helper makes while somebody is at the provider is found when they come back', async () => {
  await makeAnn();
  const ann = await redeem(await inviteFor());
  const { url } = await call(ann.send, identityRoutes.linkOwn, { body: { connector: 'okta' } });
  gateway.world.signInAs('ann');
  await link(hal, 'other', 'hal');
  let at = (await gateway.world.follow(url, `${ORIGIN}/v1/webapi/oidc/callback`)).slice(ORIGIN.length);
  while (at.startsWith('/v1/')) at = await visit(ann, at);

  expect(await linksOf('ann')).toEqual(['other']);
});

/** As one of their own would be: they chose who speaks for it. */
async function choosesVoice(by: TestBrowser) {
  for (const client_id of ['client-first', 'client-other'])
    await call(by.send, oidcConnectorRoutes.update, {
      params: { name: 'other' },
      body: { content: gateway.document({ ...gives('plain'), client_id }, 'other') },
    });
}

test('an account is handed over without a link whose connector somebody has let others speak for since, who may not edit roles', async () => {
  await makeAnn();
  await link(gateway.admin, 'other', 'again');
  await choosesVoice(hal);
  await link(gateway.admin, 'okta', 'ann');
  await come('ann', 'okta');

  expect(await linksOf('ann')).toEqual(['okta']);
});

test('so it is without one that an administrator made to such a connector', async () => {
  await makeAnn();
  await choosesVoice(hal);
  await link(gateway.admin, 'other', 'ann');
  await come('ann', 'other');
  await link(gateway.admin, 'okta', 'ann');
  await come('ann', 'okta');

  expect(await linksOf('ann')).toEqual(['okta']);
});

test('what they change otherwise, or somebody who may edit roles chose again, changes nothing of that', async () => {
  await makeAnn();
  await choosesVoice(hal);
  await choosesVoice(gateway.admin);
  const content = gateway.document({ ...gives('plain'), display: 'Other' }, 'other');
  await call(hal.send, oidcConnectorRoutes.update, { params: { name: 'other' }, body: { content } });
  await link(gateway.admin, 'other', 'again');
  await come('again', 'other');
  await link(gateway.admin, 'okta', 'ann');
  await come('ann', 'okta');

  expect(await linksOf('ann')).toEqual(['okta', 'other']);
});

test('nobody links themselves to a connector of theirs', async () => {
  await gateway.addUser('ann', { roles: ['editor'] });
  const ann = await gateway.signedIn('ann');
  await choosesVoice(hal);
  const refused = { code: 'conflict', message: expect.stringContaining("'other' was written by somebody who may not") };
  await expect(linkOwn(ann, 'other', 'ann')).rejects.toMatchObject(refused);

  await choosesVoice(gateway.admin);
  expect(await linkOwn(ann, 'other', 'ann')).toContain('can be closed');
});

test('nor to one that changed while they were at the provider', async () => {
  await gateway.addUser('ann', { roles: ['editor'] });
  const ann = await gateway.signedIn('ann');
  const { url } = await call(ann.send, identityRoutes.linkOwn, { body: { connector: 'other' } });
  gateway.world.signInAs('ann');
  const at = (await gateway.world.follow(url, `${ORIGIN}/v1/webapi/oidc/callback`)).slice(ORIGIN.length);
  const finish = await visit(ann, at);
  await choosesVoice(hal);
  await visit(ann, finish);

  expect(await linksOf('ann')).toEqual([]);
});

test('the last administrator of all, who comes through a lesser one first, keeps the way by which they are one', async () => {
  const username = 'ann@acme.example';
  await come('ann', 'okta');
  const body = { connector: 'other', subject: 'again' };
  await call(gateway.admin.send, identityRoutes.link, { params: { username }, body });
  await gateway.storage.db.updateTable('user').set({ password_hash: null }).where('name', '=', 'admin').execute();
  expect(await come('again', 'other')).toBe('/web');

  expect(await linksOf(username)).toEqual(['okta', 'other']);
  expect(await come('ann', 'okta')).toBe('/web');
});

test('where another administrator is left, they do not', async () => {
  const username = 'ann@acme.example';
  await come('ann', 'okta');
  const body = { connector: 'other', subject: 'again' };
  await call(gateway.admin.send, identityRoutes.link, { params: { username }, body });
  expect(await come('again', 'other')).toBe('/web');

  expect(await linksOf(username)).toEqual(['other']);
});
