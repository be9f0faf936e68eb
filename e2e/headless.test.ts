/** A command on a machine without a browser, approved in one by a hardware key: the page, the notice, and what ssh then gets. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { launchChromium } from '@gatehouse/testkit/chromium';
import { freePort } from '@gatehouse/testkit/free-port';
import { cleanEnvironment, type GatewayProcess, ROOT, startGateway } from '@gatehouse/testkit/gateway-process';
import { inviteUser } from '@gatehouse/testkit/signed-in-context';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { choosePassword, isInside, plugInAuthenticator, takeRecoveryCodes } from './identity.ts';

let gateway: GatewayProcess;
let browser: Browser;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  browser = await launchChromium({ shortPages: true });
  gateway = await startGateway({
    ...{ GATEHOUSE_SECOND_FACTOR: 'on', GATEHOUSE_SSH_LISTEN: `127.0.0.1:${await freePort()}` },
  });
  context = await browser.newContext({ reducedMotion: 'reduce' });
  page = await context.newPage();
  await plugInAuthenticator(page);
  await page.goto((await inviteUser(gateway, 'ann')).link);
  await page.getByRole('button', { name: 'Get started' }).click();
  await choosePassword(page);
  await page.getByRole('radio', { name: /^Hardware key/ }).check();
  await page.getByRole('textbox', { name: 'Name of the device' }).fill('blue key');
  await page.getByRole('button', { name: 'Register and finish' }).click();
  await takeRecoveryCodes(page);
  await isInside(page, 'ann');
});
afterAll(async () => {
  await context?.close();
  await browser?.close();
  await gateway?.stop();
});

interface Command {
  /** What it tells people to open, and to compare. */
  asked: Promise<{ url: string; code: string }>;
  over: Promise<{ code: number; stderr: string }>;
}

function headless(...args: string[]): Command {
  const asked = Promise.withResolvers<{ url: string; code: string }>();
  const command = ['--headless', 'ssh', '--gateway', gateway.origin, '--user', 'ann', ...args];
  const child: ChildProcess = spawn(join(ROOT, 'gatehouse'), command, { env: cleanEnvironment(), stdio: 'pipe' });
  let stderr = '';
  child.stderr?.on('data', (bytes) => {
    stderr += bytes;
    const [, url, code] = /Open (\S+)\n.* the code (\S+)\n/.exec(stderr) ?? [];
    if (url && code) asked.resolve({ url, code });
  });
  const over = new Promise<{ code: number; stderr: string }>((resolve) =>
    child.once('close', (code) => resolve({ code: code ?? -1, stderr })),
  );
  return { asked: asked.promise, over };
}

test('the code is the same on both sides, and one touch lets the command through to the door', async () => {
  const command = headless('deploy@nowhere-1', 'uptime');
  const { url, code } = await command.asked;
  await page.goto(url);

  const shown = page.getByRole('img', { name: `Code ${[...code].join(' ')}` });
  await shown.waitFor();
  await page.getByText('nowhere-1 as deploy', { exact: true }).waitFor();
  await page.getByText('uptime', { exact: true }).waitFor();
  await page.getByRole('button', { name: /Accept with your security key/ }).click();
  await page.getByRole('heading', { name: 'Accepted' }).waitFor();

  // The certificate was good at the door, which knows of no such server.
  const { code: status, stderr } = await command.over;
  expect(stderr).toContain("no server 'nowhere-1'");
  expect(status).toBe(255);
});

test('a console that is open says that a command waits, and leads to where it is refused', async () => {
  await page.goto(`${gateway.url}/account`);
  await isInside(page, 'ann');
  const command = headless('root@nowhere-2');
  await command.asked;

  await page.getByText('A command wants to sign in as you: root on nowhere-2').waitFor();
  await page.getByRole('link', { name: 'Look at it' }).click();
  await page.getByText('nowhere-2 as root', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('heading', { name: 'Refused' }).waitFor();

  const { code, stderr } = await command.over;
  expect([code, stderr]).toEqual([5, expect.stringContaining('the request was denied')]);
  await page.getByText(/A command wants to sign in as you: root/).waitFor({ state: 'detached' });
});
