import { emptyAcl, encodeAcl } from '@gatehouse/contract/access/acl';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { CLUSTER, type FakeGateway, failure, fakeGateway } from '../../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../../testing/open-page.tsx';

const CHALLENGE = 'POST /v1/webapi/mfa/authenticatechallenge';
const PRIVILEGE = 'POST /v1/webapi/users/privilege/token';
const CHANGE = 'PUT /v1/webapi/users/password';

afterEach(closePage);

function open(path: string, gateway = fakeGateway(), second_factor = 'on') {
  return openPage(path, { gateway, world: { pageConfig: { auth: { second_factor } } } });
}

const bodyOf = (gateway: FakeGateway, call: string) => gateway.bodies[gateway.calls.lastIndexOf(call)];

function withCodeAsked(): FakeGateway {
  const gateway = fakeGateway();
  gateway.answer(CHALLENGE, { body: { webauthn_challenge: null, totp_challenge: true } });
  gateway.answer(PRIVILEGE, { body: 'privilege-1' });
  return gateway;
}

test('what is signed in is listed, this browser is marked, and all others are ended at once', async () => {
  const gateway = fakeGateway();
  gateway.answer('DELETE /v1/webapi/signins/there', { body: { message: 'ok' } });
  await open('/web/account', gateway);

  const row = (await screen.findByText('Chrome on Linux')).closest('tr') as HTMLElement;
  expect(within(row).getByText('This browser')).toBeTruthy();
  expect(screen.getByText('gatehouse on laptop')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'End all others' }));
  await userEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'End' }));

  expect(await screen.findByText('The sign-in has ended.')).toBeTruthy();
  expect(gateway.calls.filter((call) => call.startsWith('DELETE'))).toEqual(['DELETE /v1/webapi/signins/there']);
});

test('a token for scripts is made with what was chosen and shown once', async () => {
  const gateway = fakeGateway();
  const made = { id: 'k', name: 'ci', scope: 'read', created: '', expires: '2026-12-15T00:00:00Z', token: 'secret-9' };
  gateway.answer('POST /v1/webapi/apitokens', { body: made });
  await open('/web/account', gateway);

  await userEvent.click(await screen.findByRole('button', { name: 'New API token' }));
  await userEvent.click(screen.getByRole('button', { name: 'Make token' }));
  expect(screen.getByText('Give it a name.')).toBeTruthy();
  await userEvent.type(screen.getByLabelText('Name'), 'ci');
  await userEvent.selectOptions(screen.getByLabelText('Works for'), '7');
  await userEvent.click(screen.getByRole('button', { name: 'Make token' }));

  expect(await screen.findByText('secret-9')).toBeTruthy();
  expect(bodyOf(gateway, 'POST /v1/webapi/apitokens')).toEqual({ name: 'ci', scope: 'read', ttlSeconds: 604_800 });
  await userEvent.click(screen.getByRole('button', { name: 'Done' }));
  await waitFor(() => expect(screen.queryByText('secret-9')).toBe(null));
});

test('a command line is revoked as a sign-in, a token as a token', async () => {
  const gateway = fakeGateway();
  const token = { id: 'k', name: 'ci', scope: 'all', created: '', expires: '2026-12-15T00:00:00Z' };
  gateway.answer('GET /v1/webapi/apitokens', { body: [token] });
  gateway.answer('DELETE /v1/webapi/signins/line', { body: { message: 'ok' } });
  gateway.answer('DELETE /v1/webapi/apitokens/k', { body: { message: 'ok' } });
  await open('/web/account', gateway);

  for (const name of ['gatehouse on laptop', 'ci']) {
    const row = (await screen.findByText(name)).closest('tr') as HTMLElement;
    await userEvent.click(within(row).getByRole('button', { name: 'Revoke' }));
    await userEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Revoke' }));
    await screen.findByText(`${name} was revoked.`);
  }

  expect(gateway.calls.filter((call) => call.startsWith('DELETE'))).toEqual([
    'DELETE /v1/webapi/signins/line',
    'DELETE /v1/webapi/apitokens/k',
  ]);
});

