import type { SecondFactor } from '@gatehouse/contract/console/page-config';
import { cliLoginRoutes } from '@gatehouse/contract/identity/cli-login';
import { mfaRoutes } from '@gatehouse/contract/identity/mfa';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { call, type Send } from '@gatehouse/contract/wire/client';
import { afterEach, expect, test } from 'vitest';
import {
  codeOf,
  enrolApp,
  enrolKey,
  type IdentityGateway,
  PASSWORD,
  startIdentityGateway,
} from '../../../testing/identity-gateway.ts';
import { sendTo } from '../../../testing/start-test-gateway.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';

let gateway: IdentityGateway;
afterEach(() => gateway.close());

const STALE_MS = 9 * 60_000;
const PASSWORD_ASKED = { code: 'mfa_required', fields: { reason: 'password' } };

async function start(secondFactor: SecondFactor): Promise<TestBrowser> {
  gateway = await startIdentityGateway({ secondFactor });
  await gateway.addUser('admin', { roles: ['editor'] });
  await gateway.addUser('vic', { roles: ['access'] });
  return gateway.signedIn('vic');
}

async function becomeStale(browser: TestBrowser): Promise<void> {
  gateway.clock.advance(STALE_MS);
  await browser.open();
}

const begin = () => call(gateway.send, cliLoginRoutes.begin, { body: { client: 'laptop' } });
const accept = (browser: TestBrowser, requestId: string, tokenId?: string) =>
  call(browser.send, cliLoginRoutes.answer, {
    params: { requestId },
    body: { action: 'accept', ...(tokenId === undefined ? {} : { tokenId }) },
  });
const prove = (send: Send, body: { secondFactorToken?: string } = {}) =>
  call(send, passwordRoutes.createPrivilegeToken, { body });
const enterPassword = (send: Send) => call(send, mfaRoutes.challengeWithPassword, { body: { pass: PASSWORD } });

async function commandLine(browser: TestBrowser, tokenId?: string): Promise<Send> {
  const { requestId, secret } = await begin();
  await accept(browser, requestId, tokenId);
  const { token } = await call(gateway.send, cliLoginRoutes.poll, { params: { requestId }, body: { secret } });
  return sendTo(gateway.app, { authorization: `Bearer ${token}` });
}

test.each(['off', 'optional'] as const)(
  'with second factors %s, a browser that was left open accepts no command line until the password is entered',
  async (mode) => {
    const browser = await start(mode);
    await becomeStale(browser);
    const { requestId } = await begin();

    await expect(accept(browser, requestId)).rejects.toMatchObject(PASSWORD_ASKED);
    await enterPassword(browser.send);
    await accept(browser, requestId, await prove(browser.send));
  },
);

test('a command line that was accepted a moment ago is no proof of who sits at it', async () => {
  const browser = await start('optional');
  const cli = await commandLine(browser);

  await expect(prove(cli)).rejects.toMatchObject(PASSWORD_ASKED);
  await enterPassword(cli);
  expect(await prove(cli)).toMatch(/^[0-9a-f]{64}$/);
});

test('whoever has a device proves it to accept, unless they signed in with it a moment ago', async () => {
  const browser = await start('optional');
  const secret = await enrolApp(gateway, browser);
  const fresh = gateway.browser();
  await fresh.signIn('vic', PASSWORD, codeOf(secret, gateway.clock.now));
  await commandLine(fresh);

  await becomeStale(fresh);
  const { requestId } = await begin();
  // The password alone is not enough for whoever has more.
  await enterPassword(fresh.send);
  await expect(accept(fresh, requestId)).rejects.toMatchObject({ code: 'mfa_required' });
  const tokenId = await prove(fresh.send, { secondFactorToken: codeOf(secret, gateway.clock.now) });
  await accept(fresh, requestId, tokenId);
  const next = await begin();
  await becomeStale(fresh);
  await expect(accept(fresh, next.requestId, tokenId)).rejects.toMatchObject({ status: 403 });
});

test('a proof of somebody else is refused, and denying takes none', async () => {
  const browser = await start('optional');
  const admin = await gateway.signedIn('admin');
  const foreign = await prove(admin.send);
  await becomeStale(browser);
  const { requestId } = await begin();

  await expect(accept(browser, requestId, foreign)).rejects.toMatchObject({ code: 'denied' });
  await call(browser.send, cliLoginRoutes.answer, { params: { requestId }, body: { action: 'deny' } });
});

test('a reset takes every device with it that was there, and tells of each', async () => {
  const browser = await start('optional');
  await enrolKey(browser, await prove(browser.send), { deviceName: 'evil', deviceUsage: 'passwordless' });
  const admin = await gateway.signedIn('admin');
  const { tokenId } = await call(admin.send, passwordRoutes.createToken, { body: { name: 'vic' } });
  const owner = gateway.browser();
  await owner.open();
  const password = Buffer.from('brand new one').toString('base64');
  await call(owner.send, passwordRoutes.useToken, { body: { token: tokenId, password } });
  await owner.open();

  expect(await call(owner.send, mfaRoutes.devices, {})).toEqual([]);
  const gone = (await gateway.events()).filter(({ code }) => code === 'T1007I');
  expect(gone.map(({ data }) => data.mfa_device_name)).toEqual(['evil']);
});

test('who looks at a request is told when it comes from another address than theirs', async () => {
  const browser = await start('off');
  const stranger = gateway.browser({ address: '203.0.113.9' });
  await stranger.open();
  const details = async (asking: Send) => {
    const { requestId } = await call(asking, cliLoginRoutes.begin, { body: { client: 'laptop' } });
    return call(browser.send, cliLoginRoutes.details, { params: { requestId } });
  };

  expect(await details(gateway.send)).toMatchObject({ elsewhere: false });
  expect(await details(stranger.send)).toMatchObject({ elsewhere: true });
});
