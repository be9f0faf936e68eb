import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { launchChromium } from '@gatehouse/testkit/chromium';
import { type GatewayProcess, startGateway } from '@gatehouse/testkit/gateway-process';
import { signedInContext } from '@gatehouse/testkit/signed-in-context';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isInside } from './identity.ts';

let gateway: GatewayProcess;
let browser: Browser;
let context: BrowserContext;
let attacker: Server;

beforeAll(async () => {
  gateway = await startGateway({ GATEHOUSE_SECOND_FACTOR: 'off' });
  browser = await launchChromium({ shortPages: true });
  context = await browser.newContext({ reducedMotion: 'reduce' });
  await signedInContext(context, gateway, 'victim', 'access,editor');
  attacker = createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><title>Kittens</title><h1>Kittens</h1>');
  });
  await new Promise<void>((resolve) => attacker.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  attacker?.close();
  await browser?.close();
  await gateway?.stop();
});

const port = () => (attacker.address() as AddressInfo).port;

/** `localhost` on another port is the strongest of them: cookies know no ports, so the browser sends them along. */
describe.each(['localhost', '127.0.0.1'])('a page at %s on another port', (host) => {
  async function openAttack(): Promise<Page> {
    const page = await context.newPage();
    await page.goto(`http://${host}:${port()}/`);
    return page;
  }

  test.each([
    ['DELETE', '/v1/webapi/sessions/web', 'application/json'],
    ['POST', '/v1/webapi/sessions/web/renew', 'text/plain'],
    ['POST', '/v1/webapi/apitokens', 'text/plain'],
    ['PUT', '/v1/webapi/users/password', 'application/json'],
  ])('cannot send %s %s on the victim’s sign-in', async (method, path, type) => {
    const page = await openAttack();
    const statuses: number[] = [];
    page.on('response', (response) => {
      if (response.url().startsWith(gateway.origin) && response.request().method() === method) {
        statuses.push(response.status());
      }
    });

    const seen = await page.evaluate(
      async ({ url, method, type }) => {
        const mode = type === 'text/plain' ? 'no-cors' : 'cors';
        const init = { method, mode, credentials: 'include', headers: { 'content-type': type }, body: '{"name":"x"}' };
        return fetch(url, init as RequestInit).then(
          (response) => response.status,
          () => 'refused',
        );
      },
      { url: gateway.origin + path, method, type },
    );

    // 0 is what a page sees of an answer it may not read.
    expect(['refused', 0]).toContain(seen);
    expect(statuses.every((status) => status === 400 || status === 403)).toBe(true);
    await page.close();
  });

  test('cannot post a form', async () => {
    const page = await openAttack();
    const [response] = await Promise.all([
      page.waitForResponse((each) => each.url().endsWith('/v1/webapi/apitokens')),
      page.evaluate((action) => {
        const form = Object.assign(document.createElement('form'), { method: 'post', action, enctype: 'text/plain' });
        form.append(Object.assign(document.createElement('input'), { name: '{"name":"x","a":"', value: '"}' }));
        document.body.append(form);
        form.submit();
      }, `${gateway.origin}/v1/webapi/apitokens`),
    ]);

    expect([400, 403]).toContain(response.status());
    await page.close();
  });

  test('cannot show the console in a frame', async () => {
    const page = await openAttack();
    await page.evaluate((src) => {
      document.body.append(Object.assign(document.createElement('iframe'), { src }));
    }, `${gateway.url}/settings`);
    await expect.poll(() => page.frames().map((frame) => frame.url())).toContain('chrome-error://chromewebdata/');
    await page.close();
  });

  test('cannot open the changes socket', async () => {
    const page = await openAttack();
    const outcome = await page.evaluate(
      (url) =>
        new Promise<string>((resolve) => {
          const socket = new WebSocket(url);
          socket.addEventListener('open', () => resolve('open'));
          socket.addEventListener('error', () => resolve('refused'));
        }),
      `${gateway.origin.replace('http', 'ws')}/v1/webapi/changes`,
    );

    expect(outcome).toBe('refused');
    await page.close();
  });
});

test('after all of it the victim is signed in as before and owns no token', async () => {
  const page = await context.newPage();
  await page.goto(`${gateway.url}/account`);
  await isInside(page, 'victim');

  await page.getByRole('heading', { name: 'None yet' }).waitFor();
  expect(await page.getByText('This browser', { exact: true }).count()).toBe(1);
});
