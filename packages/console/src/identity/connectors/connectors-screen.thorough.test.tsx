import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { OKTA } from '../../../testing/fake-connectors.ts';
import { failure, fakeGateway, fullAcl } from '../../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../../testing/open-page.tsx';

const UPDATE = 'PUT /v1/webapi/oidc/okta';
const CHECK = 'POST /v1/webapi/sso/check';
const BEGIN = 'POST /v1/webapi/sso/test';
const READ = 'GET /v1/webapi/sso/test/t-1';
const PROVIDER = 'https://one.example.com/v1/webapi/sso/go/t-1';

const passed = (step: string) => ({ step, status: 'passed', message: 'fine' });
const RESULT = {
  id: 't-1',
  kind: 'oidc',
  connector: 'okta',
  state: 'passed',
  steps: ['settings', 'discovery', 'redirect', 'token', 'identity', 'mapping', 'user'].map(passed),
  claims: {
    sub: ['00u8'],
    email: ['ann@acme.example'],
    groups: ['payments', 'emea-finance', 'book-club'],
    logins: ['root'],
  },
  counts: { groups: 700 },
  roles: [{ role: 'access', entry: 'claims_to_roles[0]', exists: true }],
  unmatched: ['claims_to_roles[1]'],
  traits: {},
  dropped: [{ claim: 'logins', why: 'it would set a trait of the gateway: name it under traits' }],
  user: 'ann@acme.example',
  outcome: 'new',
  lacking: [],
  expires: '2026-11-15T04:00:00Z',
};

const led: string[] = [];
const newDocument = () => document.implementation.createHTMLDocument();
let isBlocked = false;

beforeEach(() => {
  // happy-dom lays nothing out, and the editor asks where its text stands.
  Range.prototype.getClientRects ??= () => [] as unknown as DOMRectList;
  led.length = 0;
  isBlocked = false;
  vi.spyOn(window, 'open').mockImplementation(() => {
    if (isBlocked) return null;
    const opened = {
      closed: false,
      opener: window,
      document: newDocument(),
      location: { replace: (url: string) => void led.push(url) },
    };
    return Object.assign(opened, { close: () => (opened.closed = true) }) as unknown as Window;
  });
});
afterEach(async () => {
  await closePage();
  vi.restoreAllMocks();
});

async function open(path: string, gateway = fakeGateway()) {
  const page = await openPage(path, { gateway });
  return { ...page, user: userEvent.setup() };
}

function withoutAny() {
  const gateway = fakeGateway();
  gateway.answer('GET /v1/webapi/oidc', { body: [] });
  return gateway;
}

const lastBody = (gateway: ReturnType<typeof fakeGateway>, call: string) =>
  gateway.bodies[gateway.calls.lastIndexOf(call)] as Record<string, string>;

test('cards tell who signs in where, what is wrong, and which leads the login page', async () => {
  const gateway = fakeGateway();
  const hub = {
    ...OKTA,
    id: 'github:hub',
    kind: 'github',
    name: 'hub',
    display: 'Hub',
    icon: 'github',
    enabled: false,
  };
  gateway.answer('GET /v1/webapi/github', { body: [{ ...hub, trouble: "GitHub showed no team of 'acme'" }] });
  const url = '/v1/webapi/oidc/login/web?connector_id=okta&redirect_url=:redirect';
  const pageConfig = {
    auth: { authType: 'oidc', providers: [{ name: 'okta', type: 'oidc', url }] },
    proxyCluster: 'one',
  };
  await openPage('/web/sso', { gateway, world: { pageConfig } });

  const okta = within((await screen.findByRole('heading', { name: 'Okta' })).closest('article') as HTMLElement);
  expect(okta.getByText('OpenID Connect, acme.okta.example')).toBeTruthy();
  expect(okta.getByText('3')).toBeTruthy();
  expect(okta.getByText('Default way in')).toBeTruthy();
  const other = within(screen.getByRole('heading', { name: 'Hub' }).closest('article') as HTMLElement);
  expect(other.getByText("GitHub showed no team of 'acme'.")).toBeTruthy();
  expect(other.getByText('Off')).toBeTruthy();
  expect(document.title).toBe('Manage Auth Connectors');
});

