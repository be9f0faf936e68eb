/** What is ended or taken away while a call is on its way lets nothing be made by that call that outlives it. */
import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { cliLoginRoutes } from '@gatehouse/contract/identity/cli-login';
import { mfaRoutes } from '@gatehouse/contract/identity/mfa';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { signInsRoutes } from '@gatehouse/contract/identity/sign-ins';
import { userRoutes } from '@gatehouse/contract/identity/users/users';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  codeOf,
  enrolApp,
  enrolKey,
  type IdentityGateway,
  PASSWORD,
  PROMPT,
  startIdentityGateway,
} from '../../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';
import { deleteDevice, listDevices } from '../stores/device-store.ts';
import { listSignIns } from '../stores/sign-in-store.ts';
import { setPasswordHash } from '../stores/user-store.ts';

let gateway: IdentityGateway;
let ann: TestBrowser;
beforeEach(async () => {
  gateway = await startIdentityGateway({ secondFactor: 'optional' });
  await gateway.addUser('ann', { roles: ['editor'] });
  ann = await gateway.signedIn('ann');
});
afterEach(() => gateway.close());

const base64 = (text: string) => Buffer.from(text).toString('base64');
const countSignIns = async () => (await listSignIns(gateway.storage.db, 'ann', gateway.clock.now)).length;

/** As another gateway ends it: the news is still on its way here. */
async function endUnheard() {
  // Known here by now, so that nobody looks it up.
  await call(ann.send, signInsRoutes.list, {});
  await gateway.storage.db
    .updateTable('sign_in')
    .set({ ended: gateway.clock.now, ended_reason: 'signed_out' })
    .execute();
}

/** Runs what comes between the check of a password and what follows from it. */
function onceChecked(change: () => Promise<unknown>) {
  const { passwords } = gateway;
  const verify = passwords.verify.bind(passwords);
  vi.spyOn(passwords, 'verify').mockImplementationOnce(async (plain, stored) => {
    const checked = await verify(plain, stored);
    await change();
    return checked;
  });
}
const setPassword = async (plain: string | null) => {
  const hash = plain === null ? null : await gateway.passwords.hash(plain);
  await gateway.storage.db.transaction().execute((tx) => setPasswordHash(tx, 'ann', hash));
};

const over = { code: 'not_signed_in' };

test('a sign-in that another gateway has ended makes no token for scripts', async () => {
  await endUnheard();
  const body = { name: 'script', scope: 'all', ttlSeconds: 3600 } as const;

  await expect(call(ann.send, apiTokenRoutes.create, { body })).rejects.toMatchObject(over);
  expect(await countSignIns()).toBe(0);
});

test('nor does it let a command line in', async () => {
  const body = { client: 'laptop' };
  const { requestId } = await call(gateway.browser().send, cliLoginRoutes.begin, { body });
  await endUnheard();
  const accept = call(ann.send, cliLoginRoutes.answer, { params: { requestId }, body: { action: 'accept' } });

  await expect(accept).rejects.toMatchObject(over);
  expect(await countSignIns()).toBe(0);
});

test('nor does it prove anything, so that no device is added by it', async () => {
  await endUnheard();

  await expect(call(ann.send, passwordRoutes.createPrivilegeToken, { body: {} })).rejects.toMatchObject(over);
});

test('nor does it make links for others', async () => {
  await gateway.addUser('bob');
  await endUnheard();
  const reset = { body: { name: 'bob', type: 'password' } } as const;
  const invite = { body: { name: 'eve', roles: ['access'], traits: {}, ttlSeconds: 3600 } };

  await expect(call(ann.send, passwordRoutes.createToken, reset)).rejects.toMatchObject(over);
  await expect(call(ann.send, userRoutes.invite, invite)).rejects.toMatchObject(over);
});

