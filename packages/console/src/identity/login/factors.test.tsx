import { createEvent, fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type FakeGateway, failure, fakeGateway } from '../../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../../testing/open-page.tsx';
import { formatTimeOfDay } from '../../platform/i18n/formats.ts';

const SIGN_IN = 'POST /v1/webapi/sessions/web';
const BEGIN = 'POST /v1/webapi/mfa/login/begin';
const FINISH = 'POST /v1/webapi/mfa/login/finishsession';
const REPLY = { type: 'Bearer', token: 't', expires_in: 600, sessionExpires: '', sessionInactiveTimeout: 0 };
const CHALLENGE = { webauthn_challenge: { publicKey: { challenge: 'AAEC' } }, totp_challenge: false };

const credentials = { get: vi.fn(), create: vi.fn() };

beforeEach(() => Object.defineProperty(navigator, 'credentials', { value: credentials, configurable: true }));
afterEach(async () => {
  await closePage();
  vi.unstubAllGlobals();
  credentials.get.mockReset();
});

const required = (fields: object) => ({
  status: 403,
  body: { ...failure('mfa_required', 'this account has a second factor'), fields },
});

function withKeys(): void {
  vi.stubGlobal('PublicKeyCredential', class {});
  const bytes = new Uint8Array([1]).buffer;
  credentials.get.mockResolvedValue({
    rawId: bytes,
    getClientExtensionResults: () => ({}),
    response: { authenticatorData: bytes, clientDataJSON: bytes, signature: bytes, userHandle: null },
  });
}

async function openLogin(auth: object, gateway = fakeGateway(), path = '/web/login') {
  return openPage(path, { signedIn: false, gateway, world: { pageConfig: { auth } } });
}

async function enterPassword() {
  await userEvent.type(screen.getByLabelText('User name'), 'maya');
  await userEvent.type(screen.getByLabelText('Password'), 'secret');
  await userEvent.click(screen.getByRole('button', { name: 'Sign in' }));
}

const bodyOf = (gateway: FakeGateway, call: string) => gateway.bodies[gateway.calls.lastIndexOf(call)];

test('a code is asked for after the password, sent with it, and leads on', async () => {
  const gateway = fakeGateway();
  gateway.answer(SIGN_IN, required({ totp: true, key: false }));
  const { went } = await openLogin({ second_factor: 'on' }, gateway);

  await enterPassword();
  const field = await screen.findByLabelText('Code');
  gateway.answer(SIGN_IN, { body: REPLY });
  await userEvent.type(field, '123 456');
  await userEvent.keyboard('{Enter}');

  await waitFor(() => expect(went).toEqual(['/web']));
  expect(bodyOf(gateway, SIGN_IN)).toEqual({ user: 'maya', pass: 'secret', second_factor_token: '123456' });
});

test('a wrong code is said at its field, which is empty again', async () => {
  const gateway = fakeGateway();
  gateway.answer(SIGN_IN, required({ totp: true, key: false }));
  await openLogin({ second_factor: 'otp' }, gateway);
  await enterPassword();
  const field = await screen.findByLabelText<HTMLInputElement>('Code');

  await userEvent.type(field, '12{Enter}');
  expect(screen.getByText('Enter the six digits.')).toBeTruthy();
  gateway.answer(SIGN_IN, { status: 403, body: failure('denied', 'invalid user name, password or second factor') });
  await userEvent.type(field, '3456{Enter}');

  expect(await screen.findByText(/The code is not right, or was used already/)).toBeTruthy();
  expect(field.value).toBe('');
  expect(field.getAttribute('aria-invalid')).toBe('true');
});

test('a key is asked for at once after the password', async () => {
  withKeys();
  const gateway = fakeGateway();
  gateway.answer(SIGN_IN, required({ totp: true, key: true }));
  gateway.answer(BEGIN, { body: CHALLENGE });
  gateway.answer(FINISH, { body: REPLY });
  const { went } = await openLogin({ second_factor: 'on', preferredLocalMfa: 'webauthn' }, gateway);

  await enterPassword();

  await waitFor(() => expect(went).toEqual(['/web']));
  expect(bodyOf(gateway, BEGIN)).toEqual({ user: 'maya', pass: 'secret' });
  expect(bodyOf(gateway, FINISH)).toMatchObject({ user: 'maya', webauthnAssertionResponse: { id: 'AQ' } });
});