test('without any, the three kinds are explained, and each begins with a button', async () => {
  const gateway = fakeGateway();
  gateway.answer('GET /v1/webapi/oidc', { body: [] });
  await open('/web/sso', gateway);

  expect(await screen.findByRole('heading', { name: 'Or begin with yours' })).toBeTruthy();
  for (const kind of ['OpenID Connect', 'GitHub', 'SAML 2.0'])
    expect(await screen.findByRole('link', { name: `Add ${kind}` })).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Keycloak' }).getAttribute('href')).toBe('/web/sso/new/oidc?preset=keycloak');
});

test('deleting says what ends, wants the name, and a second factor where the gateway asks', async () => {
  const { user, gateway } = await open('/web/sso');
  gateway.answer('DELETE /v1/webapi/oidc/okta', { status: 403, body: failure('mfa_required', 'prove it first') });
  gateway.answer('POST /v1/webapi/mfa/authenticatechallenge', {
    body: { webauthn_challenge: null, totp_challenge: true },
  });
  gateway.answer('POST /v1/webapi/users/privilege/token', { body: 'p-1' });
  await user.click(await screen.findByRole('button', { name: 'Actions for Okta' }));
  await user.click(screen.getByRole('menuitem', { name: 'Delete connector' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Delete Okta?' }));
  expect(dialog.getByText(/3 users sign in through it/)).toBeTruthy();
  expect(dialog.getByText(/every sign-in that was made through it/)).toBeTruthy();
  await user.type(dialog.getByRole('textbox'), 'okta');
  await user.click(dialog.getByRole('button', { name: 'Delete connector' }));

  await user.type(await screen.findByLabelText(/code/i), '123456');
  gateway.answer('DELETE /v1/webapi/oidc/okta', { body: { message: 'ok' } });
  gateway.answer('GET /v1/webapi/oidc', { body: [] });
  await user.click(screen.getAllByRole('button', { name: 'Delete connector' }).at(-1) as HTMLElement);

  expect(await screen.findByText('Okta was deleted.')).toBeTruthy();
  expect(gateway.calls.filter((call) => call === 'DELETE /v1/webapi/oidc/okta')).toHaveLength(2);
});

test('a new one begins with what to enter over there, by its name', async () => {
  const { user, gateway } = await open('/web/sso/new/oidc?preset=okta', withoutAny());

  expect(await screen.findByText('https://one.example.com/v1/webapi/oidc/callback/okta')).toBeTruthy();
  expect(screen.getByText(/In Okta, open Applications/)).toBeTruthy();
  const name = screen.getByLabelText('Name');
  await user.clear(name);
  await user.type(name, 'corp');

  await waitFor(() => {
    const asked = gateway.bodies
      .filter((_, at) => gateway.calls[at] === CHECK)
      .map((body) => (body as { content: string }).content);
    expect(asked.some((content) => content.includes('"name":"corp"'))).toBe(true);
  });
});

test('the gateway is not asked about a draft that nothing was entered into, nor about one without a name', async () => {
  const { user, gateway } = await open('/web/sso/new/oidc?preset=okta', withoutAny());
  await screen.findByText('https://one.example.com/v1/webapi/oidc/callback/okta');
  const name = screen.getByLabelText('Name');
  await user.clear(name);
  // Long enough for whatever is asked when typing rests.
  await new Promise((resolve) => setTimeout(resolve, 800));
  await user.type(name, 'corp');
  const asked = () =>
    gateway.bodies.filter((_, at) => gateway.calls[at] === CHECK).map((body) => (body as { content: string }).content);
  await waitFor(() => expect(asked().some((content) => content.includes('"name":"corp"'))).toBe(true));

  expect(asked().filter((content) => !content.startsWith('{') || content.includes('"name":""'))).toEqual([]);
});

test('fields of the form change their line of the text alone, and what is wrong stands at its field', async () => {
  const { user, gateway } = await open('/web/sso/oidc/okta');
  const issues = [{ path: 'spec.client_id', line: 9, column: 14, message: 'must not be empty' }];
  gateway.answer(CHECK, { status: 400, body: { ...failure('bad_request', 'wrong'), fields: { issues } } });
  await user.clear(await screen.findByLabelText('Client id'));

  expect((await screen.findAllByText('must not be empty')).length).toBeGreaterThan(0);
  await waitFor(() => expect(screen.getByLabelText('Client id').getAttribute('aria-invalid')).toBe('true'));
  await waitFor(() =>
    expect(lastBody(gateway, CHECK).content).toBe(OKTA.content.replace('client_id: c-1', "client_id: ''")),
  );
});

test('a new one that is saved is seen among the others', async () => {
  const { user, gateway } = await open('/web/sso/new/oidc?tab=save');
  const made = { ...OKTA, id: 'oidc:corp', name: 'corp', display: 'Corporate' };
  gateway.answer('POST /v1/webapi/oidc', { body: made });
  gateway.answer('GET /v1/webapi/oidc', { body: [OKTA, made] });
  await user.click(await screen.findByRole('button', { name: 'Save connector' }));

  const link = await screen.findByRole('link', { name: 'Corporate' });
  await waitFor(() => expect(document.activeElement).toBe(link));
  expect(window.location.pathname).toBe('/web/sso');
  await waitFor(() => expect(window.location.search).toBe(''));
});

test('a secret that is kept is said to be, and asked for again when the address changes', async () => {
  const { user } = await open('/web/sso/oidc/okta');
  const secret = await screen.findByLabelText('Client secret');

  expect(secret.getAttribute('placeholder')).toBe('Kept');
  await user.type(screen.getByLabelText('Issuer'), '/two');

  const form = within(screen.getByRole('region', { name: 'Form' }));
  expect(await form.findByText(/enter the secret again/)).toBeTruthy();
  expect(secret.getAttribute('aria-invalid')).toBe('true');
  await user.type(secret, 'hush');
  expect(screen.queryByText(/enter the secret again/)).toBeNull();
});

test('a test opens the provider in a window and shows every claim, which entry gives what, and who it would be', async () => {
  const { user, gateway } = await open('/web/sso/oidc/okta?tab=test');
  gateway.answer(BEGIN, { body: { id: 't-1', url: PROVIDER } });
  gateway.answer(READ, {
    body: { ...RESULT, state: 'waiting', steps: RESULT.steps.slice(0, 2), claims: {}, user: '' },
  });
  await user.click(await screen.findByRole('button', { name: 'Test' }));

  expect(await screen.findByText(/Waiting for you to sign in/)).toBeTruthy();
  expect(led).toEqual([PROVIDER]);
  gateway.answer(READ, { body: RESULT });

  expect(await screen.findByText('It works: ann@acme.example could sign in. Nothing was changed.')).toBeTruthy();
  const said = within(screen.getByRole('region', { name: 'What Okta said' }));
  expect(said.getByText('00u8')).toBeTruthy();
  expect(said.getByText('payments').closest('div')?.textContent).toBe('payments1');
  expect(said.getByText('697 more are counted and not shown.')).toBeTruthy();
  expect(said.getByText(/Left out: it would set a trait/)).toBeTruthy();
  const entries = within(screen.getByRole('region', { name: 'What gives which role' }));
  expect(entries.getByText('1 of 2 fit')).toBeTruthy();
  expect(entries.getByText('Nothing that was said fits.')).toBeTruthy();
  const who = within(screen.getByRole('region', { name: 'Who ann@acme.example would be here' }));
  expect(who.getByText('would be made at the first sign-in')).toBeTruthy();
  expect(who.getByText('entry 1')).toBeTruthy();
});

test('a test as somebody else lets the provider ask, and what somebody lacks is told with the line that gives it', async () => {
  const { user, gateway } = await open('/web/sso/oidc/okta?tab=test');
  gateway.answer(BEGIN, { body: { id: 't-1', url: PROVIDER } });
  const why =
    "'ann@acme.example' has no logins, and role 'access' would use them: without any they sign in to no server by it";
  gateway.answer(READ, { body: { ...RESULT, lacking: [{ trait: 'logins', to: 'logins', why }] } });
  await user.click(await screen.findByRole('button', { name: 'Test' }));

  expect(await screen.findByText(`${why}.`)).toBeTruthy();
  expect(screen.getByRole('region', { name: 'A line that gives logins' }).textContent).toBe(
    'traits:\n  - from: groups\n    value: payments\n    to: logins\n    as: NAME',
  );
  expect(lastBody(gateway, BEGIN).asksWho).toBe(false);
  await user.click(screen.getByRole('button', { name: 'Test as somebody else' }));
  await waitFor(() => expect(lastBody(gateway, BEGIN).asksWho).toBe(true));
});

test('what the gateway refuses is told once', async () => {
  const gateway = fakeGateway();
  const refused = { status: 403, body: failure('denied', "you cannot give role 'editor'") };
  gateway.answer(CHECK, refused);
  gateway.answer('POST /v1/webapi/sso/effect', refused);
  gateway.answer(BEGIN, refused);
  const { user } = await open('/web/sso/oidc/okta', gateway);
  await screen.findByText(/cannot give role 'editor'/);
  expect(screen.queryByText(/^Valid/)).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Go on to the test' }));
  expect(screen.getAllByText(/cannot give role 'editor'/)).toHaveLength(1);
  await user.click(screen.getByRole('button', { name: 'Test' }));
  await waitFor(() => expect(gateway.calls).toContain(BEGIN));

  await waitFor(() => expect(screen.getAllByText(/cannot give role 'editor'/)).toHaveLength(1));
  await user.click(screen.getByRole('button', { name: 'Review and save' }));
  expect(screen.getAllByText(/cannot give role 'editor'/)).toHaveLength(1);
});

test('a group that was seen becomes an entry by one press, and gets its role by another', async () => {
  const { user, gateway } = await open('/web/sso/oidc/okta?tab=test');
  gateway.answer(BEGIN, { body: { id: 't-1', url: PROVIDER } });
  gateway.answer(READ, { body: RESULT });
  await user.click(await screen.findByRole('button', { name: 'Test' }));
  const seen = within(await screen.findByRole('region', { name: /Seen, and looked for by no entry/ }));

  expect(seen.queryByRole('button', { name: /ann@acme/ })).toBeNull();
  await user.click(seen.getByRole('button', { name: /emea-finance/ }));
  const entries = within(screen.getByRole('region', { name: 'What gives which role' }));
  await user.click(entries.getByRole('button', { name: 'auditor' }));
  await user.click(entries.getByRole('button', { name: 'Done' }));
  await user.click(screen.getByRole('button', { name: 'Review and save' }));

  expect((await screen.findByRole('region', { name: 'Changed lines' })).textContent).toContain('value: emea-finance');
  gateway.answer(UPDATE, { body: { ...OKTA, revision: 'okta-2' } });
  await user.click(screen.getByRole('button', { name: 'Save connector' }));
  await waitFor(() =>
    expect(lastBody(gateway, UPDATE)).toEqual({
      content: `${OKTA.content}    - claim: groups\n      value: emea-finance\n      roles: [auditor]\n`,
      revision: 'okta-1',
    }),
  );
});

test('a new one is tested before anybody has said who gets roles, and a group that was seen takes the empty place', async () => {
  const { user, gateway } = await open('/web/sso/new/oidc?preset=okta&tab=settings', withoutAny());
  const issues = [{ path: 'spec.claims_to_roles[0].value', line: 13, column: 14, message: 'must not be empty' }];
  gateway.answer(CHECK, { status: 400, body: { ...failure('bad_request', 'wrong'), fields: { issues } } });
  gateway.answer(BEGIN, { body: { id: 't-1', url: PROVIDER } });
  gateway.answer(READ, { body: { ...RESULT, roles: [], unmatched: ['claims_to_roles[0]'] } });
  await user.type(await screen.findByLabelText('Issuer'), 'https://acme.okta.example');
  await user.type(screen.getByLabelText('Client id'), 'c-1');
  await screen.findAllByText(/must not be empty/);
  await user.click(screen.getByRole('button', { name: 'Go on to the test' }));
  await user.click(screen.getByRole('button', { name: 'Test' }));
  await user.click(await screen.findByRole('button', { name: /emea-finance/ }));
  expect(lastBody(gateway, BEGIN).content).toMatch(/value: not-chosen-yet\n/);
  await user.click(screen.getByRole('button', { name: 'Review and save' }));

  const text = (await screen.findByRole('region', { name: 'Changed lines' })).textContent;
  expect(text).toContain('value: emea-finance');
  expect(text).not.toMatch(/value: (?:''|not-chosen-yet)/);
  // Until it gives a role, and nothing is wrong any more, it cannot be saved.
  expect(screen.getByRole('button', { name: 'Save connector' }).getAttribute('aria-disabled')).toBe('true');
});

test('where the browser opens no window, a link is offered', async () => {
  isBlocked = true;
  const { user, gateway } = await open('/web/sso/oidc/okta?tab=test');
  gateway.answer(BEGIN, { body: { id: 't-1', url: PROVIDER } });
  gateway.answer(READ, { body: { ...RESULT, state: 'waiting', steps: [], claims: {} } });
  await user.click(await screen.findByRole('button', { name: 'Test' }));

  expect((await screen.findByRole('link', { name: 'Open it' })).getAttribute('href')).toBe(PROVIDER);
});

test('who gains and who loses is told before saving, and that one is among them', async () => {
  const gateway = fakeGateway();
  gateway.answer('POST /v1/webapi/sso/effect', {
    body: {
      users: [
        { user: 'ann', before: ['access'], after: ['access', 'editor'] },
        { user: 'maya', before: ['editor'], after: [], refused: "no entry of 'okta' gives maya a role" },
      ],
      unchanged: 7,
    },
  });
  await open('/web/sso/oidc/okta?tab=save', gateway);
  const effect = within(await screen.findByRole('region', { name: 'Effect on known users' }));

  expect((await effect.findByRole('region', { name: 'Gains' })).textContent).toContain('ann gets editor');
  expect(effect.getByRole('region', { name: 'Loses' }).textContent).toContain('maya loses editor');
  expect(effect.getByText('You are among those who lose a role.')).toBeTruthy();
  expect(effect.getByText("No entry of 'okta' gives maya a role.")).toBeTruthy();
  expect(effect.getByText(/7 people keep what they have/)).toBeTruthy();
});

test('secrets are not shown where changes are reviewed', async () => {
  const { user } = await open('/web/sso/oidc/okta');
  await user.type(await screen.findByLabelText('Client secret'), 'hush-hush');
  await user.click(screen.getByRole('button', { name: 'Save' }));

  const diff = await screen.findByRole('region', { name: 'Changed lines' });
  expect(diff.textContent).toContain('client_secret: ••••');
  expect(document.body.textContent).not.toContain('hush-hush');
});

test('somebody who was quicker is told, and both changes can be kept', async () => {
  const { user, gateway } = await open('/web/sso/oidc/okta');
  await user.type(await screen.findByLabelText('Shown as'), '!');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  gateway.answer(UPDATE, { status: 412, body: failure('compare_failed', 'changed meanwhile') });
  const theirs = OKTA.content.replace('[editor]', '[auditor]');
  gateway.answer('GET /v1/webapi/oidc', { body: [{ ...OKTA, content: theirs, revision: 'okta-2' }] });
  await user.click(screen.getByRole('button', { name: 'Save connector' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'okta was changed by two people' }));
  await user.click(dialog.getByRole('button', { name: 'Keep both' }));
  gateway.answer(UPDATE, { body: { ...OKTA, revision: 'okta-3' } });
  await user.click(screen.getByRole('button', { name: 'Save connector' }));

  await waitFor(() => expect(lastBody(gateway, UPDATE).revision).toBe('okta-2'));
  expect(lastBody(gateway, UPDATE).content).toBe(theirs.replace('display: Okta', 'display: Okta!'));
});

test('who may only read sees the settings, and nothing is asked of the provider', async () => {
  const acl = fullAcl();
  Object.assign(acl.authConnectors, { edit: false, create: false, remove: false });
  const { gateway } = await open('/web/sso/oidc/okta', fakeGateway(acl));

  expect(await screen.findByText('Read only')).toBeTruthy();
  expect((await screen.findByLabelText('Client id')).hasAttribute('disabled')).toBe(true);
  expect(screen.queryByRole('list', { name: 'Steps' })).toBeNull();
  expect(gateway.calls).not.toContain(CHECK);
});

test('a connector that is not there is said to be gone', async () => {
  await open('/web/sso/oidc/gone');

  expect(await screen.findByText('There is no connector gone')).toBeTruthy();
});
