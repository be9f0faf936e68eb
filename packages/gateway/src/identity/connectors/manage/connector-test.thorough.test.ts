/** A test of a connector shows everything and changes nothing. */
import { connectorTestRoutes } from '@gatehouse/contract/identity/connectors/connector-tests';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ANN, ORIGIN, type SsoGateway, startSsoGateway, visit } from '../../../../testing/connectors/sso-gateway.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';

let gateway: SsoGateway;
beforeEach(async () => {
  gateway = await startSsoGateway({ accounts: { ann: ANN } });
});
afterEach(() => gateway.close());

async function begin(spec: Record<string, unknown> = {}) {
  const body = { kind: 'oidc' as const, content: gateway.document(spec) };
  return call(gateway.admin.send, connectorTestRoutes.begin, { body });
}
const read = (id: string) => call(gateway.admin.send, connectorTestRoutes.read, { params: { id } });

async function walk(browser: TestBrowser, url: string): Promise<string> {
  gateway.world.signInAs('ann');
  const begun = await visit(browser, url.slice(ORIGIN.length));
  if (!begun.startsWith('http')) return begun;
  let at = (await gateway.world.follow(begun, `${ORIGIN}/v1/webapi/oidc/callback`)).slice(ORIGIN.length);
  while (at.startsWith('/v1/')) at = await visit(browser, at);
  return at;
}

test('a draft that nobody saved is tried: every claim, and the entry that gives each role', async () => {
  const { id, url } = await begin({
    claims_to_roles: [
      { claim: 'groups', value: 'st*', roles: ['access', 'no-such-role'] },
      { claim: 'groups', value: 'nobody', roles: ['editor'] },
    ],
  });
  expect(await read(id)).toMatchObject({ state: 'waiting' });

  const words = await walk(gateway.browser(), url);

  expect(words).toContain('can be closed');
  const told = await read(id);
  expect(told).toMatchObject({
    state: 'passed',
    user: 'ann@acme.example',
    outcome: 'new',
    claims: { groups: ['staff', 'ops'], email: ['ann@acme.example'] },
    roles: [
      { role: 'access', entry: 'claims_to_roles[0]', exists: true },
      { role: 'no-such-role', entry: 'claims_to_roles[0]', exists: false },
    ],
    unmatched: ['claims_to_roles[1]'],
  });
  expect(told.steps.map(({ status }) => status)).toEqual(Array(7).fill('passed'));
  expect(JSON.stringify(told)).not.toMatch(/eyJ/);
});

test('what their roles would use and they have none of is told by itself, as a connector calls it', async () => {
  const gives = { claims_to_roles: [{ claim: 'groups', value: 'staff', roles: ['access'] }] };
  const lackingOf = async (spec: Record<string, unknown>) => {
    const { id, url } = await begin(spec);
    await walk(gateway.browser(), url);
    return (await read(id)).lacking;
  };

  expect(await lackingOf(gives)).toMatchObject([
    { trait: 'logins', to: 'logins', why: expect.stringContaining("'ann@acme.example' has no logins") },
  ]);
  const traits = [{ from: 'groups', value: 'staff', to: 'logins', as: 'deploy' }];
  expect(await lackingOf({ ...gives, traits })).toEqual([]);
});

test('a test as somebody else lets the provider ask who it is', async () => {
  const promptOf = async (asksWho: boolean) => {
    const body = { kind: 'oidc' as const, content: gateway.document(), asksWho };
    const { url } = await call(gateway.admin.send, connectorTestRoutes.begin, { body });
    return new URL(await visit(gateway.browser(), url.slice(ORIGIN.length))).searchParams.get('prompt');
  };

  expect(await promptOf(false)).toBeNull();
  expect(await promptOf(true)).toBe('login');
});

