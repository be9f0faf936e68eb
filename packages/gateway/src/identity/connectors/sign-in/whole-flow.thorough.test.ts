/** The whole way through a real OpenID provider: who gets in, as whom, with what, and who does not. */
import { eventRoutes } from '@gatehouse/contract/audit/search';
import { clusterRoutes } from '@gatehouse/contract/console/clusters';
import { pingRoutes } from '@gatehouse/contract/console/ping';
import { oidcConnectorRoutes } from '@gatehouse/contract/identity/connectors/connectors';
import { identityRoutes } from '@gatehouse/contract/identity/connectors/identities';
import { loginFailureRoutes } from '@gatehouse/contract/identity/login-failure';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { signInsRoutes } from '@gatehouse/contract/identity/sign-ins';
import { userRecordRoutes } from '@gatehouse/contract/identity/users/user-records';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  ANN,
  CLIENT_SECRET,
  ORIGIN,
  type SsoGateway,
  startSsoGateway,
  visit,
} from '../../../../testing/connectors/sso-gateway.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';

let gateway: SsoGateway;
beforeEach(async () => {
  gateway = await startSsoGateway({
    connectors: ['okta', 'other'],
    accounts: { ann: ANN, bob: { ...ANN, email: 'bob@acme.example' } },
  });
});
afterEach(() => gateway.close());

const codes = async () => (await gateway.events()).map(({ code }) => code);
const userOf = async (browser: TestBrowser) => {
  await browser.open();
  return call(browser.send, clusterRoutes.context, { params: { clusterId: '-current-' } });
};
/** The words of the public page, and the reason they lead to. */
async function failureAt(address: string) {
  const { searchParams, pathname } = new URL(address, ORIGIN);
  const kind = pathname.endsWith('/callback') ? 'callback' : pathname.endsWith('/auth') ? 'unauthorized' : 'generic';
  const { message } = await call(gateway.send, loginFailureRoutes.message, {
    query: { kind, said: searchParams.get('said') ?? '' },
  });
  const event = (await gateway.events()).findLast(({ code }) => code === 'T1001W');
  return { kind, message, reason: event?.data.error as string, id: event?.data.failure_id as string };
}

test('a first sign-in makes the user with the roles the mapping gives, and leads where the browser wanted', async () => {
  await gateway.save();
  const browser = gateway.browser();

  expect(await gateway.signIn(browser, 'ann', { path: '/web/users' })).toBe('/web/users');

  expect(await userOf(browser)).toMatchObject({ authType: 'sso', userName: 'ann@acme.example' });
  const record = await call(gateway.admin.send, userRecordRoutes.get, { params: { username: 'ann@acme.example' } });
  expect(record).toMatchObject({ roles: ['access'], authType: 'oidc' });
  expect(await codes()).toEqual(expect.arrayContaining(['T8100I', 'T1002I', 'T1001I']));
  const items = await call(gateway.admin.send, oidcConnectorRoutes.list, {});
  expect(items).toMatchObject([{ name: 'okta', users: 1, hasSecret: true, enabled: true }]);
});

test('each sign-in replaces roles, and somebody without one is refused and not made', async () => {
  await gateway.save({
    claims_to_roles: [
      { claim: 'groups', value: 'staff', roles: ['access'] },
      { claim: 'groups', value: 'ops', roles: ['auditor'] },
    ],
  });
  await gateway.signIn(gateway.browser(), 'ann');
  gateway.world.account('ann').groups = ['ops'];
  await gateway.signIn(gateway.browser(), 'ann');
  const record = await call(gateway.admin.send, userRecordRoutes.get, { params: { username: 'ann@acme.example' } });
  expect(record.roles).toEqual(['auditor']);

  gateway.world.account('bob').groups = ['nobody'];
  const failed = await failureAt(await gateway.signIn(gateway.browser(), 'bob'));

  expect(failed).toMatchObject({
    kind: 'unauthorized',
    reason: expect.stringContaining("no entry of 'okta' gives bob@acme.example a role"),
  });
  const { count } = await gateway.storage.db
    .selectFrom('user')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('name', '=', 'bob@acme.example')
    .executeTakeFirstOrThrow();
  expect(Number(count)).toBe(0);
});

