/** The page of Redis in a real browser, on a real gateway with a real Redis behind it; and what was asked there, played by an auditor. */
import { PASSWORD, type SecureRedis, startSecureRedis } from '@gatehouse/gateway/testing/db/secure-redis';
import { launchChromium, watchedPage } from '@gatehouse/testkit/chromium';
import { type GatewayProcess, startGateway } from '@gatehouse/testkit/gateway-process';
import { signedInContext } from '@gatehouse/testkit/signed-in-context';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { applyDocuments } from './access.ts';
import { addDatabase } from './add-database.ts';
import { EACH_WIDTH, lookAt } from './look.ts';

const ROLE = `kind: role
version: v6
metadata: { name: cache-writer }
spec:
  allow:
    db_labels: { env: prod }
    db_users: [app]
    db_names: ['*']
    rules: [{ resources: [db_server], verbs: [list, read] }, { resources: [session], verbs: [list, read] }]
`;

let gateway: GatewayProcess;
let browser: Browser;
let redis: SecureRedis;

beforeAll(async () => {
  [gateway, browser, redis] = await Promise.all([
    startGateway({ GATEHOUSE_SECOND_FACTOR: 'off' }),
    launchChromium({ shortPages: true }),
    startSecureRedis(),
  ]);
  await applyDocuments(gateway, ROLE);
  const { ca, port } = redis;
  await addDatabase(gateway, { name: 'cache', uri: `redis://localhost:${port}`, password: PASSWORD, ca });
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([gateway?.stop(), redis?.stop()]);
});

test.each(EACH_WIDTH)(
  'keys, what is in them, commands and the recording of it all, at the width of a $width',
  async ({ viewport }) => {
    const context = await browser.newContext({ viewport, reducedMotion: 'reduce' });
    onTestFinished(() => context.close());
    await signedInContext(context, gateway, 'person', 'cache-writer');
    const { page, complaints } = await watchedPage(context, gateway.origin);
    const { look, found } = lookAt(page);
    await page.goto(`${gateway.url}/cluster/localhost/databases`);
    await page.getByRole('button', { name: 'Connect to cache' }).click();
    await page.getByRole('link', { name: / as app$/ }).click();
    const command = page.getByRole('textbox', { name: 'Command' });
    const run = async (line: string, answer: string) => {
      await command.fill(line);
      await command.press('Enter');
      // Its own answer: the one before may have been the same.
      const own = page
        .getByRole('log')
        .locator(':scope > div')
        .filter({ hasText: `> ${line}` });
      await own.getByText(answer, { exact: true }).waitFor();
    };
    await run('FLUSHALL', 'OK');
    await run('HSET cart:1 apples 3 pears "four and more"', '(integer) 2');
    await run('SET greeting hello EX 5000', 'OK');
    await run('GET', "(error) ERR wrong number of arguments for 'get' command");
    await look('commands');
    await page.getByRole('searchbox', { name: 'Pattern of keys' }).fill('c*');
    await page.getByRole('treeitem', { name: /cart:1/ }).click();
    await page.getByText('four and more').first().waitFor();
    await look('a key');
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await look('before it is deleted');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /delete/i })
      .click();
    await expect.poll(() => page.getByRole('treeitem', { name: /cart:1/ }).count()).toBe(0);

    await page.goto(`${gateway.url}/cluster/localhost/recordings`);
    await page
      .getByRole('link', { name: /app@cache/ })
      .first()
      .click();
    await page.getByText(/HSET/).first().waitFor();
    await look('the recording');
    await context.close();
    expect(found).toEqual([]);
    expect(complaints).toEqual([]);
  },
);
