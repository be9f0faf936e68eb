/** Whoever is named again as somebody at a provider is still asked about there: nobody ends that, or renews what it confirmed, by a word. */
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { identityRoutes } from '@gatehouse/contract/identity/connectors/identities';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { linkOwn } from '../../../../testing/connectors/link-own.ts';
import { ANN, type SsoGateway, startSsoGateway } from '../../../../testing/connectors/sso-gateway.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';

const NAME = 'ann@acme.example';
const MINUTE = 60_000;

let gateway: SsoGateway;
let ann: TestBrowser;
beforeEach(async () => {
  gateway = await startSsoGateway({ accounts: { ann: ANN } });
  const content =
    '{kind: role, version: v6, metadata: {name: helping}, spec: {allow: {rules: [{resources: [user], verbs: ["*"]}]}}}';
  await call(gateway.admin.send, roleRoutes.create, { body: { content } });
  await gateway.save({ claims_to_roles: [{ claim: 'groups', value: 'staff', roles: ['helping'] }] });
  ann = gateway.browser();
  await gateway.signIn(ann, 'ann', { isFresh: true });
  await ann.open();
});
afterEach(() => gateway.close());

const name = (by: TestBrowser) =>
  call(by.send, identityRoutes.link, { params: { username: NAME }, body: { connector: 'okta', subject: 'ann' } });
const row = () => gateway.storage.db.selectFrom('user_identity').selectAll().executeTakeFirstOrThrow();
const asked = async () => {
  const { confirmed, sealed_tokens, next_recheck } = await row();
  return { confirmed, sealed_tokens, next_recheck };
};

test('twice is as once: what it is asked with, when, and since when it is confirmed, stay', async () => {
  const before = await asked();
  expect(before).toMatchObject({ sealed_tokens: expect.any(String), next_recheck: expect.any(Number) });
  gateway.clock.advance(MINUTE);
  await name(gateway.admin);
  await name(gateway.admin);

  expect(await asked()).toEqual(before);
  expect(await row()).toMatchObject({ issuer: '', linked_by: 'editor' });
});

test('nor does the word of a helper take the place of an editor, while the provider is unheard', async () => {
  await gateway.addUser('hal', { roles: ['helping'] });
  await name(gateway.admin);
  await name(await gateway.signedIn('hal'));

  expect(await row()).toMatchObject({ linked_by: 'editor', sealed_tokens: expect.any(String) });
});

test('nobody names themselves again by that call', async () => {
  const before = await row();
  await expect(name(ann)).rejects.toMatchObject({
    code: 'conflict',
    message: "you are 'ann' of 'okta' already: link it again under Account, or ask an administrator",
  });

  expect(await row()).toEqual(before);
});

test('who proves it again is asked about with what the provider gave now, and not confirmed in what it gave before', async () => {
  // Sooner than any that a sign-in of now would begin with.
  const next_recheck = gateway.clock.now + MINUTE;
  await gateway.storage.db.updateTable('user_identity').set({ next_recheck }).execute();
  const before = await asked();
  expect(await linkOwn(gateway, ann)).toContain('can be closed');

  const after = await asked();
  expect(after.sealed_tokens).not.toBe(before.sealed_tokens);
  expect(after).toMatchObject({ confirmed: before.confirmed, next_recheck: before.next_recheck });
});

test('who links themselves is asked about from then on', async () => {
  await gateway.storage.db.deleteFrom('user_identity').execute();
  await gateway.addUser('eve', { roles: ['access'] });
  expect(await linkOwn(gateway, await gateway.signedIn('eve'))).toContain('can be closed');

  expect(await row()).toMatchObject({
    user: 'eve',
    sealed_tokens: expect.any(String),
    next_recheck: expect.any(Number),
  });
});
