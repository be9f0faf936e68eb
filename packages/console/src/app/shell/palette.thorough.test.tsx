import { emptyAcl, encodeAcl, noGrants } from '@gatehouse/contract/access/acl';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { CLUSTER, failure, fakeGateway, fullAcl } from '../../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../../testing/open-page.tsx';
import { addRecordings, recording } from '../../../testing/recordings/fake-recordings.ts';
import { openSession } from '../../../testing/sessions/open-session.ts';
import { PALETTE_ACTIONS } from './palette-actions.ts';

afterEach(async () => {
  vi.restoreAllMocks();
  await closePage();
});

/** The palette is fetched when it is first opened. */
const FIELD = { name: 'Search or jump to' };

async function openPalette(gateway = fakeGateway()) {
  const user = userEvent.setup();
  const page = await openPage('/web/settings', { gateway });
  await screen.findByRole('heading', { name: 'Settings' });
  await user.keyboard('{Control>}k{/Control}');
  const field = await screen.findByRole('combobox', FIELD);
  return { ...page, user, field, gateway };
}

const group = (name: RegExp) => screen.findByRole('group', { name });
const options = (within_: HTMLElement) =>
  within(within_)
    .getAllByRole('option')
    .map((option) => option.textContent);
const asked = (calls: readonly string[], path: string) => calls.filter((call) => call.split('?')[0] === `GET ${path}`);

test.each([
  ['who came through a provider and has a password', { authType: 'sso', hasPassword: true }, true],
  ['who came through a provider and has none', { authType: 'sso', hasPassword: false }, false],
  ['a local user with a passkey alone', { authType: 'local', hasPassword: false }, false],
])('%s is offered to change it only if there is one', async (_, who, isOffered) => {
  const gateway = fakeGateway();
  gateway.answer('GET /v1/webapi/sites/-current-/context', {
    body: { ...who, userName: 'maya', userAcl: encodeAcl(fullAcl()), cluster: CLUSTER },
  });
  const { user, field } = await openPalette(gateway);
  await user.type(field, 'second factor');
  await screen.findAllByRole('option', { name: /second factor/i });
  await user.clear(field);
  await user.type(field, 'password');
  await waitFor(() => expect(screen.queryAllByRole('option', { name: /second factor/i })).toHaveLength(0));

  expect(screen.queryAllByRole('option', { name: /Change your password/ }).length > 0).toBe(isOffered);
});

const SESSION = openSession({
  id: 's-live',
  owner: 'tomas',
  login: 'deploy',
  resource_name: 'web-01',
  participantModes: ['observer'],
});

test('people, roles, sessions under way, recordings, servers and applications are found, each under its heading', async () => {
  const gateway = fakeGateway();
  gateway.answer('GET /v1/webapi/sites/one/sessions', { body: { sessions: [SESSION] } });
  addRecordings(gateway, [recording('s-1', { owner: 'tomas', users: ['tomas'] })]);
  const { user, field } = await openPalette(gateway);

  await user.type(field, 'tomas');
  expect(options(await group(/^Best match/))).toEqual([expect.stringContaining('tomas')]);
  expect(options(await group(/^Under way/))).toEqual([expect.stringMatching(/^tomas on web-01deploy/)]);
  expect(options(await group(/^Session Recordings/))).toEqual([expect.stringMatching(/^tomas on /)]);
  await user.clear(field);
  await user.type(field, 'auditor');
  await waitFor(async () => expect(options(await group(/^Best match/))).toEqual([expect.stringMatching(/^auditor/)]));
  await user.keyboard('{Enter}');

  await waitFor(() => expect(window.location.pathname + window.location.search).toBe('/web/roles?open=auditor'));
});

test.each([
  ['add server', '/web/discover', '?flow=server'],
  ['invite', '/web/users', '?do=new'],
  ['add app', '/web/discover', '?flow=app'],
  ['new role', '/web/roles', '?do=new'],
  ['new lock', '/web/locks', '?do=new'],
  ['verify', '/web/cluster/one/audit', '?do=verify'],
])('%s is done from the palette by the keyboard alone', async (typed, path, search) => {
  const { user, field } = await openPalette();

  await user.type(field, `>${typed}{Enter}`);

  await waitFor(() => expect([window.location.pathname, window.location.search]).toEqual([path, search]));
  const role = path.endsWith('roles') ? 'switch' : path.endsWith('discover') ? 'radio' : 'dialog';
  expect((await screen.findAllByRole(role)).length).toBeGreaterThan(0);
});

test('who may nothing is offered nothing, and nothing is asked for them but what is their own', async () => {
  const { user, field, gateway } = await openPalette(fakeGateway(emptyAcl()));
  const titles = PALETTE_ACTIONS.map(({ id }) => id);
  expect(titles).toContain('new-user');

  await user.type(field, 'a');
  await waitFor(() => expect(asked(gateway.calls, '/v1/webapi/sites/one/sessions')).toHaveLength(1));
  for (const path of ['sites/one/nodes', 'sites/one/apps', 'sites/-current-/users', 'roles', 'sites/one/recordings']) {
    expect(asked(gateway.calls, `/v1/webapi/${path}`)).toEqual([]);
  }
  await user.clear(field);
  await user.type(field, '>');

  const shown = screen.getAllByRole('option').map((option) => option.textContent);
  for (const word of [
    'Add server',
    'Add application',
    'Invite a new user',
    'New role',
    'New lock',
    'Verify the audit log',
  ]) {
    expect(shown.some((text) => text?.startsWith(word))).toBe(false);
  }
  expect(shown).toContainEqual(expect.stringContaining('Change your password'));
});

