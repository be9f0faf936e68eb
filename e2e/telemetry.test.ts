/** Usage counts: off and not even fetched unless somebody switches them on, and then told to this gateway alone. */
import { launchChromium, WIDTHS, watchedPage } from '@gatehouse/testkit/chromium';
import { freePort } from '@gatehouse/testkit/free-port';
import { type GatewayProcess, startGateway } from '@gatehouse/testkit/gateway-process';
import { signedInContext } from '@gatehouse/testkit/signed-in-context';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isInside } from './identity.ts';

let gateway: GatewayProcess;
let browser: Browser;
let diagPort = 0;

beforeAll(async () => {
  diagPort = await freePort();
  [gateway, browser] = await Promise.all([
    startGateway({ GATEHOUSE_SECOND_FACTOR: 'off', GATEHOUSE_DIAG_LISTEN: `127.0.0.1:${diagPort}` }),
    launchChromium(),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
});

async function counted(): Promise<number> {
  const text = await fetch(`http://127.0.0.1:${diagPort}/metrics`).then((answer) => answer.text());
  return Number(/^gatehouse_console_events_total\{event="tp\.ui\.createNewRole\.click"\} (\d+)/m.exec(text)?.[1] ?? 0);
}

/** Of enrolling. */
async function steps(): Promise<string[]> {
  const text = await fetch(`http://127.0.0.1:${diagPort}/metrics`).then((answer) => answer.text());
  const lines = text.matchAll(/^gatehouse_discover_steps_total\{step="(\w+)",status="(\w+)"\} (\d+)/gm);
  return [...lines].map(([, step, status, count]) => `${step} ${status} ${count}`);
}

test('the code that counts is fetched once the switch is on, and clicks are told to the gateway', async () => {
  const context = await browser.newContext({ viewport: WIDTHS.desktop, reducedMotion: 'reduce' });
  const before = await counted();
  await signedInContext(context, gateway, 'counter', 'editor,access');
  const { page, complaints } = await watchedPage(context, gateway.origin);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  const chunks = () => asked.filter((path) => /\/telemetry-[^/]*\.js$/.test(path));
  const told = () => asked.filter((path) => path.endsWith('capture'));

  await page.goto(`${gateway.url}/roles`);
  await page.getByRole('button', { name: 'New role' }).click();
  await page.goto(`${gateway.url}/settings`);
  await isInside(page, 'counter');
  expect([...chunks(), ...told()]).toEqual([]);

  await page.getByRole('switch', { name: 'Let this gateway count what you use' }).click();
  await expect.poll(() => chunks().length).toBe(1);
  await page.goto(`${gateway.url}/roles`);
  await page.getByRole('button', { name: 'New role' }).click();
  await expect.poll(() => told()).toEqual(['/v1/webapi/capture']);
  await expect.poll(counted).toBe(before + 1);

  // How far somebody who enrols comes is counted as well, by step.
  await page.goto(`${gateway.url}/discover?flow=server&step=describe`);
  await page.getByRole('button', { name: 'Make the command' }).waitFor();
  await expect.poll(steps).toEqual(['started success 1', 'resourceSelection success 1']);

  await page.goto(`${gateway.url}/settings`);
  await page.getByRole('switch', { name: 'Let this gateway count what you use' }).click();
  asked.length = 0;
  await page.goto(`${gateway.url}/roles`);
  await page.getByRole('button', { name: 'New role' }).click();
  await page.getByRole('heading', { name: 'New role' }).waitFor();
  expect([...chunks(), ...told()]).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});
