/** Whom the provider has let go comes in by no password, and no link of this gateway gives them new credentials. */
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { recoveryRoutes } from '@gatehouse/contract/identity/recovery';
import { signInRoutes } from '@gatehouse/contract/identity/sign-in';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { linkOwn } from '../../../../testing/connectors/link-own.ts';
import { ANN, type SsoGateway, startSsoGateway } from '../../../../testing/connectors/sso-gateway.ts';
import { codeOf } from '../../../../testing/identity-gateway.ts';
import { listDevices } from '../../stores/device-store.ts';
import { replaceRecoveryCodes } from '../../stores/recovery-store.ts';
import { findUser } from '../../stores/user-store.ts';

const NAME = 'ann@acme.example';
const OLD = 'a password of hers';
const NEW = 'another of hers';
const MINUTE = 60_000;
const DAY = 86_400_000;
const NONE_NOW = "your roles came from 'okta', which gives you none now";
/** Or, where a round has run meanwhile, what that has left. */
const TOO_LONG = new RegExp(`'okta' has not confirmed you for too long|${NONE_NOW}`);
const encoded = (password: string) => Buffer.from(password).toString('base64');

let gateway: SsoGateway;
let codes: readonly string[];
beforeEach(async () => {
  gateway = await startSsoGateway({ secondFactor: 'optional', accounts: { ann: ANN } });
  await gateway.save();
  await gateway.signIn(gateway.browser(), 'ann');
  const hers = elsewhere();
  await redeem(await linkFor('password'), OLD, hers);
  // Who got new credentials says that they are still who came through the provider.
  await hers.open();
  await linkOwn(gateway, hers, { keep: ['password'] });
  codes = await gateway.storage.db.transaction().execute((tx) => replaceRecoveryCodes(tx, NAME, gateway.clock.now));
});
afterEach(() => gateway.close());

async function linkFor(type: 'password' | 'invite'): Promise<string> {
  const admin = await gateway.signedIn('admin');
  return (await call(admin.send, passwordRoutes.createToken, { body: { name: NAME, type } })).tokenId;
}
/** Each from elsewhere: who tries often from one address waits. */
let places = 0;
const elsewhere = () => gateway.browser({ address: `192.0.2.${++places}` });
async function redeem(token: string, password: string, browser = elsewhere()) {
  await browser.open();
  return call(browser.send, passwordRoutes.useToken, { body: { token, password: encoded(password) } });
}
async function byPassword(pass: string) {
  const browser = elsewhere();
  await browser.open();
  return call(browser.send, signInRoutes.signIn, { body: { user: NAME, pass } });
}
async function comeBack() {
  // The provider lives by the machine's clock.
  gateway.clock.now = Date.now();
  expect(await gateway.signIn(gateway.browser(), 'ann')).toBe('/web');
}
async function withdraw() {
  await gateway.world.withdraw('ann');
  gateway.clock.advance(16 * MINUTE);
  await gateway.rechecks.runNow();
  await gateway.settled();
}

test('a password that was right gives nothing, in words that name the connector', async () => {
  expect(await byPassword(OLD)).toBeDefined();
  await withdraw();

  await expect(byPassword(OLD)).rejects.toMatchObject({ code: 'denied', message: expect.stringContaining(NONE_NOW) });
});

test('whose link is in doubt besides is told who gets them out of that, and not to come through it', async () => {
  await withdraw();
  await gateway.storage.db.updateTable('user_identity').set({ linked_by: 'doubted' }).execute();

  await expect(byPassword(OLD)).rejects.toMatchObject({
    message: `${NONE_NOW}: your link to it is in doubt since you got new credentials, so ask an administrator to link you to 'okta' again`,
  });
});

test.each(['password', 'invite'] as const)(
  'a link (%s) sets nothing, and can be used once they are back',
  async (type) => {
    await withdraw();
    const token = await linkFor(type);
    const before = await findUser(gateway.storage.db, NAME);

    await expect(redeem(token, NEW)).rejects.toMatchObject({
      code: 'denied',
      message: expect.stringContaining(NONE_NOW),
    });
    expect((await findUser(gateway.storage.db, NAME))?.passwordHash).toBe(before?.passwordHash);
    await comeBack();
    await redeem(token, NEW);
    expect(await byPassword(NEW)).toBeDefined();
  },
);

test('nor does a link for recovery, by a code of their own', async () => {
  await withdraw();
  const browser = gateway.browser();
  await browser.open();
  const body = { user: NAME, code: codes[0] ?? '', pass: OLD };
  const { tokenId } = await call(browser.send, recoveryRoutes.begin, { body });
  const { totpSecret = '' } = await call(browser.send, passwordRoutes.readToken, { params: { tokenId } });
  const device = { deviceName: 'phone', second_factor_token: codeOf(totpSecret, gateway.clock.now) };

  const used = call(browser.send, passwordRoutes.useToken, {
    body: { token: tokenId, password: encoded(NEW), ...device },
  });
  await expect(used).rejects.toMatchObject({ code: 'denied', message: expect.stringContaining(NONE_NOW) });
  expect(await listDevices(gateway.storage.db, NAME)).toEqual([]);
  await comeBack();
  expect(await byPassword(OLD)).toBeDefined();
});

test('who was not confirmed for longer than `keep` gets in neither by a password nor by a link', async () => {
  gateway.clock.advance(8 * DAY);
  const tokenId = await linkFor('password');
  const refused = { code: 'denied', message: expect.stringMatching(TOO_LONG) };

  await expect(byPassword(OLD)).rejects.toMatchObject(refused);
  await expect(redeem(tokenId, NEW)).rejects.toMatchObject(refused);
});
