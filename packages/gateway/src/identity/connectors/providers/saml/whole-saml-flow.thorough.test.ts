/** The whole way through a SAML provider: a browser leaves the gateway, a form of the provider brings it back, and it is signed in. */
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { clusterRoutes } from '@gatehouse/contract/console/clusters';
import { cliLoginRoutes } from '@gatehouse/contract/identity/cli-login';
import { connectorTestRoutes } from '@gatehouse/contract/identity/connectors/connector-tests';
import { samlConnectorRoutes } from '@gatehouse/contract/identity/connectors/connectors';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeSamlKeys } from '../../../../../testing/connectors/saml-keys.ts';
import { type SamlForm, type SamlWorld, startSamlWorld } from '../../../../../testing/connectors/saml-world.ts';
import { ORIGIN, visit } from '../../../../../testing/connectors/sso-gateway.ts';
import { type IdentityGateway, startIdentityGateway } from '../../../../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../../../../testing/test-browser.ts';
import { createAudit, GATEWAY_CHAIN } from '../../../../platform/audit/emit.ts';
import { noteFacts } from '../../sign-in/note-facts.ts';
import { findConnector, noteConnector } from '../../stores/connector-store.ts';

let gateway: IdentityGateway;
let world: SamlWorld;
let admin: TestBrowser;

beforeEach(async () => {
  gateway = await startIdentityGateway();
  world = await startSamlWorld({ now: () => gateway.clock.now });
  await gateway.addUser('admin', { roles: ['editor', 'access', 'auditor'] });
  admin = await gateway.signedIn('admin');
  const spec = {
    entity_descriptor: world.descriptor(),
    username_attribute: 'mail',
    attributes_to_roles: [{ name: 'groups', value: 'staff', roles: ['access'] }],
  };
  const content = JSON.stringify({ kind: 'saml', version: 'v2', metadata: { name: 'acme' }, spec });
  await call(admin.send, samlConnectorRoutes.create, { body: { content } });
  world.enter((await gateway.browser().visit('/v1/webapi/saml/metadata/acme')).text);
});
afterEach(async () => {
  await gateway.close();
  await world.close();
});

async function toProvider(browser: TestBrowser): Promise<string> {
  const wanted = encodeURIComponent(`${ORIGIN}/web/users`);
  return await visit(browser, `/v1/webapi/saml/sso?connector_id=acme&redirect_url=${wanted}`);
}

/** From the provider's page: another site, and so without a cookie of ours. */
async function post({ action, fields }: SamlForm, remoteAddress = '127.0.0.1'): Promise<string> {
  const { body } = await gateway.app.inject({
    method: 'POST',
    url: new URL(action).pathname,
    remoteAddress,
    headers: {
      host: 'localhost:3080',
      origin: new URL(world.sso).origin,
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
      'content-type': 'application/x-www-form-urlencoded',
    },
    payload: new URLSearchParams({ ...fields }).toString(),
  });
  return /content="0;URL='([^']*)'"/.exec(body)?.[1]?.replaceAll('&amp;', '&') ?? body;
}

test('somebody new gets in with the roles of their groups, and ends where they wanted to go', async () => {
  const browser = gateway.browser();

  const form = await world.signIn(await toProvider(browser), 'ann');
  const finish = await post(form);

  expect(form.action).toBe(`${ORIGIN}/v1/webapi/saml/acs/acme`);
  expect(await visit(browser, finish)).toBe('/web/users');
  await browser.open();
  expect(await call(browser.send, clusterRoutes.context, { params: { clusterId: '-current-' } })).toMatchObject({
    authType: 'sso',
    userName: 'ann@acme.example',
  });
});

test('a command line that is accepted in the browser ends when the provider said that the browser does', async () => {
  const until = gateway.clock.now + 20 * 60_000;
  Object.assign(world.accounts.get('ann')!, { sessionNotOnOrAfter: until });
  const browser = gateway.browser();
  await visit(browser, await post(await world.signIn(await toProvider(browser), 'ann')));
  await browser.open();

  const { requestId, secret } = await call(browser.send, cliLoginRoutes.begin, { body: { client: 'gatehouse on x' } });
  await call(browser.send, cliLoginRoutes.answer, { params: { requestId }, body: { action: 'accept' } });
  const got = await call(browser.send, cliLoginRoutes.poll, { params: { requestId }, body: { secret } });

  expect(got).toMatchObject({ state: 'accepted', expires: new Date(until).toISOString() });
});

