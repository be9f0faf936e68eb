import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { failure, fakeGateway, pong } from '../../../testing/fake-gateway.ts';
import { CERTIFICATE, KEPT_KEY, withDoor } from '../../../testing/fake-ssh.ts';
import { closePage, openPage } from '../../../testing/open-page.tsx';

const CERTIFICATES = 'GET /v1/webapi/ssh/certs';
const KEYS = 'GET /v1/webapi/ssh/keys';
const REVOKE = 'DELETE /v1/webapi/ssh/certs/5eed';

afterEach(closePage);

function withKeys() {
  const gateway = fakeGateway();
  gateway.answer(CERTIFICATES, { body: [CERTIFICATE] });
  gateway.answer(KEYS, { body: [KEPT_KEY] });
  return gateway;
}

const section = async () => within(await screen.findByRole('region', { name: 'SSH' }));
const rowOf = async (fingerprint: string) =>
  within((await (await section()).findByText(fingerprint)).closest('tr') as HTMLElement);

async function revoke(fingerprint: string, title: string) {
  await userEvent.click((await rowOf(fingerprint)).getByRole('button', { name: 'Revoke' }));
  const dialog = within(await screen.findByRole('dialog', { name: title }));
  await userEvent.click(dialog.getByRole('button', { name: 'Revoke' }));
}

test('certificates and kept keys tell what they stand on, when they were made and when they end', async () => {
  await openPage('/web/account', { gateway: withKeys() });

  const certificate = await rowOf(CERTIFICATE.fingerprint);
  expect(certificate.getByText('Certificate of gatehouse on laptop')).toBeTruthy();
  expect(certificate.getByText('2026-11-15 03:00:00')).toBeTruthy();
  expect(certificate.getByText('2026-11-15 15:00:00')).toBeTruthy();
  const kept = await rowOf(KEPT_KEY.fingerprint);
  expect(kept.getByText('Let in by Chrome on Linux, from 198.51.100.23 alone')).toBeTruthy();
  expect(kept.getByText('When it signs out')).toBeTruthy();
});

test('each is revoked by its own call after one question, and is gone from the list', async () => {
  const gateway = withKeys();
  gateway.answer(REVOKE, () => {
    gateway.answer(CERTIFICATES, { body: [] });
    return { body: { message: 'ok' } };
  });
  gateway.answer('DELETE /v1/webapi/ssh/keys/b-1', () => {
    gateway.answer(KEYS, { body: [] });
    return { body: { message: 'ok' } };
  });
  gateway.answer('GET /v1/webapi/ping', { body: withDoor(pong()) });
  await openPage('/web/account', { gateway });

  await revoke(CERTIFICATE.fingerprint, 'Revoke this certificate?');
  expect(await screen.findByText('The certificate was revoked.')).toBeTruthy();
  await waitFor(() => expect(screen.queryByText(CERTIFICATE.fingerprint)).toBe(null));
  await revoke(KEPT_KEY.fingerprint, 'Let this key in no longer?');

  expect(await (await section()).findByText(/Run gatehouse login on your computer/)).toBeTruthy();
  expect(gateway.calls.filter((call) => call.startsWith('DELETE'))).toEqual([REVOKE, 'DELETE /v1/webapi/ssh/keys/b-1']);
});

test('what the gateway refuses to revoke is said in its words, and stays', async () => {
  const gateway = withKeys();
  gateway.answer(REVOKE, { status: 404, body: failure('not_found', 'there is no such certificate') });
  await openPage('/web/account', { gateway });

  await revoke(CERTIFICATE.fingerprint, 'Revoke this certificate?');

  expect(await screen.findByText('There is no such certificate.')).toBeTruthy();
  await waitFor(() => expect(screen.queryByRole('dialog')).toBe(null));
  expect(screen.getByText(CERTIFICATE.fingerprint)).toBeTruthy();
});

test('without a door nobody is told to get a key, and those of before are shown all the same', async () => {
  await openPage('/web/account');
  await screen.findByText('Chrome on Linux');
  expect(screen.queryByRole('region', { name: 'SSH' })).toBe(null);

  await openPage('/web/account', { gateway: withKeys() });

  expect(await rowOf(CERTIFICATE.fingerprint)).toBeTruthy();
});

test('keys that cannot be listed are a failure with another try', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  const gateway = withKeys();
  gateway.answer(CERTIFICATES, { status: 400, body: failure('bad_request', 'the disk is full') });
  await openPage('/web/account', { gateway });
  expect(await screen.findByText('the disk is full')).toBeTruthy();
  gateway.answer(CERTIFICATES, { body: [CERTIFICATE] });

  await userEvent.click(screen.getByRole('button', { name: 'Try again' }));

  expect(await rowOf(CERTIFICATE.fingerprint)).toBeTruthy();
  vi.restoreAllMocks();
});