test('nor does it change the password', async () => {
  await endUnheard();
  const body = { old_password: base64(PASSWORD), new_password: base64('another one of ann') };

  await expect(call(ann.send, passwordRoutes.change, { body })).rejects.toMatchObject(over);
  expect((await gateway.browser().signIn('ann', PASSWORD)).token).toBeDefined();
});

test.each([
  ['taken away', null],
  ['replaced', 'another one of ann'],
])('a password that is %s after it was checked signs nobody in', async (_, plain) => {
  const before = await countSignIns();
  onceChecked(() => setPassword(plain));

  await expect(gateway.browser().signIn('ann', PASSWORD)).rejects.toMatchObject({ code: 'denied' });
  expect(await countSignIns()).toBe(before);
});

test('nor does it ask for a key, whose answer would count later', async () => {
  const tokenId = await call(ann.send, passwordRoutes.createPrivilegeToken, { body: {} });
  await enrolKey(ann, tokenId);
  const browser = gateway.browser();
  await browser.open();
  onceChecked(() => setPassword('another one of ann'));
  const body = { passwordless: false, user: 'ann', pass: PASSWORD };

  await expect(call(browser.send, mfaRoutes.beginLogin, { body })).rejects.toMatchObject({ code: 'denied' });
});

test('a password that was changed elsewhere after it was checked is not changed again', async () => {
  onceChecked(() => setPassword('another one of ann'));
  const body = { old_password: base64(PASSWORD), new_password: base64('a third one of ann') };

  await expect(call(ann.send, passwordRoutes.change, { body })).rejects.toMatchObject({ code: 'conflict' });
  expect((await gateway.browser().signIn('ann', 'another one of ann')).token).toBeDefined();
});

test('one that was hashed anew by the check is changed all the same', async () => {
  const { passwords } = gateway;
  const verify = passwords.verify.bind(passwords);
  vi.spyOn(passwords, 'verify').mockImplementationOnce(async (...given) => ({
    ...(await verify(...given)),
    rehash: true,
  }));
  const { hash } = passwords;
  vi.spyOn(passwords, 'hash')
    .mockImplementationOnce(hash)
    .mockImplementationOnce(async () => 'cheap:anew');
  const body = { old_password: base64(PASSWORD), new_password: base64('another one of ann') };
  await call(ann.send, passwordRoutes.change, { body });

  expect((await gateway.browser().signIn('ann', 'another one of ann')).token).toBeDefined();
});

test('a passkey that is removed after it was checked signs nobody in', async () => {
  const { db } = gateway.storage;
  const tokenId = await call(ann.send, passwordRoutes.createPrivilegeToken, { body: {} });
  const key = await enrolKey(ann, tokenId, { deviceUsage: 'passwordless' });
  const before = await countSignIns();
  const browser = gateway.browser();
  await browser.open();
  const { webauthn_challenge } = await call(browser.send, mfaRoutes.beginLogin, { body: { passwordless: true } });
  const [device] = await listDevices(db, 'ann');
  const { transaction } = db;
  // The next transaction is that of the sign-in: the key was looked up and checked before it.
  vi.spyOn(db, 'transaction').mockImplementationOnce(() => {
    const begun = transaction.call(db);
    const { execute } = begun;
    begun.execute = async (work) => {
      await transaction.call(db).execute((tx) => deleteDevice(tx, device!.id));
      return execute.call(begun, work) as ReturnType<typeof work>;
    };
    return begun;
  });
  const body = { webauthnAssertionResponse: key.assert(webauthn_challenge!, PROMPT) };

  await expect(call(browser.send, mfaRoutes.finishLogin, { body })).rejects.toMatchObject({ code: 'denied' });
  expect(await countSignIns()).toBe(before);
});

test('who signs in with password and code in peace comes in', async () => {
  const secret = await enrolApp(gateway, ann);

  expect((await gateway.browser().signIn('ann', PASSWORD, codeOf(secret, gateway.clock.now))).token).toBeDefined();
});
