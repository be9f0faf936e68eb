import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';
import { CLI_LOGIN, failure, fakeGateway } from '../../../testing/fake-gateway.ts';
import { closePage, openPage } from '../../../testing/open-page.tsx';

const REQUEST = '/v1/webapi/cli/logins/r-1';

afterEach(closePage);

test.each([
  ['Accept', 'accept', 'Your command line is signed in'],
  ['Deny', 'deny', 'The request was denied'],
])('%s answers the request that the code names', async (button, action, title) => {
  const gateway = fakeGateway();
  gateway.answer(`PUT ${REQUEST}`, { body: { message: 'ok' } });
  await openPage('/web/cli/r-1', { gateway });

  expect(await screen.findByText('WXYZ-1234')).toBeTruthy();
  expect(screen.getByText('gatehouse on laptop')).toBeTruthy();
  expect(screen.getByText('10.0.0.8')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: button }));

  expect(await screen.findByRole('heading', { name: title })).toBeTruthy();
  expect(gateway.bodies[gateway.calls.indexOf(`PUT ${REQUEST}`)]).toEqual({ action });
});

test('a request from another address than the browser says so before it is accepted', async () => {
  const gateway = fakeGateway();
  gateway.answer(`GET ${REQUEST}`, { body: { ...CLI_LOGIN, elsewhere: true } });
  await openPage('/web/cli/r-1', { gateway });

  expect(await screen.findByText(/asks from another address than this browser/)).toBeTruthy();
});

test('a connection of SSH names server, login and key, and keeps the key when that is wanted', async () => {
  const gateway = fakeGateway();
  const ssh = { server: 'web-1', login: 'root', key: 'SHA256:abc' };
  gateway.answer(`GET ${REQUEST}`, { body: { ...CLI_LOGIN, client: 'ssh root@web-1', ssh } });
  gateway.answer(`PUT ${REQUEST}`, { body: { message: 'ok' } });
  await openPage('/web/cli/r-1', { gateway });

  expect(await screen.findByRole('heading', { name: 'Let this SSH connection in?' })).toBeTruthy();
  for (const shown of ['web-1', 'root', 'SHA256:abc']) expect(screen.getByText(shown)).toBeTruthy();
  await userEvent.click(screen.getByRole('checkbox', { name: /Use this key/ }));
  await userEvent.click(screen.getByRole('button', { name: 'Accept' }));

  expect(await screen.findByRole('heading', { name: 'The connection is let in' })).toBeTruthy();
  expect(gateway.bodies[gateway.calls.indexOf(`PUT ${REQUEST}`)]).toEqual({ action: 'accept', keepKey: true });
});

test('a second factor for programs of Kubernetes names the cluster, and says what it opens', async () => {
  const gateway = fakeGateway();
  const kube = { name: 'prod-east' };
  gateway.answer(`GET ${REQUEST}`, { body: { ...CLI_LOGIN, client: 'programs for it', kube } });
  gateway.answer(`PUT ${REQUEST}`, { body: { message: 'ok' } });
  await openPage('/web/cli/r-1', { gateway });

  expect(await screen.findByRole('heading', { name: 'Give a second factor for Kubernetes?' })).toBeTruthy();
  expect(screen.getByText('prod-east')).toBeTruthy();
  expect(screen.getByText('WXYZ-1234')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Accept' }));

  expect(await screen.findByRole('heading', { name: 'The second factor was given' })).toBeTruthy();
});

test('a request that is gone offers nothing to accept', async () => {
  const gateway = fakeGateway();
  gateway.answer(`GET ${REQUEST}`, { status: 404, body: failure('not_found', 'gone') });
  await openPage('/web/cli/r-1', { gateway });

  expect(await screen.findByRole('heading', { name: 'There is nothing to approve' })).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Accept' })).toBe(null);
});

test('a request that goes while the page is open is said to be gone', async () => {
  const gateway = fakeGateway();
  gateway.answer(`PUT ${REQUEST}`, { status: 404, body: failure('not_found', 'gone') });
  await openPage('/web/cli/r-1', { gateway });
  await screen.findByText('WXYZ-1234');

  gateway.answer(`GET ${REQUEST}`, { status: 404, body: failure('not_found', 'gone') });
  await userEvent.click(screen.getByRole('button', { name: 'Accept' }));

  expect(await screen.findByRole('heading', { name: 'There is nothing to approve' })).toBeTruthy();
});

test.each([
  ['accepted', 'Your command line is signed in'],
  ['denied', 'The request was denied'],
])('a request that was %s before says so', async (state, title) => {
  const gateway = fakeGateway();
  gateway.answer(`GET ${REQUEST}`, { body: { ...CLI_LOGIN, state } });

  await openPage('/web/cli/r-1', { gateway });

  expect(await screen.findByRole('heading', { name: title })).toBeTruthy();
});

test('where a proof is asked for, the one that was accepted goes with the answer', async () => {
  const gateway = fakeGateway();
  gateway.answer(`PUT ${REQUEST}`, { status: 403, body: failure('mfa_required', 'prove it') });
  gateway.answer('POST /v1/webapi/mfa/authenticatechallenge', {
    body: { webauthn_challenge: null, totp_challenge: true },
  });
  gateway.answer('POST /v1/webapi/users/privilege/token', { body: 'f'.repeat(64) });
  await openPage('/web/cli/r-1', { gateway });

  await userEvent.click(await screen.findByRole('button', { name: 'Accept' }));
  const dialog = await screen.findByRole('dialog', { name: 'Is it you?' });
  await userEvent.type(await within(dialog).findByRole('textbox'), '123456');
  gateway.answer(`PUT ${REQUEST}`, { body: { message: 'ok' } });
  await userEvent.click(within(dialog).getByRole('button', { name: 'Accept' }));

  expect(await screen.findByRole('heading', { name: 'Your command line is signed in' })).toBeTruthy();
  expect(gateway.bodies[gateway.calls.lastIndexOf(`PUT ${REQUEST}`)]).toEqual({
    action: 'accept',
    tokenId: 'f'.repeat(64),
  });
});

test('closing the question answers nothing', async () => {
  const gateway = fakeGateway();
  gateway.answer(`PUT ${REQUEST}`, { status: 403, body: failure('mfa_required', 'prove it') });
  gateway.answer('POST /v1/webapi/mfa/authenticatechallenge', {
    body: { webauthn_challenge: null, totp_challenge: true },
  });
  await openPage('/web/cli/r-1', { gateway });

  await userEvent.click(await screen.findByRole('button', { name: 'Accept' }));
  const dialog = await screen.findByRole('dialog', { name: 'Is it you?' });
  await userEvent.click(within(dialog).getByRole('button', { name: 'Cancel' }));

  expect(screen.queryByRole('dialog')).toBe(null);
  expect(screen.getByText('WXYZ-1234')).toBeTruthy();
  expect(gateway.calls.filter((made) => made === `PUT ${REQUEST}`)).toHaveLength(1);
});
