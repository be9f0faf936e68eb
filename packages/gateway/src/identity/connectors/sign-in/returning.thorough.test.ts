/** Somebody who was deleted returns as who they were; nobody else gets what is kept of them. */
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { connectorTestRoutes } from '@gatehouse/contract/identity/connectors/connector-tests';
import { oidcConnectorRoutes } from '@gatehouse/contract/identity/connectors/connectors';
import { identityRoutes } from '@gatehouse/contract/identity/connectors/identities';
import { userRecordRoutes } from '@gatehouse/contract/identity/users/user-records';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ANN, type SsoGateway, startSsoGateway, visit } from '../../../../testing/connectors/sso-gateway.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';
import { insertSession } from '../../../sessions/host/session-store.ts';
import { sweepIdentity } from '../../sign-in/sweep.ts';
import { findUser } from '../../stores/user-store.ts';

const NAME = 'ann@acme.example';

const KEPT = `sessions of somebody else who was called '${NAME}' are kept`;

let gateway: SsoGateway;
beforeEach(async () => {
  gateway = await startSsoGateway({
    accounts: { ann: ANN, namesake: ANN, alike: { ...ANN, email: 'Ann@acme.example' } },
    connectors: ['okta', 'other'],
  });
  await gateway.save();
});
afterEach(() => gateway.close());

const signIn = (account: string, connector = 'okta') => gateway.signIn(gateway.browser(), account, { connector });
const remove = (username = NAME) => call(gateway.admin.send, userRecordRoutes.remove, { params: { username } });
const reason = async () => (await gateway.events()).findLast(({ code }) => code === 'T1001W')?.data.error;
const update = (browser: TestBrowser, spec: Record<string, unknown>) =>
  call(browser.send, oidcConnectorRoutes.update, {
    params: { name: 'okta' },
    body: { content: gateway.document(spec) },
  });

async function keepSession(user: string): Promise<void> {
  const resource = { name: 'db-1', id: 'db-1', labels: { env: 'prod' } };
  const session = {
    ...{ id: '00000000-0000-4000-8000-000000000001', cluster: 'localhost', user, signInId: 's', address: '' },
    ...{ request: 'r', action: { type: 'connect', kind: 'node', login: 'root', resource }, created: gateway.clock.now },
    ...{ size: { cols: 80, rows: 24 }, agent: undefined, gateway: 'g', mfa: false, recorded: true },
    ...{ begun: gateway.clock.now },
  } as unknown as Parameters<typeof insertSession>[1];
  await gateway.storage.db.transaction().execute((tx) => insertSession(tx, session));
}

test('the same subject returns by the name it had, with what is kept of it', async () => {
  await signIn('ann');
  await keepSession(NAME);
  await remove();

  expect(await signIn('ann')).toBe('/web');
  expect(await findUser(gateway.storage.db, NAME)).toMatchObject({ roles: ['access'], givenBy: 'okta' });
});

test('also when it is called otherwise over there by now', async () => {
  await signIn('ann');
  await keepSession(NAME);
  await remove();
  gateway.world.account('ann').email = 'ann.smith@acme.example';

  expect(await signIn('ann')).toBe('/web');
  expect(await findUser(gateway.storage.db, NAME)).toBeDefined();
  expect(await findUser(gateway.storage.db, 'ann.smith@acme.example')).toBeUndefined();
});

test('another subject of that name is refused, in a sign-in and in a test, and so is one of another connector', async () => {
  await gateway.save({}, 'other');
  await signIn('ann');
  await keepSession(NAME);
  await remove();

  for (const [account, connector] of [
    ['namesake', 'okta'],
    ['ann', 'other'],
  ] as const) {
    expect(await signIn(account, connector)).toContain('/web/msg/error/login');
    expect(await reason()).toContain(KEPT);
    expect(await findUser(gateway.storage.db, NAME)).toBeUndefined();
  }
  const begun = await call(gateway.admin.send, connectorTestRoutes.begin, {
    body: { kind: 'oidc', content: gateway.document() },
  });
  const browser = gateway.browser();
  gateway.world.signInAs('namesake');
  const at = await visit(browser, new URL(begun.url).pathname);
  let next = (await gateway.world.follow(at, 'http://localhost:3080/v1/webapi/oidc/callback')).slice(21);
  while (next.startsWith('/v1/')) next = await visit(browser, next);
  const { conflict } = await call(gateway.admin.send, connectorTestRoutes.read, { params: { id: begun.id } });
  expect(conflict).toContain(KEPT);
});