test('a role that takes logins nobody gets is told before anybody sees servers and gets into none', async () => {
  const gives = { claims_to_roles: [{ claim: 'groups', value: 'staff', roles: ['access'] }] };
  const traits = [{ from: 'groups', value: 'staff', to: 'logins', as: 'deploy' }];
  const noted = async (spec: Record<string, unknown>) => {
    const body = { kind: 'oidc' as const, content: gateway.document(spec) };
    return (await call(gateway.admin.send, connectorTestRoutes.check, { body })).notes;
  };
  const userStep = async (spec: Record<string, unknown>) => {
    const { id, url } = await begin(spec);
    await walk(gateway.browser(), url);
    return (await read(id)).steps.find(({ step }) => step === 'user');
  };

  expect(await noted(gives)).toEqual([expect.stringMatching(/^role 'access' would use people's logins/)]);
  expect(await noted({ ...gives, traits })).toEqual([]);
  expect(await userStep(gives)).toMatchObject({
    status: 'passed',
    message: expect.stringMatching(/^'ann@acme.example' would be made; 'ann@acme.example' has no logins/),
  });
  expect(await userStep({ ...gives, traits })).toMatchObject({ message: "'ann@acme.example' would be made" });
});

test('of a test that was begun on the machine of the gateway, it says so', async () => {
  const { id, url } = await begin();
  await gateway.storage.db.updateTable('sso_attempt').set({ user: '-local-' }).where('id', '=', id).execute();
  const page = await gateway.browser().visit(url.slice(ORIGIN.length), { 'sec-fetch-site': 'none' });
  expect(page.text).toContain('An administrator on the gateway&#39;s machine tries the sign-in connector');
});

test.each(['cross-site', 'same-site', 'none'])(
  'who is led to it from elsewhere (%s) is told first whom it shows what the provider says of them',
  async (site) => {
    const { id, url } = await begin();
    const [path, browser] = [url.slice(ORIGIN.length), gateway.browser()];
    const page = await browser.visit(path, { 'sec-fetch-site': site });
    expect(page.text).toContain('&#39;admin&#39; tries the sign-in connector &#39;okta&#39;');
    expect(page.text).toContain(`<a href="${path}">`);
    expect(page.text).not.toContain('refresh');
    expect(await read(id)).toMatchObject({ state: 'waiting' });

    const next = await browser.visit(path, { 'sec-fetch-site': 'same-origin' });
    expect(next.location).toContain(gateway.world.issuer);
  },
);

test('nothing is changed by it: no user, no sign-in, no connector', async () => {
  const before = await counts();
  const browser = gateway.browser();
  const { url } = await begin();
  await walk(browser, url);

  expect(await counts()).toEqual(before);
  expect(browser.cookies.has('session')).toBe(false);
  expect((await gateway.events()).map(({ code }) => code)).toContain('T1010I');
});

test('what fails is told with its step, and only to whoever began it', async () => {
  const { id, url } = await begin({ client_secret: 'not the right one' });
  await walk(gateway.browser(), url);

  const told = await read(id);
  expect(told.state).toBe('failed');
  expect(told.steps.find(({ status }) => status === 'failed')).toMatchObject({ step: 'token' });
  expect((await gateway.events()).map(({ code }) => code)).toContain('T1011W');
  await gateway.addUser('other', { roles: ['editor'] });
  const other = await gateway.signedIn('other');
  await expect(call(other.send, connectorTestRoutes.read, { params: { id } })).rejects.toThrow();
});

test('its address opens once', async () => {
  const { url } = await begin();
  await visit(gateway.browser(), url.slice(ORIGIN.length));

  expect(await visit(gateway.browser(), url.slice(ORIGIN.length))).toContain('opened before');
});

test('the effect of a draft is told for those who have been here', async () => {
  await gateway.save();
  await gateway.signIn(gateway.browser(), 'ann');
  const effect = (spec: Record<string, unknown>) =>
    call(gateway.admin.send, connectorTestRoutes.effect, { body: { kind: 'oidc', content: gateway.document(spec) } });

  expect(await effect({})).toEqual({ users: [], unchanged: 1 });
  expect(await effect({ claims_to_roles: [{ claim: 'groups', value: 'ops', roles: ['auditor'] }] })).toEqual({
    users: [{ user: 'ann@acme.example', before: ['access'], after: ['auditor'] }],
    unchanged: 0,
  });
  const none = await effect({ claims_to_roles: [{ claim: 'groups', value: 'x', roles: ['auditor'] }] });
  expect(none.users[0]).toMatchObject({ after: [], refused: expect.stringContaining('no entry') });
});

test('what to enter over there is told before anything is saved', async () => {
  const { enter } = await call(gateway.admin.send, connectorTestRoutes.check, {
    body: { kind: 'oidc', content: gateway.document() },
  });

  expect(enter).toEqual(
    expect.arrayContaining([
      { what: 'callback', value: `${ORIGIN}/v1/webapi/oidc/callback/okta` },
      { what: 'backchannel', value: `${ORIGIN}/v1/webapi/oidc/backchannel/okta` },
    ]),
  );
});

async function counts() {
  const { db } = gateway.storage;
  const tables = ['user', 'sign_in', 'connector', 'user_identity'] as const;
  return Promise.all(
    tables.map(async (table) => {
      const { count } = await db
        .selectFrom(table)
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return Number(count);
    }),
  );
}
