import { emptyAcl } from '@gatehouse/contract/access/acl';
import { PAGES, pageNames, pagePath } from '@gatehouse/contract/console/pages';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { fakeGateway } from '../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../testing/open-page.tsx';
import { pageTitle } from './page-title.tsx';
import { createPrivateRouter, routePath } from './router.tsx';
import { SCREENS } from './screens.ts';

const PARAMS = {
  tokenId: 't-1',
  clusterId: 'one',
  requestId: 'r-1',
  fqdn: 'app.example.com',
  desktopName: 'win-1',
  username: 'bo',
  serverId: 's-1',
  login: 'root',
  sid: 'x-1',
  kind: 'oidc',
  name: 'okta',
  namespace: 'shop',
  pod: 'api-1',
};

afterEach(closePage);

test('every private page of the contract has a route, and every page a screen', () => {
  const paths = Object.keys(createPrivateRouter(async () => {}).routesByPath);

  for (const name of pageNames) {
    if (PAGES[name].access === 'private') expect(paths).toContain(routePath(name));
    expect(SCREENS[name].title).toBeTruthy();
  }
});

test.each([
  ['nodes', 'one • Servers'],
  ['apps', 'one • Applications'],
  ['kubernetes', 'one • Kubernetes'],
  ['databases', 'one • Databases'],
  ['desktops', 'one • Desktops'],
  ['sessions', 'one • Active Sessions'],
  ['users', 'Manage Users'],
  ['roles', 'Manage Roles'],
  ['connectors', 'Manage Auth Connectors'],
  ['discover', 'Enroll New Resource'],
  ['recordings', 'one • Session Recordings'],
  ['audit', 'one • Audit Log'],
  ['clusters', 'Clusters'],
  ['trustedClusters', 'Trusted Clusters'],
  ['account', 'Account Settings'],
  ['support', 'Help & Support'],
  ['player', 'one • Play x-1'],
  ['desktop', 'one • bo@win-1'],
  ['login', 'Sign in'],
  ['loginSuccess', 'Login Successful'],
] as const)('the title of %s is "%s"', async (name, title) => {
  await openPage(pagePath(name, PARAMS), { signedIn: PAGES[name].access === 'private' });

  await waitFor(() => expect(document.title).toBe(title));
});

test('a cluster id stands before the title only when the address has one', () => {
  expect(pageTitle('Servers', 'one')).toBe('one • Servers');
  expect(pageTitle('Servers', undefined)).toBe('Servers');
});

test('optional parameters at the end of an address may be left out', async () => {
  await openPage('/web/launch/app.example.com/one');

  await waitFor(() => expect(document.title).toBe('one • Open Application'));
});

test('everything below a prefix page is the same page', async () => {
  await openPage('/web/sso/some/where/below');

  await waitFor(() => expect(document.title).toBe('Manage Auth Connectors'));
});

test.each(['/web/nope', '/web/cluster/one/nope', '/web/users/extra'])('%s is not found', async (path) => {
  await openPage(path);

  expect(await screen.findByRole('heading', { name: '404 Not Found' })).toBeTruthy();
  expect(screen.getByText('The requested path could not be found.')).toBeTruthy();
});

test('a successful sign-in through a provider ends with the specified words', async () => {
  await openPage('/web/msg/info/login_success', { signedIn: false });

  expect(screen.getByRole('heading', { name: 'Login Successful' })).toBeTruthy();
  expect(
    screen.getByText(
      'You have successfully signed into your account. You can close this window and continue using the product.',
    ),
  ).toBeTruthy();
});

test.each([
  ['login_failed', 'generic', 'The sign-in could not be completed.'],
  ['login', 'generic', 'The sign-in could not be completed.'],
  ['login/callback', 'callback', /answer of your sign-in provider/],
  ['login/auth', 'unauthorized', /nothing there gives you a role here/],
])('a failed sign-in at msg/error/%s has words of its own and what the gateway said', async (place, kind, words) => {
  const gateway = fakeGateway();
  gateway.answer('GET /v1/webapi/login/failure', (query) =>
    query.get('kind') === kind && query.get('said') === 'sealed'
      ? { body: { message: 'no <b>groups</b> matched' } }
      : { status: 404, body: {} },
  );
  await openPage(`/web/msg/error/${place}?said=sealed`, { signedIn: false, gateway });

  expect(screen.getByRole('heading', { name: 'Login Unsuccessful' })).toBeTruthy();
  expect(screen.getByText(words)).toBeTruthy();
  expect(await screen.findByText('The gateway says: No <b>groups</b> matched.')).toBeTruthy();
  const link = screen.getByRole('link', { name: 'Please attempt to log in again.' });
  expect(link.getAttribute('href')).toBe('/web/login');
});

test('nothing that somebody wrote into the address of a failed sign-in is shown', async () => {
  const gateway = fakeGateway();
  gateway.answer('GET /v1/webapi/login/failure', { status: 404, body: {} });
  await openPage('/web/msg/error/login?message=call+5550100&said=call+5550100', { signedIn: false, gateway });

  await vi.waitFor(() =>
    expect(gateway.calls).toContain('GET /v1/webapi/login/failure?kind=generic&said=call+5550100'),
  );
  expect(document.body.textContent).not.toContain('5550100');
});

test('the root leads to the first resource screen somebody has, and to help when there is none', async () => {
  await openPage('/web');
  expect(await screen.findByRole('heading', { name: 'Servers' })).toBeTruthy();
  expect(window.location.pathname).toBe('/web/cluster/one/nodes');

  await openPage('/web', { gateway: fakeGateway(emptyAcl()) });

  expect(await screen.findByRole('heading', { name: 'Help & Support' })).toBeTruthy();
});

test('a page the roles do not allow says Access Denied', async () => {
  await openPage('/web/users', { gateway: fakeGateway(emptyAcl()) });

  expect(await screen.findByRole('heading', { name: 'Access Denied' })).toBeTruthy();
  expect(screen.getByText(/do not let you see “Manage Users”/)).toBeTruthy();
});

test('a failing screen shows the message inside the shell, keeps its title, and comes back after another try', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  const gateway = fakeGateway();
  const healthy = await (await gateway.fetch('/v1/webapi/ping')).json();
  gateway.answer('GET /v1/webapi/ping', {
    status: 400,
    body: { error: { message: 'the disk is full', code: 'bad_request', requestId: 'request-7' } },
  });
  await openPage('/web/support', { gateway });

  expect(await screen.findByRole('heading', { name: 'Internal Error' })).toBeTruthy();
  expect(screen.getByText('the disk is full')).toBeTruthy();
  expect(screen.getByText(/request-7/)).toBeTruthy();
  expect(document.title).toBe('Help & Support');
  gateway.answer('GET /v1/webapi/ping', { body: healthy });
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));

  expect(await screen.findByRole('heading', { name: 'This gateway' })).toBeTruthy();
  vi.restoreAllMocks();
});

test('a user who cannot be read is said so, and another try may work', async () => {
  const gateway = fakeGateway();
  const context = 'GET /v1/webapi/sites/-current-/context';
  const healthy = await (await gateway.fetch(context.slice(4))).json();
  gateway.answer(context, {
    status: 400,
    body: { error: { message: 'no such user', code: 'bad_request', requestId: 'r' } },
  });
  await openPage('/web/settings', { gateway });

  expect(await screen.findByText('no such user')).toBeTruthy();
  gateway.answer(context, { body: healthy });
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));

  expect(await screen.findByRole('heading', { name: 'Settings' })).toBeTruthy();
});
