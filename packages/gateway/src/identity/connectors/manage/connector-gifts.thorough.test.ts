/** Nobody gives by a connector what they could not give to a user they make. */
import { applyRoutes } from '@gatehouse/contract/access/apply/apply';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { connectorTestRoutes } from '@gatehouse/contract/identity/connectors/connector-tests';
import { oidcConnectorRoutes } from '@gatehouse/contract/identity/connectors/connectors';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type SsoGateway, startSsoGateway } from '../../../../testing/connectors/sso-gateway.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';

let gateway: SsoGateway;
beforeEach(async () => {
  gateway = await startSsoGateway();
  await addRole('connecting', '{allow: {rules: [{resources: [auth_connector], verbs: ["*"]}]}}');
  await addRole('plain', '{allow: {logins: [deploy], node_labels: {env: dev}}}');
});
afterEach(() => gateway.close());

const addRole = (name: string, spec: string) =>
  call(gateway.admin.send, roleRoutes.create, {
    body: { content: `{kind: role, version: v6, metadata: {name: ${name}}, spec: ${spec}}` },
  });

async function editor(...roles: string[]): Promise<TestBrowser> {
  await gateway.addUser('lim', { roles: ['connecting', ...roles] });
  return gateway.signedIn('lim');
}

/** The text of a connector that gives each of these to somebody else. */
const giving = (...entries: string[][]) =>
  gateway.document({
    issuer_url: 'https://idp.example',
    claims_to_roles: entries.map((roles, at) => ({ claim: 'groups', value: `g${at}`, roles })),
  });
const create = (browser: TestBrowser, content: string) =>
  call(browser.send, oidcConnectorRoutes.create, { body: { content } });
const update = (browser: TestBrowser, content: string) =>
  call(browser.send, oidcConnectorRoutes.update, { params: { name: 'okta' }, body: { content } });

test.each([
  ['a denial', '{deny: {node_labels: {env: prod}}}', 'spec.deny.node_labels'],
  ['a second factor', '{options: {require_session_mfa: true}}', 'spec.options.require_session_mfa'],
  ['an end', '{options: {max_session_ttl: 1h}}', 'spec.options.max_session_ttl'],
  [
    'a second person',
    `{allow: {require_session_join: [{name: two, filter: 'contains(user.spec.roles, "auditor")', kinds: [ssh], modes: [moderator], count: 1}]}}`,
    'spec.allow.require_session_join',
  ],
])('who is held back by %s lets nobody in who is free of it, by whichever call', async (_, spec, clause) => {
  await addRole('held', spec);
  const lim = await editor('plain', 'held');
  const refused = { code: 'denied', message: expect.stringContaining(clause) };
  // Also where one group alone would be free of it.
  for (const content of [giving(['plain']), giving(['plain', 'held'], ['plain'])]) {
    await expect(create(lim, content)).rejects.toMatchObject(refused);
    const tried = call(lim.send, connectorTestRoutes.begin, { body: { kind: 'oidc', content } });
    await expect(tried).rejects.toMatchObject(refused);
    const applied = call(lim.send, applyRoutes.apply, {
      params: { clusterId: 'localhost' },
      body: { documents: content, dryRun: false },
    });
    await expect(applied).rejects.toMatchObject(refused);
  }
  await create(lim, giving(['plain', 'held'], ['connecting']));
  await expect(update(lim, giving(['plain']))).rejects.toMatchObject(refused);
});

test('nobody lets in who would be the second person that their own role asks for', async () => {
  const filter = 'contains(user.spec.roles, "watcher")';
  const policy = `{name: two, filter: '${filter}', kinds: [ssh], modes: [moderator], count: 1}`;
  await addRole('careful', `{allow: {require_session_join: [${policy}]}}`);
  await addRole('watcher', '{allow: {join_sessions: [{name: all, roles: ["*"], kinds: [ssh], modes: [moderator]}]}}');
  const lim = await editor('plain', 'careful', 'watcher');

  await expect(create(lim, giving(['watcher']))).rejects.toMatchObject({
    code: 'denied',
    message: expect.stringContaining("the two people that role 'careful' asks for"),
  });
});

test('nor who could be called what a condition of a role asks for', async () => {
  const rule = `{resources: [session], verbs: [list, read], where: 'user.metadata.name == "chief"'}`;
  await addRole('chiefly', `{allow: {rules: [${rule}]}}`);
  const lim = await editor('chiefly');

  await expect(create(lim, giving(['chiefly']))).rejects.toMatchObject({
    code: 'denied',
    message: expect.stringMatching(/'chief'.*spec\.allow\.rules\[0\]/),
  });
});

test('what a connector gives that they could not, they neither change nor take away', async () => {
  await addRole('denying', '{deny: {node_labels: {env: prod}}}');
  await create(gateway.admin, giving(['plain', 'denying']));
  const lim = await editor('plain');

  await expect(update(lim, giving(['plain']))).rejects.toMatchObject({
    code: 'denied',
    message: expect.stringMatching(/you cannot change what 'okta' gives now: .*role 'denying'/),
  });
  await update(gateway.admin, giving(['plain']));
  await update(lim, giving(['plain'], ['connecting']));
});

test('nor do they try drafts of it: those go on with its secret, and tell what its provider says of people', async () => {
  const lim = await editor('plain');
  await create(gateway.admin, giving(['editor']));
  const body = { kind: 'oidc' as const, content: giving(['plain']) };
  const refused = { code: 'denied', message: expect.stringContaining("what 'okta' gives now") };

  await expect(call(lim.send, connectorTestRoutes.begin, { body })).rejects.toMatchObject(refused);
  await expect(call(lim.send, connectorTestRoutes.effect, { body })).rejects.toMatchObject(refused);
  await expect(call(lim.send, connectorTestRoutes.check, { body })).rejects.toMatchObject(refused);
  expect(await call(gateway.admin.send, connectorTestRoutes.effect, { body })).toMatchObject({ users: [] });
});
