/** What the tests of signing in share: people, their authenticators and apps, and the steps they take in the browser. */
import { createHmac } from 'node:crypto';
import type { GatewayProcess } from '@gatehouse/testkit/gateway-process';
import { PASSWORD } from '@gatehouse/testkit/signed-in-context';
import type { CDPSession, Page } from 'playwright-core';

export async function resetLink(gateway: GatewayProcess, name: string): Promise<string> {
  const { code, stdout, stderr } = await gateway.command('users', 'reset', name, '--format', 'json');
  if (code !== 0) throw new Error(`users reset failed: ${stderr}`);
  return (JSON.parse(stdout) as { resetUrl: string }).resetUrl;
}

export interface Authenticator {
  id: string;
  cdp: CDPSession;
  /** False behaves like a person who fails or closes the prompt. */
  verify(isVerified: boolean): Promise<void>;
  /** How many keys it holds. */
  count(): Promise<number>;
  /** Forgets all its keys, as another authenticator would never have had them. */
  clear(): Promise<void>;
}

/** A key or phone that answers by itself, in one tab. */
export async function plugInAuthenticator(page: Page): Promise<Authenticator> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable', { enableUI: false });
  const { authenticatorId: id } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  const authenticatorId = id;
  return {
    id,
    cdp,
    verify: async (isUserVerified) =>
      void (await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })),
    count: async () => (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length,
    clear: async () => void (await cdp.send('WebAuthn.clearCredentials', { authenticatorId })),
  };
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const STEP_MS = 30_000;

export const stepAt = (time: number) => Math.floor(time / STEP_MS);
/** The first that is good now and was not used: a step lasts no longer than pages may take on a busy machine. */
export const stepAfter = (used: number) => Math.max(used + 1, stepAt(Date.now()));

/** The code an authenticator app shows in a step (RFC 6238). */
export function codeOf(secret: string, step: number): string {
  const bits = [...secret].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', key).update(counter).digest();
  const offset = mac.readUInt8(mac.length - 1) & 15;
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

/** The two fields of a new password, then on. */
export async function choosePassword(page: Page, password = PASSWORD): Promise<void> {
  await page.getByLabel('New password', { exact: true }).fill(password);
  await page.getByLabel('New password again', { exact: true }).fill(password);
  await page.getByRole('button', { name: /^(Next|Finish)$/ }).click();
}

/** Sets up an authenticator app from the secret beside the picture; gives back the secret and the step that was used. */
export async function setUpApp(page: Page): Promise<{ secret: string; step: number }> {
  const radio = page.getByRole('radio', { name: /^Authenticator app/ });
  const secretShown = page.getByRole('group', { name: 'Or type this secret into the app' }).locator('code');
  await radio.or(secretShown).first().waitFor();
  if ((await radio.count()) > 0) await radio.check();
  const shown = await secretShown.textContent();
  const secret = (shown ?? '').replaceAll(' ', '');
  const step = stepAt(Date.now());
  await page.getByRole('textbox', { name: 'Code', exact: true }).fill(codeOf(secret, step));
  await page
    .getByRole('button', { name: /^(Finish|Add device)$/ })
    .last()
    .click();
  return { secret, step };
}

export async function takeRecoveryCodes(page: Page): Promise<string[]> {
  await page.getByText('I have saved these codes').waitFor();
  await page.getByText('I have saved these codes').click();
  const codes = await page.getByRole('listitem').locator('code').allTextContents();
  await page.getByRole('button', { name: 'Go to Gatehouse' }).click();
  return codes;
}

/** Name and password; what comes then is the caller's. */
export async function enterPassword(page: Page, name: string, password = PASSWORD): Promise<void> {
  await page.getByLabel('User name').fill(name);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** The user menu is there only for someone who is signed in. */
export async function isInside(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: new RegExp(`account.*${name}|${name}.*account`, 'i') }).waitFor();
}

export async function signOut(page: Page, name: string): Promise<void> {
  // Home leads on, and a screen that comes takes the focus: a menu that is open by then closes.
  await page.waitForURL((url) => !/^\/web\/?$/.test(url.pathname));
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.getByRole('button', { name: new RegExp(`account.*${name}|${name}.*account`, 'i') }).click();
  await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
  await page.getByRole('heading', { name: 'Sign in to Gatehouse' }).waitFor();
}