test('a name of which nothing is kept is free for anybody', async () => {
  await signIn('ann');
  await remove();

  expect(await signIn('namesake')).toBe('/web');
});

test('a name that looks like theirs is not free: it would keep them from returning', async () => {
  await signIn('ann');
  await remove();

  expect(await signIn('alike')).toContain('/web/msg/error/login');
  expect(await reason()).toContain("'Ann@acme.example' looks like that of somebody who was deleted");
  expect(await signIn('ann')).toBe('/web');
});

test('whoever does not return for longer than a year is forgotten, unless sessions of theirs are kept', async () => {
  const { db } = gateway.storage;
  const later = (days: number) => sweepIdentity(db, gateway.clock.now + days * 86_400_000);
  const former = async () =>
    (await db.selectFrom('former_identity').select('subject').execute()).map((row) => row.subject);
  await signIn('ann');
  await remove();
  await later(399);
  expect(await former()).toEqual(['ann']);
  expect(await signIn('alike')).toContain('/web/msg/error/login');

  await keepSession(NAME);
  await later(401);
  await later(10_000);
  expect(await former()).toEqual(['ann']);

  await db.deleteFrom('session').execute();
  await later(401);
  expect(await former()).toEqual([]);
  expect(await signIn('alike')).toBe('/web');
});

test('those that stay hide no others that are to be forgotten', async () => {
  const { db } = gateway.storage;
  const names = Array.from({ length: 30 }, (_, at) => `kept-${at}`);
  await keepSession(NAME);
  await db
    .updateTable('session')
    .set({ participants: JSON.stringify(names) })
    .execute();
  const rows = [...names, 'gone'].map((user) => ({
    ...{ connector: 'okta', kind: 'oidc', subject: user, issuer: 'x', user },
    ...{ linked_by: 'provider', deleted: 1 },
  }));
  await db.insertInto('former_identity').values(rows).execute();
  const isForgotten = async () => {
    await sweepIdentity(db, gateway.clock.now);
    return (await db.selectFrom('former_identity').select('subject').where('user', '=', 'gone').execute()).length === 0;
  };

  await expect.poll(isForgotten).toBe(true);
  expect(await db.selectFrom('former_identity').select('subject').execute()).toHaveLength(names.length);
});

test('who was made by that name meanwhile is somebody else: what is kept since is theirs', async () => {
  await signIn('ann');
  await remove();
  await call(gateway.admin.send, userRecordRoutes.create, { body: { name: NAME, roles: ['access'], traits: {} } });
  await keepSession(NAME);
  expect(await signIn('ann')).toContain('/web/msg/error/login');
  await remove();

  expect(await signIn('ann')).toContain('/web/msg/error/login');
  expect(await reason()).toContain(KEPT);
});

test('who was linked and never came has proven nothing', async () => {
  await gateway.addUser('local-ann');
  await call(gateway.admin.send, identityRoutes.link, {
    params: { username: 'local-ann' },
    body: { connector: 'okta', subject: 'ann' },
  });
  await remove('local-ann');

  expect(await signIn('ann')).toBe('/web');
  expect(await findUser(gateway.storage.db, 'local-ann')).toBeUndefined();
});

test('by another provider, or by a voice of somebody who may not edit roles, nobody returns', async () => {
  for (const [name, allow] of [
    ['connecting', '{rules: [{resources: [auth_connector], verbs: ["*"]}]}'],
    ['plain', '{logins: [deploy], node_labels: {env: dev}}'],
  ])
    await call(gateway.admin.send, roleRoutes.create, {
      body: { content: `{kind: role, version: v6, metadata: {name: ${name}}, spec: {allow: ${allow}}}` },
    });
  await gateway.addUser('lim', { roles: ['connecting', 'plain'] });
  const PLAIN = { claims_to_roles: [{ claim: 'groups', value: 'staff', roles: ['plain'] }] };
  await signIn('ann');
  await keepSession(NAME);
  await remove();
  await update(gateway.admin, { ...PLAIN, client_id: 'client-a' });
  const former = () => gateway.storage.db.selectFrom('former_identity').select('user').execute();
  expect(await former()).toEqual([{ user: NAME }]);

  await update(await gateway.signedIn('lim'), { ...PLAIN, client_id: 'client-b' });
  expect(await former()).toEqual([]);
  await update(gateway.admin, PLAIN);

  expect(await signIn('ann')).toContain('/web/msg/error/login');
  expect(await reason()).toContain(KEPT);
});
