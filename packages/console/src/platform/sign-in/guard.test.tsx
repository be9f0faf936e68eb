import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { failure, fakeGateway } from '../../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../../testing/open-page.tsx';

afterEach(async () => {
  await closePage();
  vi.restoreAllMocks();
});

test('without a sign-in nothing private is shown or asked for, and the login is told where to return to', async () => {
  const warned = vi.spyOn(console, 'warn').mockImplementation(() => {});

  const { went, gateway, container } = await openPage('/web/cluster/one/nodes?search=db', { signedIn: false });

  await waitFor(() => expect(went).toHaveLength(1));
  expect(went).toEqual(['/web/login?redirect_uri=%2Fweb%2Fcluster%2Fone%2Fnodes%3Fsearch%3Ddb']);
  expect(warned).toHaveBeenCalled();
  expect(gateway.calls).toEqual([]);
  expect(container.textContent).toBe('');
});

test('every call carries the bearer token and the CSRF header', async () => {
  const { gateway } = await openPage('/web/settings');

  await screen.findByRole('heading', { name: 'Settings' });
  expect(gateway.lastHeaders().get('authorization')).toBe('Bearer token-1');
  expect(gateway.lastHeaders().get('x-csrf-token')).toBe('csrf-1');
});

test('an answer that the sign-in is unknown leads to the login', async () => {
  const gateway = fakeGateway();
  gateway.answer('GET /v1/webapi/sites', { status: 403, body: failure('not_signed_in', 'sign in first') });

  const { went } = await openPage('/web/settings', { gateway });

  // It waits a moment for the reason.
  await waitFor(() => expect(went).toEqual(['/web/login?redirect_uri=%2Fweb%2Fsettings&reason=expired']));
  expect(localStorage.getItem('grv_teleport_token')).toBe(null);
});

test('an answer that something is not allowed does not sign out', async () => {
  const gateway = fakeGateway();
  gateway.answer('GET /v1/webapi/sites/one/alerts', { status: 403, body: failure('denied', 'not you') });

  const { went } = await openPage('/web/settings', { gateway });

  await screen.findByRole('heading', { name: 'Settings' });
  expect(went).toEqual([]);
});

test('signing out from the menu ends the sign-in on the gateway and goes to the login', async () => {
  const { went, gateway } = await openPage('/web/settings');

  await userEvent.click(await screen.findByRole('button', { name: 'Account of maya' }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Sign out' }));

  await waitFor(() => expect(went).toEqual(['/web/login']));
  expect(gateway.calls).toContain('DELETE /v1/webapi/sessions/web');
  expect(localStorage.getItem('grv_teleport_token')).toBe(null);
});
