import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { failure, fakeGateway } from '../../../testing/fake-gateway.ts';
import { HEADLESS } from '../../../testing/headless-request.ts';
import { closePage, openPage } from '../../../testing/open-page.tsx';

const ID = HEADLESS.header.metadata.name;
const REQUEST = `/v1/webapi/headless/${ID}`;
const PAGE = `/web/headless/${ID}`;

afterEach(() => {
  vi.unstubAllGlobals();
  return closePage();
});

test('the page shows what is asked, by whom and from where, before anything can be said', async () => {
  await openPage(PAGE, { gateway: fakeGateway() });

  expect(await screen.findByRole('heading', { name: 'A command wants to sign in as you' })).toBeTruthy();
  expect(screen.getByRole('img', { name: 'Code K 7 Q M - 2 R 4 X' })).toBeTruthy();
  for (const text of ['web-1 as deploy', 'rsync -a build/ /srv/', '198.51.100.23', 'not this browser’s'])
    expect(screen.getByText(text), text).toBeTruthy();
  expect(screen.getByText(/gatehouse on build-07.*You are at 203\.0\.113\.9/)).toBeTruthy();
  expect(screen.getByText('It comes from another address.')).toBeTruthy();
});

test('Escape refuses', async () => {
  const gateway = fakeGateway();
  gateway.answer(`PUT ${REQUEST}`, { body: { message: 'ok' } });
  await openPage(PAGE, { gateway });
  await screen.findByText('web-1 as deploy');

  await userEvent.keyboard('{Escape}');

  expect(await screen.findByRole('heading', { name: 'Refused' })).toBeTruthy();
  expect(gateway.bodies[gateway.calls.indexOf(`PUT ${REQUEST}`)]).toEqual({ action: 'denied' });
});

test('whoever has no key is told so, and a one-time code is not asked for', async () => {
  const gateway = fakeGateway();
  gateway.answer('POST /v1/webapi/mfa/authenticatechallenge', {
    body: { webauthn_challenge: null, totp_challenge: true },
  });
  await openPage(PAGE, { gateway });

  await userEvent.click(await screen.findByRole('button', { name: /Accept with your security key/ }));

  expect(await screen.findByText(/You have no security key or passkey/)).toBeTruthy();
  expect(screen.queryByRole('textbox')).toBe(null);
  expect(gateway.calls).not.toContain(`PUT ${REQUEST}`);
});

test('who did not type it refuses, and is signed out everywhere', async () => {
  const gateway = fakeGateway();
  gateway.answer(`PUT ${REQUEST}`, { body: { message: 'ok' } });
  const item = { kind: 'cli', device: 'x', address: '', created: '', lastActive: '', expires: '' };
  gateway.answer('GET /v1/webapi/signins', {
    body: [
      { ...item, id: 'here', current: true },
      { ...item, id: 'there', current: false },
    ],
  });
  gateway.answer('DELETE /v1/webapi/signins/there', { body: { message: 'ok' } });
  gateway.answer('DELETE /v1/webapi/sessions/web', { body: { message: 'ok' } });
  await openPage(PAGE, { gateway });

  await userEvent.click(await screen.findByRole('button', { name: /I did not type this/ }));

  await vi.waitFor(() => expect(gateway.calls).toContain('DELETE /v1/webapi/sessions/web'));
  expect(gateway.calls).toContain('DELETE /v1/webapi/signins/there');
  expect(gateway.bodies[gateway.calls.indexOf(`PUT ${REQUEST}`)]).toEqual({ action: 'denied' });
});

test.each([
  [{ ...HEADLESS, state: 3 }, 'Accepted'],
  [{ ...HEADLESS, state: 2 }, 'Refused'],
])('one that was answered before says so', async (body, title) => {
  const gateway = fakeGateway();
  gateway.answer(`GET ${REQUEST}`, { body });
  await openPage(PAGE, { gateway });

  expect(await screen.findByRole('heading', { name: title })).toBeTruthy();
});

test('one that is not known offers nothing to accept', async () => {
  const gateway = fakeGateway();
  gateway.answer(`GET ${REQUEST}`, { status: 400, body: failure('bad_request', 'gone') });
  await openPage(PAGE, { gateway });

  expect(await screen.findByRole('heading', { name: 'There is nothing to approve' })).toBeTruthy();
  expect(screen.queryByRole('button', { name: /Accept/ })).toBe(null);
});