test('the last administrator does not stop being one by coming through a provider', async () => {
  await gateway.save();
  await gateway.addUser('second', { roles: ['editor'] });
  const linked = (username: string, subject: string) =>
    call(gateway.admin.send, identityRoutes.link, { params: { username }, body: { connector: 'okta', subject } });
  const rolesOf = async (username: string) =>
    (await call(gateway.admin.send, userRecordRoutes.get, { params: { username } })).roles;
  await linked('second', 'bob');
  await linked('admin', 'ann');

  expect(await gateway.signIn(gateway.browser(), 'bob', { path: '/web/users' })).toBe('/web/users');
  const failed = await failureAt(await gateway.signIn(gateway.browser(), 'ann'));

  expect(failed).toMatchObject({ kind: 'unauthorized', reason: expect.stringContaining("'admin' is the last") });
  expect(await rolesOf('second')).toEqual(['access']);
  expect(await rolesOf('admin')).toEqual(['access', 'auditor', 'editor']);
});

test('the public page has fixed words and an id that finds the reason in the audit log', async () => {
  await gateway.save();
  gateway.world.account('ann').groups = [];

  const { message, reason, id } = await failureAt(await gateway.signIn(gateway.browser(), 'ann'));

  expect(message).toContain(id);
  expect(message).not.toContain('okta');
  expect(message).not.toContain('ann');
  const { events } = await call(gateway.admin.send, eventRoutes.search, {
    params: { clusterId: 'localhost' },
    query: { search: id },
  } as never);
  expect(JSON.stringify(events)).toContain(reason);
});

test("somebody else's answer put into a browser signs nobody in", async () => {
  await gateway.save();
  const attacker = gateway.browser();
  const callback = await gateway.toCallback(attacker, 'bob');
  const victim = gateway.browser();
  await victim.open();

  let at = callback;
  while (at.startsWith('/v1/')) at = await visit(victim, at);

  expect(victim.cookies.has('session')).toBe(false);
  expect((await failureAt(at)).reason).toContain('did not begin');
});

test('the second of two tabs finds its browser signed in, and changes nothing', async () => {
  await gateway.save();
  const browser = gateway.browser();
  const second = await gateway.toCallback(browser, 'ann', { path: '/web/users' });
  expect(await gateway.signIn(browser, 'ann')).toBe('/web');
  const held = browser.cookies.get('session');
  const before = await gateway.storage.db.selectFrom('sign_in').select('id').execute();

  let at = second;
  while (at.startsWith('/v1/')) at = await visit(browser, at);

  expect(at).toBe('/web/users');
  expect(browser.cookies.get('session')).toBe(held);
  expect(await gateway.storage.db.selectFrom('sign_in').select('id').execute()).toEqual(before);
  expect(await codes()).not.toContain('T1001W');
});

test.each([
  ['as somebody else', 'bob', true],
  ['when its sign-in has ended', 'ann', false],
])('the second of two tabs is refused %s', async (_, account, isAlive) => {
  await gateway.save();
  const browser = gateway.browser();
  const second = await gateway.toCallback(browser, account);
  await gateway.signIn(browser, 'ann');
  const held = browser.cookies.get('session');
  if (!isAlive) browser.cookies.delete('session');

  let at = second;
  while (at.startsWith('/v1/')) at = await visit(browser, at);

  expect((await failureAt(at)).reason).toContain('did not begin');
  expect(browser.cookies.get('session')).toBe(isAlive ? held : undefined);
});

test('an answer of the same person that another browser began is refused, also where they are signed in', async () => {
  await gateway.save();
  const elsewhere = await gateway.toCallback(gateway.browser(), 'ann');
  const browser = gateway.browser();
  await gateway.signIn(browser, 'ann');

  let at = elsewhere;
  while (at.startsWith('/v1/')) at = await visit(browser, at);

  expect((await failureAt(at)).reason).toContain('did not begin');
});

