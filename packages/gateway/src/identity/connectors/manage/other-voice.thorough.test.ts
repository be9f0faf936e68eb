/** Whoever edits a connector cannot let codes go elsewhere, nor let those speak for its people who speak to another application. */
import { applyRoutes } from '@gatehouse/contract/access/apply/apply';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { connectorTestRoutes } from '@gatehouse/contract/identity/connectors/connector-tests';
import { oidcConnectorRoutes } from '@gatehouse/contract/identity/connectors/connectors';
import { identityRoutes } from '@gatehouse/contract/identity/connectors/identities';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ANN, ORIGIN, type SsoGateway, startSsoGateway, visit } from '../../../../testing/connectors/sso-gateway.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';
import { findIdentity } from '../stores/identity-store.ts';

const EVIL = { redirect_url: 'https://evil.example/v1/webapi/oidc/callback/okta' };
const FOREIGN = `'spec.redirect_url' leads to https://evil.example, and this gateway is ${ORIGIN}`;

let gateway: SsoGateway;
beforeEach(async () => {
  gateway = await startSsoGateway({ accounts: { ann: ANN } });
});
afterEach(() => gateway.close());

const update = (browser: TestBrowser, spec: Record<string, unknown>) =>
  call(browser.send, oidcConnectorRoutes.update, {
    params: { name: 'okta' },
    body: { content: gateway.document(spec) },
  });

test('codes are sent nowhere but to this gateway, whoever saves, tries or applies it', async () => {
  await expect(gateway.save(EVIL)).rejects.toThrow(FOREIGN);
  await gateway.save();
  await expect(update(gateway.admin, EVIL)).rejects.toThrow(FOREIGN);
  const content = gateway.document(EVIL);
  const tried = call(gateway.admin.send, connectorTestRoutes.begin, { body: { kind: 'oidc', content } });
  await expect(tried).rejects.toThrow(FOREIGN);
  const applied = call(gateway.admin.send, applyRoutes.apply, {
    params: { clusterId: 'localhost' },
    body: { documents: content, dryRun: false },
  });
  await expect(applied).rejects.toThrow(FOREIGN);
  await update(gateway.admin, { redirect_url: `${ORIGIN}/v1/webapi/oidc/callback/okta` });
});

test('one that was saved for another address sends nobody to the provider', async () => {
  await gateway.save();
  const content = gateway.document({ ...EVIL, client_secret: undefined });
  await gateway.storage.db.updateTable('connector').set({ content, revision: 'older' }).execute();

  expect(await visit(gateway.browser(), '/v1/webapi/oidc/login/web?connector_id=okta')).toContain(
    '/web/msg/error/login',
  );
  const event = (await gateway.events()).findLast(({ code }) => code === 'T1001W');
  expect(event?.data.error).toContain(FOREIGN);
});

test('with another client its people are signed out and asked about no more; the next sign-in is theirs again', async () => {
  await gateway.save();
  const browser = gateway.browser();
  await gateway.signIn(browser, 'ann');
  await browser.open();
  const own = () => call(browser.send, identityRoutes.own, {});
  expect(await own()).toHaveLength(1);
  await update(gateway.admin, { display: 'Acme' });
  expect(await own()).toHaveLength(1);

  await update(gateway.admin, { client_id: 'client-another' });

  await expect(own()).rejects.toMatchObject({ status: 403 });
  expect(await findIdentity(gateway.storage.db, 'okta', 'ann')).toMatchObject({ sealedTokens: undefined });
  const ended = (await gateway.events()).findLast(({ code }) => code === 'GH152I');
  expect(ended?.data).toMatchObject({ name: 'ann@acme.example', reason: 'what speaks for its provider was changed' });
  await update(gateway.admin, {});
  expect(await gateway.signIn(browser, 'ann')).toBe('/web');
});

test('who may edit connectors, and not roles, changes the client only where they could have each account as their own', async () => {
  for (const [name, allow] of [
    ['connecting', '{rules: [{resources: [auth_connector], verbs: ["*"]}]}'],
    ['plain', '{logins: [deploy], node_labels: {env: dev}}'],
  ])
    await call(gateway.admin.send, roleRoutes.create, {
      body: { content: `{kind: role, version: v6, metadata: {name: ${name}}, spec: {allow: ${allow}}}` },
    });
  await gateway.addUser('lim', { roles: ['connecting', 'plain'] });
  const limited = await gateway.signedIn('lim');
  const PLAIN = { claims_to_roles: [{ claim: 'groups', value: 'staff', roles: ['plain'] }] };
  await gateway.save();
  await gateway.signIn(gateway.browser(), 'ann');
  await update(gateway.admin, PLAIN);

  const another = { ...PLAIN, client_id: 'client-another' };
  await expect(update(limited, another)).rejects.toMatchObject({ code: 'denied' });
  await gateway.setRoles('ann@acme.example', ['plain']);
  await update(limited, another);
});
