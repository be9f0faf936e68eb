import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { failure, fakeGateway } from '../../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../../testing/open-page.tsx';

afterEach(closePage);

const url = (kind: string, name: string) => `/v1/webapi/${kind}/login/web?connector_id=${name}&redirect_url=:redirect`;
const auth = {
  authType: 'oidc',
  providers: [
    { name: 'okta', displayName: 'Okta', type: 'oidc', url: url('oidc', 'okta') },
    { name: 'hub', displayName: 'GitHub', type: 'github', url: url('github', 'hub') },
  ],
};
const withDomains = {
  auth,
  proxyCluster: 'one',
  gatehouse: { version: '0.1.0', connectors: [{ name: 'okta', icon: 'okta', domains: ['Acme.example'] }] },
};
const back = encodeURIComponent('http://localhost:3080/web/settings');

test('each provider has a button that leads there, and back to where one wanted to go', async () => {
  await openPage('/web/login?redirect_uri=%2Fweb%2Fsettings', {
    signedIn: false,
    world: { pageConfig: { auth, proxyCluster: 'one' } },
  });

  expect(screen.getByRole('link', { name: 'Continue with Okta' }).getAttribute('href')).toBe(
    `/v1/webapi/oidc/login/web?connector_id=okta&redirect_url=${back}`,
  );
  expect(screen.getByRole('link', { name: 'Continue with GitHub' })).toBeTruthy();
  expect(screen.queryByLabelText('Work e-mail')).toBeNull();
});

test('where a provider has domains the address comes first and leads to it', async () => {
  const { went } = await openPage('/web/login?redirect_uri=%2Fweb%2Fsettings', {
    signedIn: false,
    world: { pageConfig: withDomains },
  });
  expect(screen.queryByLabelText('Password')).toBeNull();
  await userEvent.type(screen.getByLabelText('Work e-mail'), 'Ann@ACME.example');

  expect(screen.getByText('acme.example signs in with Okta')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Continue with Okta' }));
  expect(went).toEqual([`/v1/webapi/oidc/login/web?connector_id=okta&redirect_url=${back}`]);
});

test('an address that no provider is for is said so, and a password is one press away', async () => {
  const { went } = await openPage('/web/login', { signedIn: false, world: { pageConfig: withDomains } });
  await userEvent.click(screen.getByRole('button', { name: 'Continue' }));
  expect(screen.getByText('Enter your e-mail address.')).toBeTruthy();
  await userEvent.type(screen.getByLabelText('Work e-mail'), 'ann@other.example');
  await userEvent.click(screen.getByRole('button', { name: 'Continue' }));

  expect(screen.getByText('Nobody here signs in other.example. Choose a way below.')).toBeTruthy();
  expect(went).toEqual([]);
  await userEvent.click(screen.getByRole('button', { name: 'Use a user name and password' }));
  expect(screen.getByLabelText('Password')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Continue with GitHub' })).toBeTruthy();
});

const CHALLENGE = 'POST /v1/webapi/sso/factor/challenge';
const ANSWER = 'POST /v1/webapi/sso/factor';
const signIn = { type: 'Bearer', token: 't', expires_in: 600, sessionExpires: '', sessionInactiveTimeout: 0 };

test('a factor that the gateway asks for after a provider is given, and leads on', async () => {
  const gateway = fakeGateway();
  gateway.answer(CHALLENGE, { body: { webauthn_challenge: null, totp_challenge: true } });
  gateway.answer(ANSWER, { body: { signIn, redirect: '/web/settings' } });
  const { went } = await openPage('/web/login?sso=c-1', { signedIn: false, gateway });
  await userEvent.type(await screen.findByLabelText(/code/i), '123456');
  await userEvent.click(screen.getByRole('button', { name: 'Sign in' }));

  await waitFor(() => expect(went).toEqual(['/web/settings']));
  expect(gateway.bodies[gateway.calls.indexOf(ANSWER)]).toEqual({ code: 'c-1', totp: '123456' });
});

test('what leads on after a factor stays on this gateway', async () => {
  const gateway = fakeGateway();
  gateway.answer(CHALLENGE, { body: { webauthn_challenge: null, totp_challenge: true } });
  gateway.answer(ANSWER, { body: { signIn, redirect: '//evil.example/' } });
  const { went } = await openPage('/web/login?sso=c-1', { signedIn: false, gateway });
  await userEvent.type(await screen.findByLabelText(/code/i), '123456');
  await userEvent.click(screen.getByRole('button', { name: 'Sign in' }));

  await waitFor(() => expect(went).toEqual(['/web']));
});

test('a code of a provider that is too old is said so, with a way to begin again', async () => {
  const gateway = fakeGateway();
  gateway.answer(CHALLENGE, { status: 403, body: failure('denied', 'the sign-in took too long: begin again') });
  await openPage('/web/login?sso=c-1', { signedIn: false, gateway });

  expect(await screen.findByText('The sign-in took too long: begin again.')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Please attempt to log in again.' }).getAttribute('href')).toBe('/web/login');
});