test('a device is removed after proving again, and a refusal is said in the gateway’s words', async () => {
  const gateway = withCodeAsked();
  const remove = 'DELETE /v1/webapi/mfa/token/privilege-1/devices/phone';
  gateway.answer(remove, { status: 400, body: failure('bad_request', 'this is your last device') });
  await open('/web/account/twofactor', gateway);

  await userEvent.click(await screen.findByRole('button', { name: 'Remove phone' }));
  await userEvent.type(await screen.findByLabelText('Code'), '123456');
  await userEvent.click(screen.getByRole('button', { name: 'Remove' }));
  expect(await screen.findByText('This is your last device.')).toBeTruthy();
  gateway.answer(remove, { body: { message: 'ok' } });
  await userEvent.type(screen.getByLabelText('Code'), '234567');
  await userEvent.click(screen.getByRole('button', { name: 'Remove' }));

  expect(await screen.findByText('phone was removed.')).toBeTruthy();
  expect(bodyOf(gateway, PRIVILEGE)).toEqual({ secondFactorToken: '234567' });
});

test('devices show what they are and when they were used', async () => {
  await open('/web/account/twofactor');

  const row = (await screen.findByText('yubikey')).closest('tr') as HTMLElement;
  expect(within(row).getByText('Hardware Key')).toBeTruthy();
  expect(within(row).getByText('Passkey')).toBeTruthy();
  expect(within(row).getByText('Never')).toBeTruthy();
  expect(screen.getByText('Authenticator App')).toBeTruthy();
  expect(screen.getByText(/8 codes left/)).toBeTruthy();
});

test('someone without devices who signed in a while ago is asked for the password first', async () => {
  const gateway = fakeGateway();
  gateway.answer('GET /v1/webapi/mfa/devices', { body: [] });
  gateway.answer(CHALLENGE, { body: { webauthn_challenge: null, totp_challenge: false } });
  let isProven = false;
  gateway.answer(PRIVILEGE, () =>
    isProven
      ? { body: 'privilege-1' }
      : { status: 403, body: { ...failure('mfa_required', 'a while'), fields: { reason: 'password' } } },
  );
  gateway.answer('POST /v1/webapi/mfa/authenticatechallenge/password', () => {
    isProven = true;
    return { body: { webauthn_challenge: null, totp_challenge: false } };
  });
  gateway.answer('POST /v1/webapi/mfa/token/privilege-1/registerchallenge', {
    body: { webauthn: null, totp: { qrCode: 'iVBORw0KGgo=' }, totpSecret: 'JBSWY3DPEHPK3PXP' },
  });
  gateway.answer('POST /v1/webapi/mfa/devices', { body: { message: 'ok' } });
  await open('/web/account/twofactor', gateway);

  await userEvent.click(await screen.findByRole('button', { name: 'Add device' }));
  await userEvent.type(await screen.findByLabelText('Current password'), 'secret');
  await userEvent.click(screen.getByRole('button', { name: 'Continue' }));
  expect(await screen.findByText('JBSW Y3DP EHPK 3PXP')).toBeTruthy();
  await userEvent.type(screen.getByLabelText('Code'), '123456');
  await userEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Add device' }));

  expect(await screen.findByText('Authenticator app was added.')).toBeTruthy();
  expect(bodyOf(gateway, 'POST /v1/webapi/mfa/devices')).toEqual({
    tokenId: 'privilege-1',
    deviceName: 'Authenticator app',
    secondFactorToken: '123456',
  });
});

test('who came through a provider a while ago is led to sign in there again, and back to this page', async () => {
  const gateway = fakeGateway();
  gateway.answer('GET /v1/webapi/mfa/devices', { body: [] });
  gateway.answer(CHALLENGE, { body: { webauthn_challenge: null, totp_challenge: false } });
  const again = '/v1/webapi/oidc/login/web?connector_id=okta&fresh=yes&redirect_url=';
  gateway.answer(PRIVILEGE, {
    status: 403,
    body: { ...failure('mfa_required', 'sign in again there first'), fields: { reason: 'sign_in', again } },
  });
  const { went } = await open('/web/account/twofactor', gateway);

  await userEvent.click(await screen.findByRole('button', { name: 'Add device' }));
  await userEvent.click(await screen.findByRole('button', { name: 'Sign in there again' }));

  expect(went).toEqual([again + encodeURIComponent('http://localhost:3080/web/account/twofactor')]);
});

