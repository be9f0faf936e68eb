import { launchChromium } from '@gatehouse/testkit/chromium';
import { type GatewayProcess, startGateway } from '@gatehouse/testkit/gateway-process';
import { inviteUser } from '@gatehouse/testkit/signed-in-context';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  choosePassword,
  codeOf,
  enterPassword,
  isInside,
  setUpApp,
  signOut,
  stepAfter,
  stepAt,
  takeRecoveryCodes,
} from './identity.ts';

let gateway: GatewayProcess;
let browser: Browser;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  gateway = await startGateway({ GATEHOUSE_SECOND_FACTOR: 'otp' });
  browser = await launchChromium({ shortPages: true });
  context = await browser.newContext({ reducedMotion: 'reduce' });
  page = await context.newPage();
});
afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
});

async function register(wanted: string): Promise<{ name: string; secret: string; step: number }> {
  const { name, link } = await inviteUser(gateway, wanted);
  await page.goto(link);
  await page.getByRole('button', { name: 'Get started' }).click();
  await choosePassword(page);
  const app = await setUpApp(page);
  await takeRecoveryCodes(page);
  await isInside(page, name);
  await signOut(page, name);
  return { name, ...app };
}

const enterCode = async (code: string) => {
  await page.getByRole('textbox', { name: 'Code', exact: true }).fill(code);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
};
const refusal = () => page.getByText('The code is not right, or was used already. Wait for the next one.');

test('a code one step ahead signs in, the same code does not sign in again, and one three steps off never does', async () => {
  const { name, secret, step } = await register('ann');

  // The step of registering is used up; the next one is good from half a minute before its time.
  await enterPassword(page, name);
  const next = stepAfter(step);
  await enterCode(codeOf(secret, next));
  await isInside(page, name);
  await signOut(page, name);
  await enterPassword(page, name);
  await enterCode(codeOf(secret, next));
  await refusal().waitFor();
  await enterCode(codeOf(secret, stepAt(Date.now()) + 3));
  await refusal().waitFor();

  expect(page.url()).toContain('/web/login');
  expect(await page.getByRole('textbox', { name: 'Code', exact: true }).inputValue()).toBe('');
});

test('the picture beside the secret is a whole QR code, large enough to be scanned', async () => {
  await page.goto((await inviteUser(gateway, 'bea')).link);
  await page.getByRole('button', { name: 'Get started' }).click();
  await choosePassword(page);
  const picture = page.getByRole('img', { name: /QR code/ });
  await picture.waitFor();
  const size = await picture.evaluate(async (image: HTMLImageElement) => {
    await image.decode();
    return { width: image.naturalWidth, height: image.naturalHeight, shown: image.clientWidth };
  });

  expect(size.width).toBe(size.height);
  expect(size.width).toBeGreaterThan(200);
  expect(size.shown).toBeGreaterThanOrEqual(180);
});
