import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { failure, fakeGateway, LINK } from '../../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../../testing/open-page.tsx';

const READ = 'GET /v1/webapi/users/password/token/t-1';
const USE = 'PUT /v1/webapi/users/password/token';
const CODES = ['AAAAA-11111', 'BBBBB-22222'];

afterEach(closePage);

async function openLink(path: string, second_factor: string, gateway = fakeGateway()) {
  return openPage(path, { signedIn: false, gateway, world: { pageConfig: { auth: { second_factor } } } });
}

async function choosePassword(password = 'correct horse', again = password) {
  await userEvent.type(await screen.findByLabelText('New password'), password);
  await userEvent.type(screen.getByLabelText('New password again'), again);
  await userEvent.click(screen.getByRole('button', { name: /^(Next|Finish)$/ }));
}

test.each([
  ['unknown', 'This link is not known'],
  ['used', 'This link was used already'],
  ['expired', 'This link has expired'],
])('a link that is %s says so', async (reason, title) => {
  const gateway = fakeGateway();
  gateway.answer(READ, { status: 403, body: { ...failure('denied', 'no'), fields: { reason } } });

  await openLink('/web/invite/t-1', 'on', gateway);

  expect(await screen.findByRole('heading', { name: title })).toBeTruthy();
});

test('a gateway that does not answer can be asked again', async () => {
  const gateway = fakeGateway();
  gateway.answer(READ, 'no answer');
  await openLink('/web/reset/t-1', 'on', gateway);

  expect(await screen.findByText(/The gateway does not answer/)).toBeTruthy();
  gateway.answer(READ, { body: LINK });
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }));

  expect(await screen.findByRole('heading', { name: 'Welcome to Gatehouse' })).toBeTruthy();
});

test('the welcome leads on under its own address, and that address begins there', async () => {
  await openLink('/web/invite/t-1', 'off');
  await userEvent.click(await screen.findByRole('button', { name: 'Get started' }));

  expect(screen.getByLabelText('New password')).toBeTruthy();
  expect(window.location.pathname).toBe('/web/invite/t-1/continue');
  await openLink('/web/invite/t-1/continue', 'off');
  expect(await screen.findByLabelText('New password')).toBeTruthy();
});

test.each([
  ['short', 'short', 'Choose at least 6 characters.'],
  ['long enough', 'something else', 'The two are not the same.'],
])('the password "%s" with "%s" is held back with a reason', async (password, again, reason) => {
  const { gateway } = await openLink('/web/invite/t-1/continue', 'off');

  await choosePassword(password, again);

  expect(screen.getByText(reason)).toBeTruthy();
  expect(gateway.calls).not.toContain(USE);
});

test('without second factors the password alone is sent, and the person is in', async () => {
  const gateway = fakeGateway();
  gateway.answer(USE, { body: { recovery: {} } });
  localStorage.setItem('grv_teleport_last_active', '1');
  const { went } = await openLink('/web/invite/t-1/continue', 'off', gateway);

  await choosePassword('correct hörse');

  await waitFor(() => expect(went).toEqual(['/web']));
  expect(gateway.bodies.at(-1)).toEqual({ token: 't-1', password: 'Y29ycmVjdCBow7Zyc2U=' });
  expect(localStorage.getItem('grv_teleport_last_active')).toBe(null);
});

test('an authenticator app is set up with its first code; a wrong one is said at its field; the codes come last', async () => {
  const gateway = fakeGateway();
  gateway.answer(USE, {
    status: 400,
    body: { ...failure('bad_request', 'the code is not right'), fields: { field: 'code' } },
  });
  const { went } = await openLink('/web/invite/t-1/continue', 'otp', gateway);
  await choosePassword();

  expect(screen.getByText('JBSW Y3DP EHPK 3PXP')).toBeTruthy();
  const field = screen.getByLabelText('Code');
  await userEvent.type(field, '123456{Enter}');
  await waitFor(() => expect(field.getAttribute('aria-invalid')).toBe('true'));
  expect(screen.getByText('The code is not right.')).toBeTruthy();
  gateway.answer(USE, { body: { recovery: { codes: CODES, created: '2026-11-15T03:00:00Z' } } });
  await userEvent.click(screen.getByRole('button', { name: 'Finish' }));

  expect(await screen.findByText('AAAAA-11111')).toBeTruthy();
  expect(gateway.bodies.at(-1)).toEqual({
    token: 't-1',
    password: 'Y29ycmVjdCBob3JzZQ==',
    deviceName: 'Authenticator app',
    second_factor_token: '123456',
  });
  await userEvent.click(screen.getByRole('button', { name: 'Go to Gatehouse' }));
  expect(screen.getByText('Save the codes first, then tick the box.')).toBeTruthy();
  expect(went).toEqual([]);
  await userEvent.click(screen.getByLabelText('I have saved these codes'));
  await userEvent.click(screen.getByRole('button', { name: 'Go to Gatehouse' }));
  expect(went).toEqual(['/web']);
});

test('where it is optional, the second factor can wait', async () => {
  const gateway = fakeGateway();
  gateway.answer(USE, { body: { recovery: { codes: CODES, created: '2026-11-15T03:00:00Z' } } });
  await openLink('/web/invite/t-1/continue', 'optional', gateway);
  await choosePassword();

  await userEvent.click(screen.getByRole('radio', { name: /Not now/ }));
  await userEvent.click(screen.getByRole('button', { name: 'Finish' }));

  expect(await screen.findByText('BBBBB-22222')).toBeTruthy();
  expect(gateway.bodies.at(-1)).toEqual({ token: 't-1', password: 'Y29ycmVjdCBob3JzZQ==' });
});

test('a recovery keeps the password, asks only for a device, and has no way around it', async () => {
  const gateway = fakeGateway();
  gateway.answer(READ, { body: { ...LINK, type: 'recovery', keepsPassword: true } });
  gateway.answer(USE, { body: { recovery: { codes: CODES, created: '2026-11-15T03:00:00Z' } } });
  await openLink('/web/reset/t-1', 'optional', gateway);
  expect(await screen.findByRole('heading', { name: 'Get back into your account' })).toBeTruthy();

  await userEvent.click(screen.getByRole('button', { name: 'Get started' }));
  expect(screen.queryByLabelText('New password')).toBe(null);
  expect(screen.queryByRole('radio', { name: /Not now/ })).toBe(null);
  await userEvent.type(screen.getByLabelText('Code'), '123456');
  await userEvent.click(screen.getByRole('button', { name: 'Finish' }));

  expect(await screen.findByText('AAAAA-11111')).toBeTruthy();
  expect(gateway.bodies.at(-1)).toMatchObject({ password: null, second_factor_token: '123456' });
});

test('a link that stops working on the way says so', async () => {
  const gateway = fakeGateway();
  gateway.answer(USE, { status: 403, body: { ...failure('denied', 'no'), fields: { reason: 'expired' } } });
  await openLink('/web/invite/t-1/continue', 'off', gateway);

  await choosePassword();

  expect(await screen.findByRole('heading', { name: 'This link has expired' })).toBeTruthy();
});
