import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { failure, fakeGateway } from '../../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../../testing/open-page.tsx';

const SIGN_IN = 'POST /v1/webapi/sessions/web';
const REPLY = { type: 'Bearer', token: 't', expires_in: 600, sessionExpires: '', sessionInactiveTimeout: 0 };

afterEach(closePage);

async function signIn(path: string, gateway = fakeGateway()) {
  const opened = await openPage(path, { signedIn: false, gateway });
  await userEvent.type(screen.getByLabelText('User name'), 'maya');
  await userEvent.type(screen.getByLabelText('Password'), 'correct horse');
  await userEvent.click(screen.getByRole('button', { name: 'Sign in' }));
  return opened;
}

function accepting() {
  const gateway = fakeGateway();
  gateway.answer(SIGN_IN, { body: REPLY });
  return gateway;
}

test.each([
  ['/web/login', '/web'],
  ['/web/login?redirect_uri=%2Fweb%2Fsettings', '/web/settings'],
  ['/web/login?redirect_uri=https%3A%2F%2Fevil.example%2Fweb%2Fsettings', '/web/settings'],
  ['/web/login?redirect_uri=%2F%2Fevil.example%2F', '/web'],
  ['/web/login?redirect_uri=%2Fweb%2Fnope', '/web'],
  ['/web/login?redirect_uri=%2Fweb%2Flogin', '/web'],
  ['/web/login?redirect_uri=javascript%3Aalert(1)', '/web'],
])('after signing in at %s the browser goes to %s', async (path, target) => {
  const { went } = await signIn(path, accepting());

  await waitFor(() => expect(went).toEqual([target]));
});

test('a refused sign-in says what the gateway said, empties the password and leaves the name', async () => {
  const gateway = fakeGateway();
  gateway.answer(SIGN_IN, { status: 403, body: failure('denied', 'invalid user name or password') });

  const { went } = await signIn('/web/login', gateway);

  expect((await screen.findByRole('alert')).textContent).toContain('Invalid user name or password.');
  expect(screen.getByLabelText<HTMLInputElement>('Password').value).toBe('');
  expect(document.activeElement).toBe(screen.getByLabelText('Password'));
  expect(screen.getByLabelText<HTMLInputElement>('User name').value).toBe('maya');
  expect(went).toEqual([]);
});

test('a gateway that does not answer is said so', async () => {
  const gateway = fakeGateway();
  gateway.answer(SIGN_IN, 'no answer');

  await signIn('/web/login', gateway);

  expect((await screen.findByRole('alert')).textContent).toContain('The gateway does not answer.');
});

test('empty fields are named and nothing is sent', async () => {
  const { gateway } = await openPage('/web/login', { signedIn: false });

  await userEvent.click(screen.getByRole('button', { name: 'Sign in' }));

  expect(screen.getByText('Enter your user name.')).toBeTruthy();
  expect(screen.getByText('Enter your password.')).toBeTruthy();
  expect(gateway.calls).toEqual([]);
});

test.each([
  ['inactive', /no activity for a while/],
  ['expired', /Sign in again and you will be back/],
])('a session that ended because it was %s is explained', async (reason, words) => {
  await openPage(`/web/login?reason=${reason}`, { signedIn: false });

  expect(screen.getByText(words)).toBeTruthy();
});

test('a reason nobody knows is not shown', async () => {
  await openPage('/web/login?reason=your%20computer%20has%20a%20virus', { signedIn: false });

  expect(screen.queryByRole('status')).toBe(null);
});

test('who is signed in already goes where they wanted', async () => {
  const { went } = await openPage('/web/login?redirect_uri=%2Fweb%2Fsettings', { signedIn: true });

  expect(went).toEqual(['/web/settings']);
  expect(screen.queryByLabelText('Password')).toBe(null);
});

test('the last activity of an earlier sign-in does not end the next one', async () => {
  localStorage.setItem('grv_teleport_last_active', '1');

  await openPage('/web/login', { signedIn: false });

  expect(localStorage.getItem('grv_teleport_last_active')).toBe(null);
});

test('a gateway that nobody can sign in to says how to get the first link, and no other gateway does', async () => {
  const pageConfig = { auth: {}, proxyCluster: 'one', gatehouse: { version: '0.1.0', isUnclaimed: true } };
  const { unmount } = await openPage('/web/login', { signedIn: false, world: { pageConfig } });

  expect(screen.getByText('Nobody can sign in yet')).toBeTruthy();
  expect(screen.getByText('./gatehouse users reset admin')).toBeTruthy();
  unmount();
  await openPage('/web/login', { signedIn: false });

  expect(screen.queryByText('Nobody can sign in yet')).toBeNull();
});

test('what a sign-in says takes the place of why the one before ended', async () => {
  const gateway = fakeGateway();
  gateway.answer(SIGN_IN, { status: 403, body: failure('denied', 'your account is locked') });
  await openPage('/web/login?reason=ended_by_administrator', { signedIn: false, gateway });
  expect(screen.getByText('Your session ended.')).toBeTruthy();
  await userEvent.type(screen.getByLabelText('User name'), 'maya');
  await userEvent.type(screen.getByLabelText('Password'), 'correct horse');
  await userEvent.click(screen.getByRole('button', { name: 'Sign in' }));

  expect(await screen.findByText('Your account is locked.')).toBeTruthy();
  expect(screen.queryByText('Your session ended.')).toBe(null);
});