test('an answer counts once, and its code counts once', async () => {
  await gateway.save();
  const browser = gateway.browser();
  const callback = await gateway.toCallback(browser, 'ann');
  const finish = await visit(browser, callback);
  expect(finish).toMatch(/^\/v1\/webapi\/sso\/finish\//);

  expect((await failureAt(await visit(browser, callback))).reason).toContain('nobody waits');
  expect(await visit(browser, finish)).toBe('/web');
  expect((await failureAt(await visit(browser, finish))).reason).toContain('used before');
});

test('an answer that comes late is not taken', async () => {
  await gateway.save();
  const browser = gateway.browser();
  const callback = await gateway.toCallback(browser, 'ann');
  gateway.clock.advance(11 * 60_000);
  expect((await failureAt(await visit(browser, callback))).reason).toContain('late');
});

test('nor a code that is too old', async () => {
  await gateway.save();
  const browser = gateway.browser();
  const finish = await visit(browser, await gateway.toCallback(browser, 'ann'));
  gateway.clock.advance(61_000);
  expect((await failureAt(await visit(browser, finish))).reason).toContain('too old');
});

test('an answer to the address of another connector is not taken: no mix-up', async () => {
  await gateway.save();
  await gateway.save({}, 'other');
  const browser = gateway.browser();
  const callback = await gateway.toCallback(browser, 'ann');

  const at = await visit(browser, callback.replace('/callback/okta', '/callback/other'));

  expect((await failureAt(at)).reason).toContain('another connector');
});

test('a connector that was changed or switched off meanwhile takes no answer of before', async () => {
  await gateway.save();
  const browser = gateway.browser();
  const callback = await gateway.toCallback(browser, 'ann');
  await call(gateway.admin.send, oidcConnectorRoutes.update, {
    params: { name: 'okta' },
    body: { content: gateway.document({ enabled: false }) },
  });

  expect((await failureAt(await visit(browser, callback))).reason).toContain('changed meanwhile');
  const at = await gateway.toCallback(browser, 'ann');
  expect(at).toContain('/web/msg/error/login');
});

test.each([
  'https://evil.example/web',
  '//evil.example',
  '/\\evil.example',
  'javascript:alert(1)',
  '/web/login',
  '/v1/webapi/sites',
])('a sign-in never leads to %s', async (target) => {
  await gateway.save();
  const browser = gateway.browser();
  gateway.world.signInAs('ann');
  const url = `/v1/webapi/oidc/login/web?connector_id=okta&redirect_url=${encodeURIComponent(target)}`;
  const begun = await visit(browser, url);
  let at = (await gateway.world.follow(begun, `${ORIGIN}/v1/webapi/oidc/callback`)).slice(ORIGIN.length);
  while (at.startsWith('/v1/')) at = await visit(browser, at);

  expect(at).toBe('/web');
});

test('an account is never taken by its name: the conflict is told, linking is explicit', async () => {
  await gateway.save();
  await gateway.addUser('ann@acme.example', { roles: ['auditor'] });

  const failed = await failureAt(await gateway.signIn(gateway.browser(), 'ann'));
  expect(failed.reason).toContain("'ann@acme.example' is a local account: let it be linked");
  expect(await codes()).toContain('GH151W');

  await call(gateway.admin.send, identityRoutes.link, {
    params: { username: 'ann@acme.example' },
    body: { connector: 'okta', subject: 'ann' },
  });
  const browser = gateway.browser();
  expect(await gateway.signIn(browser, 'ann')).toBe('/web');
  expect(await userOf(browser)).toMatchObject({ userName: 'ann@acme.example' });
  expect(await codes()).toContain('GH150I');
});

test('a renamed person keeps the name here, and the same name at another connector is somebody else', async () => {
  await gateway.save();
  await gateway.save({}, 'other');
  await gateway.signIn(gateway.browser(), 'ann');
  gateway.world.account('ann').email = 'ann.married@acme.example';
  const browser = gateway.browser();
  await gateway.signIn(browser, 'ann');
  expect(await userOf(browser)).toMatchObject({ userName: 'ann@acme.example' });

  gateway.world.account('ann').email = 'ann@acme.example';
  const failed = await failureAt(await gateway.signIn(gateway.browser(), 'ann', { connector: 'other' }));
  expect(failed.reason).toContain('somebody else who comes through a provider');
});

test('roles and traits of such a user are not edited by hand', async () => {
  await gateway.save();
  await gateway.signIn(gateway.browser(), 'ann');

  const edit = call(gateway.admin.send, userRecordRoutes.update, {
    body: { name: 'ann@acme.example', roles: ['editor'] },
  });

  await expect(edit).rejects.toThrow('gives roles and traits at each sign-in');
});

test('a user who is deleted returns at the next sign-in, and a locked one does not', async () => {
  await gateway.save();
  await gateway.signIn(gateway.browser(), 'ann');
  await call(gateway.admin.send, userRecordRoutes.remove, { params: { username: 'ann@acme.example' } });
  expect(await gateway.signIn(gateway.browser(), 'ann')).toBe('/web');
});

test('signing out at the provider ends sign-ins here, and only theirs', async () => {
  await gateway.save();
  const [ann, bob] = [gateway.browser(), gateway.browser()];
  await gateway.signIn(ann, 'ann');
  await gateway.signIn(bob, 'bob');
  await Promise.all([ann.open(), bob.open()]);

  await gateway.world.signOut('client-okta', 'ann');

  await gateway.settled();
  await expect(call(ann.send, signInsRoutes.list, {})).rejects.toThrow();
  expect(await call(bob.send, signInsRoutes.list, {})).toHaveLength(1);
  expect(await codes()).toContain('GH152I');
});

test('what stands on a connector ends when it is deleted', async () => {
  await gateway.save();
  const browser = gateway.browser();
  await gateway.signIn(browser, 'ann');
  await browser.open();

  await call(gateway.admin.send, oidcConnectorRoutes.remove, { params: { name: 'okta' } });

  await gateway.settled();
  await expect(call(browser.send, signInsRoutes.list, {})).rejects.toThrow();
});

test('its secret is nowhere: not in answers, events, the log, nor in any row as it is', async () => {
  await gateway.save();
  await gateway.signIn(gateway.browser(), 'ann');
  const [item] = await call(gateway.admin.send, oidcConnectorRoutes.list, {});
  const rows = await gateway.storage.db.selectFrom('connector').selectAll().execute();

  for (const text of [
    JSON.stringify(item),
    JSON.stringify(rows),
    JSON.stringify(await gateway.events()),
    gateway.logged(),
  ])
    expect(text).not.toContain(CLIENT_SECRET);
});

test('ping and the page tell of connectors that are switched on', async () => {
  await gateway.save({ display: 'Acme' });

  const pong = await call(gateway.send, pingRoutes.pingConnector, { params: { connector: 'okta' } });

  expect(pong.auth).toMatchObject({ type: 'oidc', oidc: { name: 'okta', display: 'Acme' } });
  const { text } = await gateway.browser().visit('/web/config.js');
  expect(text).toContain('"name":"okta"');
  expect(text).toContain('/v1/webapi/oidc/login/web?connector_id=:providerName&redirect_url=:redirect');
});

test('whoever came through a provider is not asked for a password they do not have', async () => {
  await gateway.save();
  const browser = gateway.browser();
  await gateway.signIn(browser, 'ann');
  gateway.clock.advance(6 * 60_000);
  await browser.open();

  const proof = call(browser.send, passwordRoutes.createPrivilegeToken, { body: {} });

  await expect(proof).rejects.toMatchObject({ code: 'mfa_required', fields: { reason: 'sign_in' } });
});

test('an answer to the address without a name is not taken for a connector whose address names it', async () => {
  await gateway.save();
  const browser = gateway.browser();
  const { search } = new URL(await gateway.toCallback(browser, 'ann'), ORIGIN);
  const asked = gateway.world.asked.length;

  const failed = await failureAt(await visit(browser, `/v1/webapi/oidc/callback${search}`));

  expect(failed.reason).toContain('came to the address of another connector');
  expect(gateway.world.asked).toHaveLength(asked);
});

test('a subject of another issuer is whoever it was made, and never whom it was before', async () => {
  await gateway.save();
  await gateway.signIn(gateway.browser(), 'ann');
  await gateway.storage.db.updateTable('user_identity').set({ issuer: 'https://before.example' }).execute();
  gateway.world.account('ann').email = 'new@acme.example';
  await gateway.signIn(gateway.browser(), 'ann');
  const browser = gateway.browser();

  await gateway.signIn(browser, 'ann');

  expect(await userOf(browser)).toMatchObject({ userName: 'new@acme.example' });
});