test('an answer counts once, and in the browser that asked for it', async () => {
  const browser = gateway.browser();
  const form = await world.signIn(await toProvider(browser), 'ann');
  const finish = await post(form);

  expect(await post(form)).toContain('/web/msg/error/login');
  expect(await visit(gateway.browser(), finish)).toContain('/web/msg/error/login');
});

test('an answer that was changed leads to the page with fixed words, and its reason to the audit log', async () => {
  const form = await world.signIn(await toProvider(gateway.browser()), 'ann');
  const xml = Buffer.from(form.fields.SAMLResponse, 'base64').toString().replace('>staff<', '>admins<');

  const ends = await post({ ...form, fields: { ...form.fields, SAMLResponse: Buffer.from(xml).toString('base64') } });

  expect(ends).toContain('/web/msg/error/login/callback');
  expect(ends).not.toContain('signature');
  const events = await gateway.events();
  expect(events.findLast(({ code }) => code === 'T1001W')?.data.error).toContain(
    'the signature of the assertion does not fit',
  );
});

test('who posts more answers at once than are checked is turned away with an id, and others sign in meanwhile', async () => {
  const forged = async (at: number) => {
    const form = await world.signIn(await toProvider(gateway.browser({ address: `192.0.2.${at}` })), 'ann');
    const xml = Buffer.from(form.fields.SAMLResponse, 'base64').toString();
    const long = xml.replace('>staff<', `>${'&amp;'.repeat(20_000)}<`);
    return { ...form, fields: { ...form.fields, SAMLResponse: Buffer.from(long).toString('base64') } };
  };
  const forms = await Promise.all(Array.from({ length: 14 }, (_, at) => forged(at)));
  const browser = gateway.browser();
  const honest = await world.signIn(await toProvider(browser), 'ann');

  const posted = forms.map((form) => post(form, '198.51.100.7'));
  const finish = await post(honest, '203.0.113.7');
  const ends = await Promise.all(posted);

  expect(await visit(browser, finish)).toBe('/web/users');
  for (const end of ends) expect(end).toMatch(/^\/web\/msg\/error\/login(?:\/callback)?\?said=/);
  const reasons = (await gateway.events()).filter(({ code }) => code === 'T1001W').map(({ data }) => data);
  expect(reasons).toHaveLength(14);
  expect(reasons.filter(({ error }) => String(error).includes('does not fit'))).not.toHaveLength(0);
  const turnedAway = reasons.filter(
    ({ error }) => error === 'too many answers wait to be checked: begin again in a moment',
  );
  expect(turnedAway).not.toHaveLength(0);
  expect(turnedAway[0]?.failure_id).toMatch(/^[0-9a-f]{12}$/);
});

test('a gateway that closes does not wait for the answers it has', async () => {
  const form = await world.signIn(await toProvider(gateway.browser()), 'ann');

  const posted = post(form);
  await gateway.close();
  // For whoever tidies up.
  gateway = await startIdentityGateway();

  expect(await posted.catch(() => 'nothing')).toBeTypeOf('string');
});

test('a provider that signs with another certificate is told, once, and what a draft learns elsewhere is not kept', async () => {
  const { db } = gateway.storage;
  const factsOf = async () => (await findConnector(db, 'acme'))?.facts.certificates;
  const changes = async () => (await gateway.events()).filter(({ code }) => code === 'GH154I');
  const signIn = async () => {
    const browser = gateway.browser();
    await visit(browser, await post(await world.signIn(await toProvider(browser), 'ann')));
  };
  await signIn();
  const now = await factsOf();
  expect(await changes()).toEqual([]);
  await db.transaction().execute((tx) => noteConnector(tx, 'acme', { facts: { certificates: ['AA:BB'] } }));

  await signIn();
  await signIn();

  expect((await changes()).map(({ data }) => data)).toMatchObject([{ name: 'acme', fingerprints: now }]);
  const audit = createAudit({ now: () => gateway.clock.now, clusterName: 'localhost', chain: GATEWAY_CHAIN });
  const elsewhere = { issuer: 'https://elsewhere.example', facts: { certificates: ['CC:DD'] } };
  await db.transaction().execute((tx) => noteFacts(tx, audit, 'acme', elsewhere));
  expect(await factsOf()).toEqual(now);
});

