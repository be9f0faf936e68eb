/** Somebody with two connectors has what either gives: who opens a way through the lesser one has what the greater gives as well. */
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { oidcConnectorRoutes } from '@gatehouse/contract/identity/connectors/connectors';
import { identityRoutes } from '@gatehouse/contract/identity/connectors/identities';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ANN, type SsoGateway, startSsoGateway } from '../../../../testing/connectors/sso-gateway.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';
import { listIdentitiesOf } from '../stores/identity-store.ts';

const NAME = 'ann@acme.example';
const role = (name: string, allow: string) =>
  `{kind: role, version: v6, metadata: {name: ${name}}, spec: {allow: ${allow}}}`;
const mapping = (...entries: [string, string[]][]) => ({
  claims_to_roles: entries.map(([value, roles]) => ({ claim: 'groups', value, roles })),
});
const MORE = mapping(['staff', ['plain']], ['boss', ['editor']]);
const NO_MORE = mapping(['staff', ['plain']]);
const refused = { code: 'denied', message: expect.stringMatching(/'ann@acme.example'.*through 'okta'.*role 'editor'/) };

let gateway: SsoGateway;
let hal: TestBrowser;
beforeEach(async () => {
  gateway = await startSsoGateway({
    accounts: { ann: ANN, second: { ...ANN, email: 'second@acme.example' } },
    connectors: ['okta', 'other'],
  });
  const rules = '{rules: [{resources: [user, auth_connector], verbs: ["*"]}]}';
  for (const content of [role('plain', '{node_labels: {env: dev}, logins: [deploy]}'), role('helping', rules)])
    await call(gateway.admin.send, roleRoutes.create, { body: { content } });
  await gateway.addUser('hal', { roles: ['plain', 'helping'] });
  hal = await gateway.signedIn('hal');
  await gateway.save(MORE);
  await gateway.save(NO_MORE, 'other');
  await gateway.signIn(gateway.browser(), 'ann');
});
afterEach(() => gateway.close());

const link = (browser: TestBrowser, subject: string) =>
  call(browser.send, identityRoutes.link, { params: { username: NAME }, body: { connector: 'other', subject } });
const update = (browser: TestBrowser, name: string, spec: Record<string, unknown>) =>
  call(browser.send, oidcConnectorRoutes.update, {
    params: { name },
    body: { content: gateway.document(spec, name) },
  });
const connectorsOf = async (user: string) =>
  (await listIdentitiesOf(gateway.storage.db, user)).map(({ connector }) => connector);

test('nobody links somebody to a connector that gives little, while another could make them more', async () => {
  await expect(link(hal, 'second')).rejects.toMatchObject(refused);
  expect(await connectorsOf(NAME)).toEqual(['okta']);

  expect(await link(gateway.admin, 'second')).toMatchObject({ subject: 'second' });
});

test('nor while the other is switched off, and has taken everything back', async () => {
  await update(gateway.admin, 'okta', { ...MORE, enabled: false });

  await expect(link(hal, 'second')).rejects.toMatchObject(refused);
  expect(await connectorsOf(NAME)).toEqual(['okta']);
});

test('where none of them gives more than they hold, they link', async () => {
  await update(gateway.admin, 'okta', NO_MORE);

  expect(await link(hal, 'second')).toMatchObject({ subject: 'second' });
});

test('nobody lets another client speak at the lesser one for somebody whom the greater could make more', async () => {
  await link(gateway.admin, 'ann');
  const another = { ...NO_MORE, client_id: 'client-another' };

  await expect(update(hal, 'other', another)).rejects.toMatchObject(refused);
  await update(hal, 'other', { ...NO_MORE, display: 'Other' });
  await update(gateway.admin, 'other', another);
});

test('nor for somebody who is unlinked from the greater, and still holds what it gave', async () => {
  await link(gateway.admin, 'ann');
  const { db } = gateway.storage;
  await db.deleteFrom('user_identity').where('connector', '=', 'okta').execute();

  await expect(update(hal, 'other', { ...NO_MORE, client_id: 'client-another' })).rejects.toMatchObject(refused);
});

test('nobody deletes a connector that gives what they could not', async () => {
  const remove = (browser: TestBrowser, name: string) =>
    call(browser.send, oidcConnectorRoutes.remove, { params: { name } });

  await expect(remove(hal, 'okta')).rejects.toMatchObject({
    code: 'denied',
    message: expect.stringMatching(/you cannot change what 'okta' gives now: .*role 'editor'/),
  });
  expect(await connectorsOf(NAME)).toEqual(['okta']);
  await remove(hal, 'other');
  await remove(gateway.admin, 'okta');
  expect(await connectorsOf(NAME)).toEqual([]);
});
