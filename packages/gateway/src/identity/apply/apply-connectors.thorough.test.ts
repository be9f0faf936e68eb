import { applyRoutes } from '@gatehouse/contract/access/apply/apply';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { oidcConnectorRoutes } from '@gatehouse/contract/identity/connectors/connectors';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type IdentityGateway, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';

const params = { clusterId: '-current-' };
const SECRET = 's3cret-of-the-client';

let gateway: IdentityGateway;
let admin: TestBrowser;
beforeEach(async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('admin', { roles: ['editor'] });
  admin = await gateway.signedIn('admin');
});
afterEach(() => gateway.close());

const apply = (browser: TestBrowser, documents: string, more: { dryRun?: boolean } = {}) =>
  call(browser.send, applyRoutes.apply, { params, body: { documents, ...more } });
const exported = (browser: TestBrowser, query: { kinds?: string; name?: string; revisions?: 'yes' } = {}) =>
  call(browser.send, applyRoutes.export, { params, query });
const listed = async () => call(admin.send, oidcConnectorRoutes.list, {});

const oidc = (name: string, more: { secret?: string; role?: string; issuer?: string } = {}) =>
  `# of ${name}
kind: oidc
version: v3
metadata:
  name: ${name}
spec:
  issuer_url: ${more.issuer ?? 'https://id.example.com'}
${more.secret === undefined ? '' : `  client_secret: ${more.secret}\n`}  client_id: gatehouse
  claims_to_roles:
    - {claim: groups, value: ops, roles: [${more.role ?? 'access'}]}
`;
const role = (name: string) =>
  `kind: role\nversion: v6\nmetadata:\n  name: ${name}\nspec:\n  allow: {logins: [root]}\n`;

test('connectors are made beside the roles they give, and applied again nothing changes', async () => {
  const text = `${oidc('okta', { secret: SECRET, role: 'dev' })}---\n${role('dev')}`;

  const first = await apply(admin, text);
  const events = await gateway.events();
  const second = await apply(admin, text);

  expect(first.items.map(({ kind, name, action }) => [kind, name, action])).toEqual([
    ['oidc', 'okta', 'created'],
    ['role', 'dev', 'created'],
  ]);
  expect(first.items[0]?.diff).toContain('+++ oidc/okta\n');
  expect(events.map(({ code }) => code)).toContain('T8100I');
  expect(second.items.map(({ action }) => action)).toEqual(['unchanged', 'unchanged']);
  expect(await gateway.events()).toHaveLength(events.length);
  expect(await listed()).toMatchObject([{ name: 'okta', hasSecret: true, content: oidc('okta', { role: 'dev' }) }]);
});

test('a client that is made without a secret is noted, and one that keeps its own is not', async () => {
  const made = await apply(admin, oidc('open'));
  expect(made.items[0]).toMatchObject({ action: 'created', notes: [expect.stringContaining('public client')] });

  await apply(admin, oidc('okta', { secret: SECRET }));
  const kept = await apply(admin, oidc('okta', { role: 'auditor' }));
  expect(kept.items[0]).toMatchObject({ action: 'changed', notes: [] });
});

test('no secret is in a diff, an export or an event, and one that is left out stays', async () => {
  const made = await apply(admin, oidc('okta', { secret: SECRET }));
  const given = await exported(admin, { kinds: 'oidc,github,saml', revisions: 'yes' });
  const changed = await apply(admin, given.documents.replace('value: ops', 'value: platform'));
  const renewed = await apply(admin, oidc('okta', { secret: 'another-secret-of-it' }).replace('ops', 'platform'));

  expect(given.count).toBe(1);
  expect(changed.items[0]).toMatchObject({ action: 'changed', notes: [] });
  expect(changed.items[0]?.diff).toContain('+    - {claim: groups, value: platform');
  expect(renewed.items[0]).toMatchObject({ action: 'changed', diff: '', notes: ["'spec.client_secret' is replaced"] });
  expect((await listed())[0]?.hasSecret).toBe(true);
  const told = JSON.stringify([made, given, changed, renewed, await gateway.events()]);
  for (const secret of [SECRET, 'another-secret-of-it']) expect(told).not.toContain(secret);
});