const specWith = (spec: Record<string, unknown>) =>
  JSON.stringify({
    kind: 'saml',
    version: 'v2',
    metadata: { name: 'acme' },
    spec: {
      username_attribute: 'mail',
      attributes_to_roles: [{ name: 'groups', value: 'x', roles: ['plain'] }],
      ...spec,
    },
  });

test('who may edit connectors, and not roles, lets no other key speak for people who can do more', async () => {
  const makeRole = (name: string, allow: string) =>
    call(admin.send, roleRoutes.create, {
      body: { content: `{kind: role, version: v6, metadata: {name: ${name}}, spec: {allow: ${allow}}}` },
    });
  await makeRole('connecting', '{rules: [{resources: [auth_connector], verbs: ["*"]}]}');
  await makeRole('plain', '{logins: [deploy], node_labels: {env: dev}}');
  await gateway.addUser('lim', { roles: ['connecting', 'plain'] });
  const limited = await gateway.signedIn('lim');
  const update = (spec: Record<string, unknown>) =>
    call(limited.send, samlConnectorRoutes.update, { params: { name: 'acme' }, body: { content: specWith(spec) } });
  const browser = gateway.browser();
  await visit(browser, await post(await world.signIn(await toProvider(browser), 'ann')));
  await expect(update({ entity_descriptor: world.descriptor() })).rejects.toThrow(
    "you cannot change what 'acme' gives now",
  );
  const content = specWith({ entity_descriptor: world.descriptor() });
  await call(admin.send, samlConnectorRoutes.update, { params: { name: 'acme' }, body: { content } });
  const own = await makeSamlKeys('their own', { from: gateway.clock.now - 86_400_000 });
  const descriptor = { entity_descriptor: world.descriptor() };

  await expect(update({ issuer: world.issuer, sso: world.sso, cert: own.cert })).rejects.toMatchObject({
    code: 'denied',
  });
  await expect(update({ ...descriptor, subject_attribute: 'mail' })).rejects.toMatchObject({ code: 'denied' });
  await update({ ...descriptor, display: 'Acme' });
});

test.each([
  ['acs', { acs: 'https://evil.example/v1/webapi/saml/acs/acme' }, "'spec.acs' leads to https://evil.example"],
  ['path', { acs: `${ORIGIN}/v1/webapi/oidc/callback/acme` }, 'must end in /v1/webapi/saml/acs/acme'],
])(
  'assertions are sent nowhere but to this gateway: another %s is refused, also to administrators',
  async (_, spec, why) => {
    const body = { content: specWith({ entity_descriptor: world.descriptor(), ...spec }) };

    await expect(call(admin.send, samlConnectorRoutes.update, { params: { name: 'acme' }, body })).rejects.toThrow(why);
  },
);

test.each([
  ['audience', { audience: 'urn:another-application' }],
  ['name of the service', { service_provider_issuer: 'urn:another-application' }],
])('with another %s its people are signed out', async (_, spec) => {
  const browser = gateway.browser();
  await visit(browser, await post(await world.signIn(await toProvider(browser), 'ann')));
  await browser.open();
  const open = () => call(browser.send, clusterRoutes.context, { params: { clusterId: '-current-' } });
  expect(await open()).toMatchObject({ userName: 'ann@acme.example' });

  const attributes_to_roles = [{ name: 'groups', value: 'staff', roles: ['access'] }];
  const content = specWith({ entity_descriptor: world.descriptor(), attributes_to_roles, ...spec });
  await call(admin.send, samlConnectorRoutes.update, { params: { name: 'acme' }, body: { content } });

  await expect(open()).rejects.toMatchObject({ status: 403 });
});

test('a draft that is tried teaches nothing to those who sign in, also in the name of the same provider', async () => {
  const { db } = gateway.storage;
  const { id, url } = await call(admin.send, connectorTestRoutes.begin, {
    body: {
      kind: 'saml',
      content: specWith({
        display: 'A draft',
        entity_descriptor: world.descriptor(),
        attributes_to_roles: [{ name: 'groups', value: 'staff', roles: ['access'] }],
      }),
    },
  });
  const browser = gateway.browser();
  await visit(browser, await post(await world.signIn(await visit(browser, new URL(url).pathname), 'ann')));

  expect(await call(admin.send, connectorTestRoutes.read, { params: { id } })).toMatchObject({ state: 'passed' });
  expect((await findConnector(db, 'acme'))?.facts).toEqual({});
});