test('new recovery codes are shown once, after proving again', async () => {
  const gateway = withCodeAsked();
  gateway.answer('POST /v1/webapi/recovery/codes', {
    body: { codes: ['AAAAA-11111'], created: '2026-11-15T03:00:00Z' },
  });
  await open('/web/account/twofactor', gateway);

  await userEvent.click(await screen.findByRole('button', { name: 'Make new codes' }));
  await userEvent.type(await screen.findByLabelText('Code'), '123456');
  await userEvent.click(within(screen.getByRole('dialog')).getByRole('button', { name: 'Make new codes' }));

  expect(await screen.findByText('AAAAA-11111')).toBeTruthy();
  await userEvent.keyboard('{Escape}');
  expect(screen.getByText('AAAAA-11111')).toBeTruthy();
});

test('a password is changed with the code, and errors stand at the field they are about', async () => {
  const gateway = fakeGateway();
  gateway.answer('GET /v1/webapi/mfa/devices', {
    body: [{ id: 'd1', name: 'phone', type: 'TOTP', lastUsed: '', addedAt: '' }],
  });
  gateway.answer(CHANGE, {
    status: 400,
    body: { ...failure('bad_request', 'the current password is not right'), fields: { field: 'old_password' } },
  });
  await open('/web/account/password', gateway);

  const current = await screen.findByLabelText('Current password');
  await userEvent.type(current, 'wrong one');
  await userEvent.type(screen.getByLabelText('New password'), 'a new password');
  await userEvent.type(screen.getByLabelText('New password again'), 'a new password');
  await userEvent.type(screen.getByLabelText('Code'), '123456');
  await userEvent.click(screen.getByRole('button', { name: 'Change password' }));
  await waitFor(() => expect(current.getAttribute('aria-invalid')).toBe('true'));
  expect(screen.getByText('The current password is not right.')).toBeTruthy();
  gateway.answer(CHANGE, { body: { message: 'ok' } });
  await userEvent.type(screen.getByLabelText('Code'), '234567');
  await userEvent.click(screen.getByRole('button', { name: 'Change password' }));

  expect(await screen.findByText(/^Your password was changed\./)).toBeTruthy();
  expect(bodyOf(gateway, CHANGE)).toEqual({
    old_password: btoa('wrong one'),
    new_password: btoa('a new password'),
    second_factor_token: '234567',
  });
});

test('without second factors the gateway says so and nothing is offered', async () => {
  await open('/web/account/twofactor', fakeGateway(), 'off');

  expect(await screen.findByText('This gateway does not use second factors.')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Add device' })).toBe(null);
});

test('who signs in through a provider has no password here, and may have a second factor', async () => {
  const gateway = fakeGateway();
  gateway.answer('GET /v1/webapi/sites/-current-/context', {
    body: { authType: 'sso', userName: 'maya', userAcl: encodeAcl(emptyAcl()), cluster: CLUSTER },
  });
  await open('/web/account', gateway);

  const tabs = await screen.findByRole('navigation', { name: 'Account Settings' });
  expect(
    within(tabs)
      .getAllByRole('link')
      .map((link) => link.textContent),
  ).toEqual(['Sign-ins', 'Second factor']);
});

test('who links themselves keeps the tab of the password that still signs them in', async () => {
  const gateway = fakeGateway();
  gateway.answer('GET /v1/webapi/sites/-current-/context', {
    body: { authType: 'sso', hasPassword: true, userName: 'maya', userAcl: encodeAcl(emptyAcl()), cluster: CLUSTER },
  });
  await open('/web/account', gateway);

  const tabs = await screen.findByRole('navigation', { name: 'Account Settings' });
  expect(within(tabs).getByRole('link', { name: 'Password' })).toBeTruthy();
});