test('what one right gives is offered, and no more', async () => {
  const acl = { ...emptyAcl(), users: { ...noGrants(), list: true } };
  const { user, field } = await openPalette(fakeGateway(acl));

  await user.type(field, '>user');

  const shown = screen.getAllByRole('option').map((option) => option.textContent);
  expect(shown).toContainEqual(expect.stringContaining('Users without a second factor'));
  expect(shown.some((text) => text?.includes('new user'))).toBe(false);
});

test('a word typed at once is one question to each kind, and what is not wanted any more is given up', async () => {
  const gateway = fakeGateway();
  const signals: (AbortSignal | null | undefined)[] = [];
  const { fetch } = gateway;
  gateway.fetch = (input, init) => {
    if (!String(input).includes('/nodes?')) return fetch(input, init);
    signals.push(init?.signal);
    return new Promise((_resolve, reject) => {
      init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
    });
  };
  const { user, field } = await openPalette(gateway);

  await user.type(field, 'web-0');
  await waitFor(() => expect(signals).toHaveLength(1));
  await waitFor(() => expect(asked(gateway.calls, '/v1/webapi/sites/-current-/users')).toHaveLength(1));
  // The other call counts them for the navigation.
  const apps = asked(gateway.calls, '/v1/webapi/sites/one/apps').filter((call) => call.includes('search=web-0'));
  expect(apps).toHaveLength(1);
  expect(asked(gateway.calls, '/v1/webapi/sites/one/recordings')).toHaveLength(1);
  expect(signals[0]?.aborted).toBe(false);
  await user.keyboard('1');
  await waitFor(() => expect(signals[0]?.aborted).toBe(true));
  await user.keyboard('{Escape}');

  await waitFor(() => expect(signals.at(-1)?.aborted).toBe(true));
});

test('a kind that fails says so and hides nothing of the others', async () => {
  const gateway = fakeGateway();
  gateway.answer('GET /v1/webapi/sites/-current-/users', { status: 403, body: failure('denied', 'access denied') });
  const { user, field } = await openPalette(gateway);

  await user.type(field, 'web');

  const users = await group(/^Users/);
  await waitFor(() => expect(users.textContent).toContain('Could not be searched. Access denied.'));
  expect(screen.getAllByRole('option').map((option) => option.textContent)).toContainEqual(
    expect.stringMatching(/^web-01/),
  );
});

test('what was taken comes first the next time, unless the gateway no longer shows it', async () => {
  const { user, field, gateway } = await openPalette();
  await user.type(field, '@tomas');
  await screen.findByRole('option', { name: /tomas/ });
  await user.keyboard('{Enter}');
  await waitFor(() => expect(window.location.search).toBe('?open=tomas'));
  await user.keyboard('{Control>}k{/Control}');
  await user.type(await screen.findByRole('combobox', FIELD), '>new role{Enter}');
  await waitFor(() => expect(window.location.search).toBe('?do=new'));

  await user.keyboard('{Control>}k{/Control}');
  const recent = await group(/^Recent/);
  await waitFor(() =>
    expect(options(recent)).toEqual([expect.stringMatching(/^New role/), expect.stringMatching(/^tomas/)]),
  );
  await user.keyboard('{Escape}');
  await closePageKeeping();
  gateway.answer('GET /v1/webapi/sites/-current-/users', {
    body: { items: [], startKey: '', totalCount: 0, everybody: 0, counts: NO_COUNTS },
  });
  await openPalette(gateway);

  await waitFor(async () => expect(options(await group(/^Recent/))).toEqual([expect.stringMatching(/^New role/)]));
  expect(screen.queryByRole('option', { name: /tomas/ })).toBe(null);
});

test('signing out is never what Enter does on a palette that was just opened', async () => {
  const { user, field, gateway } = await openPalette();
  await user.type(field, '>dark');
  await user.keyboard('{Enter}{Control>}k{/Control}');

  await screen.findByRole('combobox', FIELD);

  expect(screen.queryByRole('group', { name: 'Recent' })).toBe(null);
  expect(gateway.calls).not.toContain('DELETE /v1/webapi/sessions/web');
});

test('of what was found, the first server and user can be asked about and locked, and the words looked for elsewhere', async () => {
  const { user, field } = await openPalette(fakeGateway(fullAcl()));

  await user.type(field, 'tomas');
  await user.click(await screen.findByRole('option', { name: /Lock tomas/ }));

  expect(await screen.findByRole('dialog', { name: /tomas/ })).toBeTruthy();
  expect(window.location.search).toBe('?do=new&user=tomas');
});

const NO_COUNTS = {
  states: { active: 0, invited: 0, locked: 0, 'locked-out': 0, 'left-behind': 0 },
  withoutFactor: 0,
  types: { local: 0, sso: 0 },
  roles: [],
};

/** As a reload does: the page goes, what is stored stays. */
async function closePageKeeping(): Promise<void> {
  const kept = Object.entries({ ...localStorage });
  await closePage();
  for (const [key, value] of kept) localStorage.setItem(key, String(value));
}
