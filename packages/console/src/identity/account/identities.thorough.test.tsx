import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { failure, fakeGateway } from '../../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../../testing/open-page.tsx';

const OWN = 'GET /v1/webapi/sso/identities';
const LINK = 'POST /v1/webapi/sso/identities';
const IDENTITY = { kind: 'oidc', connector: 'okta', subject: 's-1', name: 'maya', created: '2026-11-15T03:00:00Z' };
const world = {
  pageConfig: {
    auth: { providers: [{ name: 'okta', displayName: 'Okta', type: 'oidc', url: '/x' }] },
    proxyCluster: 'one',
  },
};
const led: string[] = [];

beforeEach(() => {
  led.length = 0;
  vi.spyOn(window, 'open').mockImplementation((url) => {
    led.push(String(url));
    const opened = { closed: false, opener: window, location: {} };
    return Object.assign(opened, { close: () => (opened.closed = true) }) as unknown as Window;
  });
});
afterEach(async () => {
  await closePage();
  vi.restoreAllMocks();
});

test('an account is linked after a proof here, in a window of the provider', async () => {
  const gateway = fakeGateway();
  gateway.answer(LINK, { status: 403, body: failure('mfa_required', 'prove it first') });
  gateway.answer('POST /v1/webapi/mfa/authenticatechallenge', {
    body: { webauthn_challenge: null, totp_challenge: true },
  });
  gateway.answer('POST /v1/webapi/users/privilege/token', { body: 'p-1' });
  await openPage('/web/account', { gateway, world });
  const user = userEvent.setup();
  // Before anything is begun: a recent proof would let it begin without another question.
  expect(await screen.findByText(/in place of those you have now/)).toBeTruthy();
  await user.click(await screen.findByRole('button', { name: 'Link Okta' }));
  const keys = within(await screen.findByRole('dialog', { name: 'Link your account to Okta?' }));
  await user.click(await keys.findByRole('button', { name: 'Continue' }));
  // No empty window before there is anything to show in it.
  expect(window.open).not.toHaveBeenCalled();
  await user.type(await screen.findByLabelText(/code/i), '123456');
  const dialog = within(screen.getByLabelText(/code/i).closest('[role=dialog], dialog') as HTMLElement);
  gateway.answer(LINK, { body: { id: 'l-1', url: 'https://one.example.com/v1/webapi/sso/go/l-1' } });
  await user.click(dialog.getByRole('button', { name: 'Continue' }));

  expect(await screen.findByText(/Waiting for you to sign in to Okta/)).toBeTruthy();
  expect(led).toEqual(['https://one.example.com/v1/webapi/sso/go/l-1']);
  gateway.answer(OWN, { body: [IDENTITY] });
  expect(await screen.findByText(/You are linked to Okta\./)).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Link Okta' })).toBeNull();

  // Unlinked again, nobody is waited for any more.
  gateway.answer('DELETE /v1/webapi/sso/identities/okta', { body: { message: 'ok' } });
  await user.click(screen.getByRole('button', { name: 'Unlink Okta' }));
  gateway.answer(OWN, { body: [] });
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Unlink' }));
  expect(await screen.findByRole('button', { name: 'Link Okta' })).toBeTruthy();
  expect(screen.queryByText(/Waiting for you to sign in/)).toBeNull();
  expect(screen.queryByText(/You are linked to Okta\./)).toBeNull();
});

test('a link is undone after being told what ends', async () => {
  const gateway = fakeGateway();
  gateway.answer(OWN, { body: [IDENTITY] });
  gateway.answer('DELETE /v1/webapi/sso/identities/okta', { body: { message: 'ok' } });
  await openPage('/web/account', { gateway, world });
  const user = userEvent.setup();
  await user.click(await screen.findByRole('button', { name: 'Unlink Okta' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Unlink Okta?' }));
  gateway.answer(OWN, { body: [] });
  await user.click(dialog.getByRole('button', { name: 'Unlink' }));

  expect(await screen.findByText('You are no longer linked to Okta.')).toBeTruthy();
});

const KEYS = [
  { id: 'password', type: 'password', name: '', mayStay: false },
  { id: 'd-1', type: 'passkey', name: 'blue key', created: '2026-11-01T03:00:00Z', mayStay: true },
  {
    id: 't-1',
    type: 'token',
    name: 'nightly',
    created: '2026-11-02T03:00:00Z',
    expires: '2027-11-02T03:00:00Z',
    scope: 'read',
    address: '192.0.2.7',
    mayStay: true,
  },
  { id: 'l-2', type: 'link', name: 'github', subject: '4711', calledThere: 'ann', mayStay: true },
  { id: 'codes', type: 'codes', name: '', mayStay: false },
  { id: 's-1', type: 'browser', name: 'Firefox on Linux', stays: 'current', mayStay: true },
];

test('what else opens the account is listed, nothing of it ticked, and only what is ticked is kept', async () => {
  const gateway = fakeGateway();
  gateway.answer('GET /v1/webapi/sso/keys', { body: { keys: KEYS, isLastAdministrator: false } });
  gateway.answer(LINK, { body: { id: 'l-1', url: 'https://one.example.com/there' } });
  await openPage('/web/account', { gateway, world });
  const user = userEvent.setup();
  await user.click(await screen.findByRole('button', { name: 'Link Okta' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Link your account to Okta?' }));
  const passkey = await dialog.findByRole('checkbox', { name: /Passkey blue key/ });
  const boxes = dialog.getAllByRole<HTMLInputElement>('checkbox');

  expect(boxes.map(({ checked }) => checked)).toEqual([false, false, false, false, false]);
  expect(boxes.map(({ disabled }) => disabled)).toEqual([true, false, false, false, true]);
  expect(dialog.getByText(/API token, reads only · made .* · from 192\.0\.2\.7 · until .*2027/)).toBeTruthy();
  expect(dialog.getByText(/as ann, subject 4711/)).toBeTruthy();
  expect(dialog.getByText(/change it first, in this browser/)).toBeTruthy();
  expect(dialog.getByText(/These stay: Browser: Firefox on Linux/)).toBeTruthy();
  await user.click(passkey);
  await user.click(dialog.getByRole('button', { name: 'Continue' }));

  expect(await screen.findByText(/Waiting for you to sign in to Okta/)).toBeTruthy();
  expect(gateway.bodies[gateway.calls.lastIndexOf(LINK)]).toEqual({ connector: 'okta', keep: ['d-1'] });
});

test('a link from before the account got new credentials says so, and can be made again', async () => {
  const gateway = fakeGateway();
  gateway.answer(OWN, { body: [{ ...IDENTITY, isDoubted: true }] });
  await openPage('/web/account', { gateway, world });

  expect(await screen.findByText('Not confirmed')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Link Okta' })).toBeTruthy();
});
