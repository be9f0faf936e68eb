/** The whole way through GitHub: who gets in with what, and what a provider cannot set. */

import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { githubConnectorRoutes } from '@gatehouse/contract/identity/connectors/connectors';
import { identityRoutes } from '@gatehouse/contract/identity/connectors/identities';
import { loginFailureRoutes } from '@gatehouse/contract/identity/login-failure';
import { userRecordRoutes } from '@gatehouse/contract/identity/users/user-records';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type GithubServer, startGithubServer } from '../../../../../testing/connectors/github-server.ts';
import { visit } from '../../../../../testing/connectors/sso-gateway.ts';
import { type IdentityGateway, startIdentityGateway } from '../../../../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../../../../testing/test-browser.ts';
import { findUser } from '../../../stores/user-store.ts';
import { findIdentity } from '../../stores/identity-store.ts';

let github: GithubServer;
let gateway: IdentityGateway;
let admin: TestBrowser;

beforeEach(async () => {
  github = await startGithubServer();
  github.account = { id: 4711, login: 'Ann', name: 'root', teams: ['acme/dev', 'acme/ops'] };
  gateway = await startIdentityGateway();
  await gateway.addUser('admin', { roles: ['editor', 'access', 'auditor'] });
  admin = await gateway.signedIn('admin');
});
afterEach(async () => {
  await gateway.close();
  await github.close();
});

async function save(more: Record<string, unknown> = {}): Promise<void> {
  const spec = {
    client_id: github.clientId,
    client_secret: github.clientSecret,
    endpoint_url: github.origin,
    teams_to_roles: [
      { organization: 'acme', team: 'dev', roles: ['access'] },
      { organization: 'acme', team: 'ops', roles: ['auditor'] },
    ],
    ...more,
  };
  const content = JSON.stringify({ kind: 'github', version: 'v3', metadata: { name: 'acme' }, spec });
  await call(admin.send, githubConnectorRoutes.create, { body: { content } });
}

async function signIn(browser = gateway.browser()): Promise<string> {
  const begun = await visit(browser, '/v1/webapi/github/login/web?connector_id=acme&redirect_url=/web');
  const { headers } = await fetch(begun, { redirect: 'manual' });
  const back = new URL(headers.get('location') ?? '');
  let at = `${back.pathname}${back.search}`;
  while (at.startsWith('/v1/')) at = await visit(browser, at);
  return at;
}

const record = () => call(admin.send, userRecordRoutes.get, { params: { username: 'ann' } });
const traits = async () => (await findUser(gateway.storage.db, 'ann'))?.traits;
const addRole = (name: string, allow: string) =>
  call(admin.send, roleRoutes.create, {
    body: { content: `kind: role\nversion: v6\nmetadata: {name: ${name}}\nspec: {allow: ${allow}}\n` },
  });

test('teams give roles, and each sign-in gives those of now', async () => {
  await save();
  expect(await signIn()).toBe('/web');
  expect(await record()).toMatchObject({ name: 'ann', roles: ['access', 'auditor'], authType: 'github' });

  github.account = { id: 4711, login: 'renamed', teams: ['acme/ops'] };
  expect(await signIn()).toBe('/web');
  expect(await record()).toMatchObject({ name: 'ann', roles: ['auditor'] });
});

test('a GitHub that has gone is noticed within a minute, before a browser is sent there, and is not asked with each sign-in', async () => {
  await save();
  const begin = () => visit(gateway.browser(), '/v1/webapi/github/login/web?connector_id=acme');
  const asked = () => github.asked.length;
  expect(await begin()).toContain(github.origin);
  const once = asked();
  github.instead.set('/login/oauth/access_token', () => ({ status: 503 }));
  gateway.clock.advance(59_000);
  expect(await begin()).toContain(github.origin);
  expect(asked()).toBe(once);

  gateway.clock.advance(2_000);
  const said = new URL(await begin(), 'http://localhost').searchParams.get('said') ?? '';
  const query = { kind: 'generic', said } as const;
  const { message } = await call(gateway.browser().send, loginFailureRoutes.message, { query });
  expect(message).toContain('The provider did not answer');
  const [acme] = await call(admin.send, githubConnectorRoutes.list, {});
  expect(acme?.trouble).toContain('503');

  // Nor as fast as strangers begin.
  const failed = asked();
  for (const _ of [1, 2, 3]) expect(await begin()).not.toContain(github.origin);
  expect(asked()).toBe(failed);
  github.instead.clear();
  gateway.clock.advance(5_000);
  expect(await signIn()).toBe('/web');
});

test('with another client its people are signed out, and nothing is asked with what the old one was given', async () => {
  await save();
  const browser = gateway.browser();
  await signIn(browser);
  await browser.open();
  const open = () => call(browser.send, identityRoutes.own, {});
  expect(await open()).toHaveLength(1);

  const spec = { client_id: 'another', client_secret: 'another secret', endpoint_url: github.origin };
  const teams_to_roles = [{ organization: 'acme', team: 'dev', roles: ['access'] }];
  const document = { kind: 'github', version: 'v3', metadata: { name: 'acme' }, spec: { ...spec, teams_to_roles } };
  const body = { content: JSON.stringify(document) };
  await call(admin.send, githubConnectorRoutes.update, { params: { name: 'acme' }, body });

  await expect(open()).rejects.toMatchObject({ status: 403 });
  expect(await findIdentity(gateway.storage.db, 'acme', '4711')).toMatchObject({
    sealedTokens: undefined,
    nextRecheck: undefined,
  });
});

test('an organisation that took over the name lets nobody in', async () => {
  await save();
  await signIn();
  github.organizations.set('acme', 666);

  expect(await signIn()).toContain('/web/msg/error/login');
  github.account = { id: 1, login: 'eve', teams: ['acme/dev'] };
  expect(await signIn()).toContain('/web/msg/error/login');
  expect(await findUser(gateway.storage.db, 'eve')).toBeUndefined();
});

test('what GitHub says sets what records hold only where the mapping names it', async () => {
  await addRole('said', "{logins: ['{{internal.logins}}', '{{external.name}}'], node_labels: {'*': '*'}}");
  await save();
  await signIn();
  expect(await traits()).toEqual({ name: ['root'] });

  await call(admin.send, githubConnectorRoutes.remove, { params: { name: 'acme' } });
  await save({ traits: [{ from: 'teams', value: '^acme/(.*)$', to: 'logins', as: '$1' }] });
  github.account = { id: 4712, login: 'Bea', teams: ['acme/dev'] };
  await signIn();
  expect((await findUser(gateway.storage.db, 'bea'))?.traits).toEqual({ logins: ['dev'] });
});
