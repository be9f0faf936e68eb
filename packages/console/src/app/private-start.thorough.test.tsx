import { emptyAcl } from '@gatehouse/contract/access/acl';
import { CURRENT_CLUSTER, clusterRoutes } from '@gatehouse/contract/console/clusters';
import { pathFor } from '@gatehouse/contract/wire/route';
import { screen, waitFor } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { failure, fakeGateway } from '../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../testing/open-page.tsx';
import { USER_URL } from '../platform/sign-in/prefetch-user.ts';
import { loadPage } from './load-page.tsx';

const ASK_USER = `GET ${USER_URL}`;

afterEach(() => closePage());

test('the address asked for early is the one of the contract', () => {
  expect(USER_URL).toBe(pathFor(clusterRoutes.context.path, { clusterId: CURRENT_CLUSTER }));
});

test('who is signed in is asked for at once, while the code of private pages is fetched, and only once', async () => {
  const { gateway, world, unmount } = await openPage('/web/settings');
  await screen.findByRole('heading', { name: 'Settings' });
  expect(gateway.calls.filter((call) => call === ASK_USER)).toHaveLength(1);
  unmount();

  const loading = loadPage('/web/settings', world);

  expect(gateway.calls.filter((call) => call === ASK_USER)).toHaveLength(2);
  await loading;
});

test('the root has become the first screen, and what that shows is there, before anything is drawn', async () => {
  const gateway = fakeGateway(emptyAcl());
  const { world, unmount } = await openPage('/web', { gateway });
  unmount();
  window.history.replaceState(null, '', '/web');
  gateway.calls.length = 0;

  await loadPage('/web', world);

  expect(window.location.pathname).toBe('/web/support');
  expect(gateway.calls).toEqual([ASK_USER, 'GET /v1/webapi/ping']);
});

test('what a screen shows is not asked for on behalf of somebody who is not known', async () => {
  const gateway = fakeGateway();
  gateway.answer(ASK_USER, { status: 500, body: failure('internal', 'out of order') });

  await openPage('/web/support', { gateway });

  await screen.findByText(/out of order/);
  expect(gateway.calls).not.toContain('GET /v1/webapi/ping');
});

test('a refusal that came too early to be heard is heard', async () => {
  const gateway = fakeGateway();
  gateway.answer(ASK_USER, { status: 403, body: failure('not_signed_in', 'sign in first') });

  const { went } = await openPage('/web/support', { gateway });

  await waitFor(() => expect(went).toEqual(['/web/login?redirect_uri=%2Fweb%2Fsupport&reason=expired']));
});

test('a gateway that is slow to say who is signed in holds nothing back but the screen', async () => {
  const gateway = fakeGateway();
  const world = { send: () => new Promise<never>(() => {}) };

  await openPage('/web', { gateway, world });

  expect(await screen.findByRole('navigation', { name: 'Main' })).toBeTruthy();
});
