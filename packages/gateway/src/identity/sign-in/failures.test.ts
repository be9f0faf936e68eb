import { lockOutRoutes } from '@gatehouse/contract/identity/lock-outs';
import { signInRoutes } from '@gatehouse/contract/identity/sign-in';
import { type CallError, call } from '@gatehouse/contract/wire/client';
import { afterEach, expect, test } from 'vitest';
import type { CountedPasswords } from '../../../testing/cheap-passwords.ts';
import { type IdentityGateway, PASSWORD, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';

let gateway: IdentityGateway;
afterEach(() => gateway.close());

const MINUTE_MS = 60_000;

/** From its own address each, as far as the gateway can see. */
function browserFrom(host: number): TestBrowser {
  return gateway.browser({ address: `192.0.2.${host}` });
}

async function fail(browser: TestBrowser, user: string, times = 1): Promise<CallError> {
  let last: unknown;
  for (let index = 0; index < times; index++) {
    last = await browser.signIn(user, 'wrong-password').catch((error: unknown) => error);
  }
  return last as CallError;
}

/** As long as real ones do, compared with asking the store. */
function takeLong(passwords: CountedPasswords): void {
  const { verifyNobody } = passwords;
  passwords.verifyNobody = async (plain) => {
    const result = await verifyNobody(plain);
    await new Promise((resolve) => setTimeout(resolve, 100));
    return result;
  };
}

test('five failures within half an hour lock the name for twenty minutes, also for the right password', async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('ann');
  const owner = browserFrom(2);

  await fail(browserFrom(1), 'ann', 5);

  const refused = owner.signIn('ann', PASSWORD);
  await expect(refused).rejects.toMatchObject({
    status: 403,
    message: expect.stringContaining('try again in 20 minutes'),
    fields: { reason: 'locked', until: new Date(gateway.clock.now + 20 * MINUTE_MS).toISOString() },
  });
  gateway.clock.advance(20 * MINUTE_MS);
  expect(await owner.signIn('ann', PASSWORD)).toMatchObject({ type: 'Bearer' });
});

test('a name that does not exist is locked like any other', async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('ann');

  const real = await fail(browserFrom(1), 'ann', 6);
  const unreal = await fail(browserFrom(2), 'nobody', 6);

  expect([unreal.message, unreal.fields]).toEqual([real.message, real.fields]);
});

test('failures count, successes do not, and a success starts again from zero', async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('ann');
  const browser = browserFrom(1);

  for (let round = 0; round < 3; round++) {
    await fail(browser, 'ann', 4);
    expect(await browser.signIn('ann', PASSWORD)).toMatchObject({ type: 'Bearer' });
    gateway.clock.advance(5 * MINUTE_MS);
  }
});

test('failures older than half an hour are forgotten', async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('ann');
  const browser = browserFrom(1);

  await fail(browser, 'ann', 4);
  gateway.clock.advance(30 * MINUTE_MS);
  await fail(browser, 'ann', 1);

  expect(await browser.signIn('ann', PASSWORD)).toMatchObject({ type: 'Bearer' });
});

test('many attempts at once are not let in together', async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('ann');
  const browsers = Array.from({ length: 40 }, (_, index) => browserFrom(index + 1));
  await Promise.all(browsers.map((browser) => browser.open()));

  await Promise.all(browsers.map((browser) => fail(browser, 'ann')));

  expect(gateway.passwords.checks).toBeLessThanOrEqual(5);
});

test('behind a trusted proxy ten thousand addresses lock the name too', async () => {
  gateway = await startIdentityGateway({ proxy: { behind: true, trusted: ['127.0.0.1'] } });
  await gateway.addUser('ann');
  const browser = gateway.browser();
  await browser.open();
  const body = JSON.stringify({ user: 'ann', pass: 'wrong-password' });

  for (let index = 0; index < 200; index++) {
    const real = { 'x-forwarded-for': `10.0.${index >> 8}.${index & 255}` };
    await browser.sendWith(real)({ method: 'POST', url: signInRoutes.signIn.path, body });
  }

  expect(gateway.passwords.checks).toBe(5);
});

test('an address that fails with name after name must wait longer and longer', async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('ann');
  const browser = browserFrom(1);
  for (let name = 0; name < 21; name++) {
    await fail(browser, `user-${name}`);
    gateway.clock.advance(10_000);
  }

  const hasty = await fail(browser, 'user-next', 2);

  expect(hasty).toMatchObject({ status: 429, fields: { reason: 'slow_down' } });
  await expect(browser.signIn('ann', PASSWORD)).rejects.toMatchObject({ status: 429 });
  expect(await browserFrom(2).signIn('ann', PASSWORD)).toMatchObject({ type: 'Bearer' });
});

test('an address whose wait is over tries one name and not twenty at once', async () => {
  gateway = await startIdentityGateway();
  const browser = browserFrom(1);
  for (let name = 0; name < 20; name++) await fail(browser, `user-${name}`);
  gateway.clock.advance(5 * MINUTE_MS);
  const { checks } = gateway.passwords;
  takeLong(gateway.passwords);

  await Promise.all(Array.from({ length: 20 }, (_, name) => fail(browser, `next-${name}`)));

  expect(gateway.passwords.checks - checks).toBe(1);
});

test('addresses of one IPv6 network are one', async () => {
  gateway = await startIdentityGateway();
  for (let host = 1; host <= 21; host++) {
    await fail(gateway.browser({ address: `2001:db8:1:2::${host.toString(16)}` }), `user-${host}`);
  }

  const next = await fail(gateway.browser({ address: '2001:db8:1:2:3:4:5:6' }), 'another');
  const elsewhere = await fail(gateway.browser({ address: '2001:db8:1:3::1' }), 'another');

  expect(next.status).toBe(429);
  expect(elsewhere.status).toBe(403);
});

test('an administrator sees a lock and lifts it, and both are audited', async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('ann');
  await gateway.addUser('root', { roles: ['editor'] });
  const root = await gateway.signedIn('root');
  await fail(browserFrom(1), 'ann', 5);

  const locks = await call(root.send, lockOutRoutes.list, {});
  await call(root.send, lockOutRoutes.lift, { params: { name: 'ann' } });

  expect(locks).toEqual([
    {
      name: 'ann',
      since: new Date(gateway.clock.now).toISOString(),
      until: new Date(gateway.clock.now + 20 * MINUTE_MS).toISOString(),
      failures: 5,
      address: '192.0.2.1',
    },
  ]);
  expect(await browserFrom(2).signIn('ann', PASSWORD)).toMatchObject({ type: 'Bearer' });
  const codes = (await gateway.events()).map(({ code }) => code);
  expect(codes.filter((code) => code.startsWith('GH'))).toEqual(['GH102W', 'GH103I']);
  await expect(call(root.send, lockOutRoutes.lift, { params: { name: 'ann' } })).rejects.toMatchObject({ status: 404 });
});

test('a user without rights over users neither sees locks nor lifts them', async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('ann');
  const ann = await gateway.signedIn('ann');

  await expect(call(ann.send, lockOutRoutes.list, {})).rejects.toMatchObject({ code: 'denied' });
  await expect(call(ann.send, lockOutRoutes.lift, { params: { name: 'x' } })).rejects.toMatchObject({ code: 'denied' });
});
