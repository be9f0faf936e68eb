import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { axeFindings, launchChromium, WIDTHS, watchedPage } from '@gatehouse/testkit/chromium';
import { type GatewayProcess, startGateway } from '@gatehouse/testkit/gateway-process';
import { startPostgres, type TestPostgres } from '@gatehouse/testkit/postgres';
import { signedInContext } from '@gatehouse/testkit/signed-in-context';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { applyDocuments, tabTo, takesKeys } from './access.ts';
import { lookAt } from './look.ts';

const PASSWORD = 'hunter2 and more';
const ROLE = `kind: role
version: v6
metadata: { name: shop-reader }
spec:
  allow:
    db_labels: { env: prod }
    db_users: [app, report]
    db_names: ['*']
    rules: [{ resources: [db_server], verbs: [list, read] }]
`;

let gateway: GatewayProcess;
let browser: Browser;
let postgres: TestPostgres;
let passwordFile: string;

beforeAll(async () => {
  [gateway, browser, postgres] = await Promise.all([
    startGateway({ GATEHOUSE_SECOND_FACTOR: 'off' }),
    launchChromium({ shortPages: true }),
    startPostgres({
      prepare: `printf 'host all gatehouse 127.0.0.1/32 trust\\nhost all app 127.0.0.1/32 scram-sha-256\\n' > pg_hba.conf`,
    }),
  ]);
  await promisify(execFile)('psql', [postgres.url, '-c', `create role app login password '${PASSWORD}'`]);
  await applyDocuments(gateway, ROLE);
  passwordFile = join(gateway.dataDir, 'app.txt');
  writeFileSync(passwordFile, PASSWORD);
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([gateway?.stop(), postgres?.stop()]);
});

async function openAs(roles: string) {
  const context = await browser.newContext({ viewport: WIDTHS.desktop, reducedMotion: 'reduce' });
  onTestFinished(() => context.close());
  await signedInContext(context, gateway, 'person', roles);
  const watched = await watchedPage(context, gateway.origin);
  const at = (search = '') => watched.page.goto(`${gateway.url}/cluster/localhost/databases${search}`);
  return { ...watched, context, at };
}

const databaseName = () => new URL(postgres.url).pathname.slice(1);

test('from nothing to a database: add it with every hop tried, see how to connect, take it away', async () => {
  const { page, complaints, context, at } = await openAs('editor,shop-reader');
  await at();
  await page.getByRole('heading', { name: 'Add your first database' }).waitFor();
  await page.getByRole('button', { name: 'Add database' }).click();
  const dialog = page.getByRole('main');
  await dialog.getByRole('button', { name: /^PostgreSQL/ }).click();
  await dialog.getByRole('button', { name: 'Go on' }).click();
  await dialog.getByRole('textbox', { name: 'Address', exact: true }).fill(`127.0.0.1:${postgres.port}`);
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('shop');
  await dialog.getByLabel('TLS', { exact: true }).selectOption('off');
  await dialog.getByRole('textbox', { name: /^Default database/ }).fill(databaseName());
  await dialog.getByLabel('Labels').fill('env=prod,');
  await dialog.getByRole('textbox', { name: /^User of the database/ }).fill('app');
  const password = dialog.locator('input[type=password]');
  await password.fill('wrong');
  await dialog.getByRole('button', { name: 'Test it' }).click();
  await dialog.getByText('Next:').first().waitFor();
  await password.fill(PASSWORD);
  await dialog.getByRole('button', { name: 'Test it' }).click();
  await expect.poll(() => dialog.getByRole('img', { name: 'Worked', exact: true }).count()).toBe(6);
  await dialog.getByRole('button', { name: 'Add database' }).click();
  await dialog.getByRole('heading', { name: 'Users on shop' }).waitFor();
  await at('?open=shop');

  const panel = page.getByRole('complementary', { name: 'Database shop' });
  await panel.getByText('The gateway itself').waitFor();
  await panel.getByRole('tab', { name: 'Passwords' }).click();
  await panel.getByRole('button', { name: 'Replace the password of app' }).waitFor();
  expect(await page.content()).not.toContain(PASSWORD);
  await panel.getByRole('button', { name: 'Connect to shop' }).click();
  const connect = page.getByRole('dialog', { name: 'Connect to shop' });
  const line = `gatehouse proxy db shop --db-user app --db-name ${databaseName()} --listen 127.0.0.1:15432`;
  await connect.getByText(line).waitFor();
  await takesKeys(connect);
  await page.keyboard.press('Escape');
  await panel.getByRole('tab', { name: 'Details' }).click();
  await panel.getByRole('button', { name: 'Remove database' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove database' }).click();
  await page.getByText('shop was removed.').waitFor();
  await context.close();
  // The panel asked for what had just been removed.
  expect(complaints.filter((text) => !/status of 404/.test(text))).toEqual([]);
});

test('by keyboard alone, in both themes, on a desktop and on a phone', async () => {
  const modes = { ledger: 'verify-full', cache: 'insecure', shop: 'off' };
  for (const [name, tls] of Object.entries(modes)) {
    const uri = `postgres://127.0.0.1:${postgres.port}`;
    const args = [
      '--tls',
      tls,
      '--sign-in',
      'password',
      '--db-user',
      'app',
      '--password-file',
      passwordFile,
      '--db-name',
      databaseName(),
    ];
    const { code } = await gateway.command('db', 'add', name, uri, ...args, '--labels', 'env=prod');
    expect(code).toBe(0);
  }
  const { page, context, at } = await openAs('editor,shop-reader');
  await at();
  await tabTo(page, page.getByRole('button', { name: 'Add database' }));
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: /^PostgreSQL/ }).waitFor();

  const { look, found } = lookAt(page);
  for (const viewport of [WIDTHS.desktop, WIDTHS.phone]) {
    await page.setViewportSize(viewport);
    for (const search of ['', '?open=shop', '?do=connect:shop']) {
      await at(search);
      await page.getByRole('heading', { name: 'Databases', includeHidden: true }).waitFor();
      if (search.startsWith('?do=')) await page.getByRole('dialog').waitFor();
      if (search.startsWith('?open=')) await page.getByText('The gateway itself').waitFor();
      if (search.includes('connect')) await page.getByText(/^psql/).waitFor();
      await look(`${viewport.width} ${search}`);
    }
  }
  expect(found).toEqual([]);
  await at();
  const row = page.getByRole('row', { name: /cache/ });
  await row.getByRole('button', { name: 'env: prod' }).waitFor();
  // Both in one moment: what comes above them moves them.
  const below = await row.evaluate((card) => {
    const chip = [...card.querySelectorAll('button')].find(({ textContent }) => textContent?.includes('env'));
    return (chip?.getBoundingClientRect().bottom ?? Number.NaN) - card.getBoundingClientRect().bottom;
  });
  // On a phone a row is a card of one height: what does not fit is cut.
  expect(below).toBeLessThanOrEqual(0);
  expect(await axeFindings(page)).toEqual([]);
  await context.close();
});
