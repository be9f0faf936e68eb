import { launchChromium, WIDTHS, watchedPage } from '@gatehouse/testkit/chromium';
import { type GatewayProcess, startGateway } from '@gatehouse/testkit/gateway-process';
import { freshName, signedInContext } from '@gatehouse/testkit/signed-in-context';
import { startSshd } from '@gatehouse/testkit/sshd';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EACH_WIDTH, lookAt } from './look.ts';

let gateway: GatewayProcess;
let browser: Browser;

beforeAll(async () => {
  gateway = await startGateway({ GATEHOUSE_SECOND_FACTOR: 'off' });
  browser = await launchChromium();
});
afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
});

/** A server that was there when it was added. */
async function addDeadServer(name: string): Promise<string> {
  const sshd = await startSshd();
  await gateway.command('nodes', 'add', name, sshd.addr);
  await sshd.stop();
  const { stdout } = await gateway.command('nodes', 'ls', '--format', 'json');
  return (JSON.parse(stdout) as { id: string; hostname: string }[]).find(({ hostname }) => hostname === name)?.id ?? '';
}

test.each(EACH_WIDTH)('a server that does not answer is told in the middle, with its steps, $width', async (given) => {
  const host = freshName(gateway, 'dead');
  const id = await addDeadServer(host);
  const context = await browser.newContext({ viewport: given.viewport, reducedMotion: 'reduce' });
  await signedInContext(context, gateway, 'typist', 'editor,access', { logins: ['root'] });
  const { page, complaints } = await watchedPage(context, gateway.origin);
  const { look, found } = lookAt(page);

  await page.goto(`${gateway.url}/cluster/localhost/console/node/${id}/root`);
  const card = page.getByRole('status').filter({ hasText: `root@${host} was not opened` });
  await card.getByText('Next:').waitFor();
  await card.getByRole('button', { name: 'Copy Request id' }).waitFor();
  await expect.poll(() => page.getByRole('navigation', { name: 'Terminals' }).textContent()).toContain(`root@${host}`);
  await look('refused');
  await card.getByRole('button', { name: 'Test connection' }).click();
  await card.getByRole('button', { name: 'Test again' }).waitFor();
  expect(await card.getByRole('listitem').allTextContents()).toEqual([
    expect.stringMatching(/^Access/),
    expect.stringMatching(/^Way to the server/),
    expect.stringMatching(/^Network.*Next:/),
    expect.stringContaining('Not tried'),
    expect.stringContaining('Not tried'),
  ]);
  await look('tested');

  expect(found).toEqual([]);
  await context.close();
  expect(complaints).toEqual([]);
});

test('on a phone the tab that is shown is in sight, and not the ones before it', async () => {
  const host = freshName(gateway, 'a-server-with-a-long-name');
  const id = await addDeadServer(host);
  const context = await browser.newContext({ viewport: WIDTHS.phone });
  await signedInContext(context, gateway, 'walker', 'editor,access', { logins: ['root', 'ubuntu'] });
  const page = await context.newPage();
  const tab = (login: string) => page.locator('[aria-current]').filter({ hasText: `${login}@${host}` });
  for (const login of ['root', 'ubuntu']) {
    await page.goto(`${gateway.url}/cluster/localhost/console/node/${id}/${login}`);
    await tab(login).waitFor();
  }

  const place = page.getByRole('navigation', { name: 'Terminals' });
  await expect
    .poll(async () => {
      const [strip, shown] = [await place.boundingBox(), await tab('ubuntu').boundingBox()];
      return strip && shown && shown.x >= strip.x && shown.x + shown.width <= strip.x + strip.width;
    })
    .toBe(true);
  await context.close();
});