test('a secret follows its connector to no other provider', async () => {
  await apply(admin, oidc('okta', { secret: SECRET }));

  await expect(apply(admin, oidc('okta', { issuer: 'https://evil.example' }))).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining("'spec.issuer_url' changed: enter 'spec.client_secret' again"),
  });
  expect((await apply(admin, oidc('okta'))).items[0]?.action).toBe('unchanged');
});

test('a dry run says what would change, asks for no proof and does nothing', async () => {
  gateway.clock.advance(6 * 60_000);

  const { items } = await apply(admin, oidc('okta', { secret: SECRET }), { dryRun: true });

  expect(items.map(({ action }) => action)).toEqual(['created']);
  expect(await listed()).toEqual([]);
});

test('a sign-in that was left open changes no connector, and still changes roles', async () => {
  await apply(admin, oidc('okta', { secret: SECRET }));
  gateway.clock.advance(6 * 60_000);

  await expect(apply(admin, `${role('dev')}---\n${oidc('okta', { role: 'auditor' })}`)).rejects.toMatchObject({
    code: 'mfa_required',
  });
  expect((await call(admin.send, roleRoutes.list, {})).map(({ name }) => name)).not.toContain('dev');
  expect((await apply(admin, `${role('dev')}---\n${oidc('okta')}`)).items.map(({ action }) => action)).toEqual([
    'created',
    'unchanged',
  ]);
});

test('a revision is for the connector as it was, and names are shared by all kinds', async () => {
  await apply(admin, oidc('okta', { secret: SECRET }));
  const { documents } = await exported(admin, { kinds: 'oidc', name: 'okta', revisions: 'yes' });
  await apply(admin, oidc('okta', { role: 'auditor' }));
  const github =
    'kind: github\nversion: v3\nmetadata: {name: okta}\nspec: {client_id: x, client_secret: yyyyyyyy, teams_to_roles: [{organization: acme, team: dev, roles: [access]}]}\n';

  await expect(apply(admin, documents.replace('ops', 'platform'))).rejects.toMatchObject({ code: 'compare_failed' });
  await expect(apply(admin, github)).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining("line 1, github 'okta'"),
  });
});

test('what is wrong is told with its line in the whole text', async () => {
  const wrong = oidc('okta').replace('claims_to_roles', 'claim_to_roles');

  await expect(apply(admin, `${role('dev')}---\n${wrong}`)).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining("line 16, column 3: 'spec.claim_to_roles' is not a field here; did you mean"),
  });
});

test('who may not write connectors writes none, and nobody gives by one what they do not hold', async () => {
  const rules = (verbs: string) =>
    `kind: role\nversion: v6\nmetadata: {name: helper}\nspec: {allow: {rules: [{resources: [auth_connector], verbs: [${verbs}]}]}}\n`;
  await apply(admin, rules('list, read'));
  await gateway.addUser('hal', { roles: ['helper'] });
  const hal = await gateway.signedIn('hal');
  await gateway.addUser('nobody', { roles: ['access'] });
  const nobody = await gateway.signedIn('nobody');

  await expect(apply(hal, oidc('okta', { role: 'helper' }))).rejects.toMatchObject({ status: 403 });
  expect((await exported(hal, { kinds: 'oidc' })).count).toBe(0);
  await apply(admin, rules('list, read, create, update'));
  await expect(apply(hal, oidc('okta', { role: 'editor' }))).rejects.toMatchObject({ status: 403 });
  expect((await apply(hal, oidc('okta', { role: 'helper' }))).items[0]?.action).toBe('created');
  await expect(exported(nobody, { kinds: 'oidc' })).rejects.toMatchObject({ status: 403 });
  await expect(apply(nobody, oidc('okta'))).rejects.toMatchObject({ status: 403 });
});