test('a closed prompt can be tried again, and a code can be used instead', async () => {
  withKeys();
  credentials.get.mockRejectedValueOnce(new DOMException('closed', 'NotAllowedError'));
  const gateway = fakeGateway();
  gateway.answer(SIGN_IN, required({ totp: true, key: true }));
  gateway.answer(BEGIN, { body: CHALLENGE });
  gateway.answer(FINISH, { body: REPLY });
  const { went } = await openLogin({ second_factor: 'on' }, gateway);
  await enterPassword();

  expect(await screen.findByText(/The prompt was closed or took too long/)).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Use a code from your app instead' }));
  expect(screen.getByLabelText('Code')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Use a key instead' }));

  await waitFor(() => expect(went).toEqual(['/web']));
});

test('where only keys are taken, the password goes to the key’s call and no challenge is asked for twice', async () => {
  withKeys();
  const gateway = fakeGateway();
  gateway.answer(BEGIN, { body: CHALLENGE });
  gateway.answer(FINISH, { body: REPLY });
  const { went } = await openLogin({ second_factor: 'webauthn' }, gateway);

  await enterPassword();

  await waitFor(() => expect(went).toEqual(['/web']));
  expect(gateway.calls).toEqual([BEGIN, FINISH]);
});

test('an account without the required device is told what to do', async () => {
  const gateway = fakeGateway();
  gateway.answer(SIGN_IN, {
    status: 403,
    body: {
      ...failure('mfa_required', 'this account has no second factor yet: ask an administrator for a reset link'),
      fields: { reason: 'no_device' },
    },
  });
  await openLogin({ second_factor: 'on' }, gateway);

  await enterPassword();

  expect((await screen.findByRole('alert')).textContent).toContain('ask an administrator for a reset link');
});

test.each([
  ['locked', /too many failed attempts with this name.*try again at (\d\d:\d\d).*passkey still works/],
  ['slow_down', /too many failed attempts from your network.*try again at (\d\d:\d\d)/],
])('a sign-in that is %s says when to try again', async (reason, words) => {
  const until = new Date(Date.now() + 20 * 60_000).toISOString();
  const gateway = fakeGateway();
  gateway.answer(SIGN_IN, { status: 403, body: { ...failure('denied', 'x'), fields: { reason, until } } });
  await openLogin({}, gateway);

  await enterPassword();

  const text = (await screen.findByRole('alert')).textContent ?? '';
  expect(words.exec(text)?.[1]).toBe(formatTimeOfDay(Date.parse(until)));
});

test('a recovery code leads to the link that adds a new device', async () => {
  const gateway = fakeGateway();
  gateway.answer('POST /v1/webapi/recovery/begin', { body: { tokenId: 'token-9' } });
  const { went } = await openLogin({ second_factor: 'on' }, gateway);

  await userEvent.click(screen.getByRole('button', { name: 'Lost your device? Use a recovery code' }));
  await userEvent.type(await screen.findByLabelText('Recovery code'), ' ABCD-1 ');
  const [name] = screen.getAllByLabelText('User name').filter((field) => !field.closest('[inert]'));
  await userEvent.type(name as HTMLElement, 'maya');
  await userEvent.click(screen.getByRole('button', { name: 'Continue' }));

  await waitFor(() => expect(went).toEqual(['/web/reset/token-9']));
  expect(gateway.bodies.at(-1)).toEqual({ user: 'maya', code: 'ABCD-1' });
});

test('without second factors there is no way with a recovery code', async () => {
  await openLogin({ second_factor: 'off' });

  expect(screen.queryByRole('button', { name: /recovery code/ })).toBe(null);
});

test('a gateway that prefers passkeys shows them first, the password behind a link', async () => {
  withKeys();
  await openLogin({ second_factor: 'on', allowPasswordless: true, localConnectorName: 'passwordless' });

  expect(screen.getByRole('button', { name: 'Use a passkey' })).toBeTruthy();
  expect(screen.queryByLabelText('Password')).toBe(null);
  await userEvent.click(screen.getByRole('button', { name: 'Use a user name and password' }));

  expect(screen.getByLabelText('Password')).toBeTruthy();
});

test('a browser without keys is not offered a passkey', async () => {
  await openLogin({ second_factor: 'on', allowPasswordless: true, localConnectorName: 'passwordless' });

  expect(screen.queryByRole('button', { name: 'Use a passkey' })).toBe(null);
  expect(screen.getByLabelText('Password')).toBeTruthy();
});

test('providers are links with their name and the way back filled in', async () => {
  const url = '/v1/webapi/github/login/web?connector_id=:providerName&redirect_url=:redirect';
  await openLogin(
    { providers: [{ name: 'a&b', displayName: 'Our GitHub', type: 'github', url }] },
    fakeGateway(),
    '/web/login?redirect_uri=%2Fweb%2Fsettings',
  );

  const link = screen.getByRole('link', { name: 'Continue with Our GitHub' });
  const back = encodeURIComponent('http://localhost:3080/web/settings');
  expect(link.getAttribute('href')).toBe(`/v1/webapi/github/login/web?connector_id=a%26b&redirect_url=${back}`);
});

test('where passwords are turned off, nobody is asked for one', async () => {
  await openLogin({ localAuthEnabled: false, allowPasswordless: true });

  expect(screen.queryByLabelText('Password')).toBe(null);
  expect(screen.getByText(/Signing in with a password is turned off/)).toBeTruthy();
});

test('a locked Caps Lock is pointed out while the password is typed', async () => {
  await openLogin({});
  const field = screen.getByLabelText('Password');

  fireEvent(field, keyWith('keyDown', true));
  expect(screen.getByText('Caps Lock is on.')).toBeTruthy();
  fireEvent(field, keyWith('keyUp', false));

  expect(screen.queryByText('Caps Lock is on.')).toBe(null);
});

/** happy-dom knows no modifiers. */
function keyWith(kind: 'keyDown' | 'keyUp', isLocked: boolean): Event {
  const event = createEvent[kind](screen.getByLabelText('Password'), { key: 'A' });
  Object.defineProperty(event, 'getModifierState', { value: (name: string) => name === 'CapsLock' && isLocked });
  return event;
}
