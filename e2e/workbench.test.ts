/** The workbench in a real browser, on a real gateway with a real PostgreSQL behind it. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { call } from '@gatehouse/contract/wire/client';
import { launchChromium, WIDTHS, watchedPage } from '@gatehouse/testkit/chromium';
import { type GatewayProcess, startGateway } from '@gatehouse/testkit/gateway-process';
import { ownerSend } from '@gatehouse/testkit/owner-send';
import { startPostgres, type TestPostgres } from '@gatehouse/testkit/postgres';
import { signedInContext } from '@gatehouse/testkit/signed-in-context';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { applyDocuments } from './access.ts';
import { lookAt } from './look.ts';

const PASSWORD = 'hunter2 and more';
const roleOf = (name: string, options = '') => `kind: role
version: v6
metadata: { name: ${name} }
spec:
  ${options}
  allow:
    db_labels: { env: prod }
    db_users: [app]
    db_names: ['*']
    rules: [{ resources: [db_server], verbs: [list, read] }]
`;

let gateway: GatewayProcess;
let browser: Browser;
let postgres: TestPostgres;

beforeAll(async () => {
  [gateway, browser, postgres] = await Promise.all([
    startGateway({ GATEHOUSE_SECOND_FACTOR: 'off' }),
    launchChromium(),
    startPostgres({
      prepare: `printf 'host all gatehouse 127.0.0.1/32 trust\\nhost all app 127.0.0.1/32 scram-sha-256\\n' > pg_hba.conf`,
    }),
  ]);
  const made = `create role app login password '${PASSWORD}'; create schema shop authorization app;
    create table shop.orders (id int primary key, status text, total numeric(10,2));
    insert into shop.orders select i, 'held', i * 1.5 from generate_series(1, 20) i;
    alter table shop.orders owner to app`;
  await promisify(execFile)('psql', [postgres.url, '-c', made]);
  await applyDocuments(gateway, roleOf('shop-writer'));
  await applyDocuments(gateway, roleOf('shop-reader', 'options: { db_read_only: true, db_export: false }'));
  await addDatabase('shop');
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([gateway?.stop(), postgres?.stop()]);
});

async function addDatabase(name: string): Promise<void> {
  const passwordFile = join(gateway.dataDir, `${name}.txt`);
  writeFileSync(passwordFile, PASSWORD);
  const uri = `postgres://127.0.0.1:${postgres.port}`;
  const inside = new URL(postgres.url).pathname.slice(1);
  const args = ['--tls', 'off', '--sign-in', 'password', '--db-user', 'app', '--password-file', passwordFile];
  const { code } = await gateway.command('db', 'add', name, uri, ...args, '--db-name', inside, '--labels', 'env=prod');
  expect(code).toBe(0);
}

async function openAs(role = 'shop-writer') {
  const context = await browser.newContext({
    viewport: WIDTHS.desktop,
    reducedMotion: 'reduce',
    acceptDownloads: true,
  });
  onTestFinished(() => context.close());
  const user = await signedInContext(context, gateway, 'person', role);
  const watched = await watchedPage(context, gateway.origin);
  await watched.page.goto(`${gateway.url}/cluster/localhost/databases/shop/workbench?user=app`);
  await watched.page.getByText('Connected', { exact: true }).waitFor();
  return { ...watched, context, user, ...handsOn(watched.page) };
}

function handsOn(page: Page) {
  const field = page.getByRole('textbox', { name: 'Statements' });
  const write = async (sql: string) => {
    await field.click();
    // Taken away by the editor: where words are written over, the browser keeps their style in the text, which the policy refuses.
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.press('Delete');
    await page.keyboard.insertText(sql);
    // Rows are on the page before what brought them is over, and till then nothing else is run.
    await page.getByText('Connected', { exact: true }).waitFor();
  };
  const run = async (sql: string) => {
    await write(sql);
    await page.keyboard.press('ControlOrMeta+Enter');
  };
  const cell = (text: string) => page.getByRole('gridcell', { name: text, exact: true });
  return { field, write, run, cell };
}

test('from the list into the workbench: run, an error in its place, the tree, the history', async () => {
  const { page, complaints, run, cell, context } = await openAs();
  await page.goto(`${gateway.url}/cluster/localhost/databases`);
  await page.getByRole('button', { name: 'Connect to shop' }).click();
  await page.getByRole('link', { name: /^Open workbench: .* as app$/ }).click();
  await page.getByText('Connected', { exact: true }).waitFor();
  await run('select 41 + 1 as answer, null as nothing');
  await cell('42').waitFor();
  await cell('NULL').waitFor();
  await run('select foo from shop.orders');
  await page.getByText('Column "foo" does not exist.').waitFor();
  await expect.poll(() => page.locator('.cm-lintRange-error').textContent()).toBe('foo');

  const tree = page.getByRole('tree');
  // The usual schema is open already.
  await tree.getByRole('treeitem', { name: 'Tables' }).waitFor();
  await tree.getByRole('treeitem', { name: 'shop' }).click();
  await tree.getByRole('treeitem', { name: 'Tables' }).nth(1).click();
  await tree.getByRole('treeitem', { name: /^orders/ }).focus();
  await page.keyboard.press('ArrowRight');
  await tree.getByRole('treeitem', { name: /^status text/ }).waitFor();
  await page.getByRole('button', { name: /^select 41/ }).waitFor();
  await context.close();
  expect(complaints).toEqual([]);
});

test('100,000 rows come, and the last of them is a key away; a whole result is a file', async () => {
  const { page, run, cell } = await openAs();
  await run('select i, md5(i::text) as hash from generate_series(1, 100000) i');
  const more = page.getByRole('button', { name: 'Show more' });
  const grid = page.getByRole('grid');
  // As many as the record lets come at once; so often until all are there.
  await more.waitFor();
  expect(await grid.getAttribute('aria-rowcount')).toBe('1001');
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem', { name: 'All, as CSV' }).click();
  const file = readFileSync(await (await download).path(), 'utf8')
    .trimEnd()
    .split('\r\n');
  expect([file.length, file[0], file.at(-1)?.split(',')[0]]).toEqual([100_001, 'i,hash', '100000']);

  await call(ownerSend(gateway.dataDir), databaseRoutes.update, {
    params: { clusterId: 'localhost', name: 'shop' },
    body: { limits: { webRows: 100_000 } },
  });
  await page.reload();
  await page.getByText('Connected', { exact: true }).waitFor();
  await run('select i, md5(i::text) as hash from generate_series(1, 100000) i');
  await expect.poll(() => grid.getAttribute('aria-rowcount'), { timeout: 60_000 }).toBe('100001');
  expect(await page.getByRole('gridcell').count()).toBeLessThan(500);
  await grid.focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Control+End');
  await cell('100000').waitFor();
  await grid.evaluate((box: Element) => box.scrollTo({ top: box.scrollHeight / 2 }));
  await cell('50000').waitFor();
});

test('what runs is cancelled at the server', async () => {
  const { page, run } = await openAs();
  await run("select pg_sleep(300), 'to be cancelled'");
  await page.getByText('Running', { exact: true }).first().waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('Cancelled.').waitFor();
  const left =
    "select count(*) from pg_stat_activity where state = 'active' and query like '%to be cancelled%' and pid <> pg_backend_pid()";
  await run(left);
  await page.getByRole('gridcell', { name: '0', exact: true }).waitFor();
});

test('a dry run tells how many rows it touches, and is taken back or kept', async () => {
  const { page, write, run, cell } = await openAs();
  let asked = 0;
  const orders = async (left: string) => {
    // Each answer has a number: that of an earlier question may say the same, and still be shown.
    asked += 1;
    await run(`select 'left ${asked}: ' || count(*) as n from shop.orders`);
    await cell(`left ${asked}: ${left}`).waitFor();
  };
  await write('delete from shop.orders where id > 15');
  await page.getByRole('button', { name: 'Dry run' }).click();
  await page.getByText('Dry run: touches 5 rows.').waitFor();
  await page.getByRole('button', { name: 'Roll back' }).click();
  await page.getByText('Rolled back: nothing was changed.').waitFor();
  await orders('20');
  await write('delete from shop.orders where id > 18');
  await page.getByRole('button', { name: 'Dry run' }).click();
  await page.getByRole('button', { name: 'Commit 2 rows' }).click();
  await page.getByText('Committed: 2 rows.').waitFor();
  await orders('18');
  await run('delete from shop.orders');
  await page.getByRole('dialog').getByRole('textbox').waitFor();
  await page.keyboard.press('Escape');
  await orders('18');
});

test('a value is changed on the page, read as SQL, and written', async () => {
  const { page, run, cell } = await openAs();
  await run('select id, status, total from shop.orders where id < 4 order by id');
  await page.getByRole('button', { name: 'Add row' }).waitFor();
  await cell('held').nth(1).dblclick();
  const value = page.getByRole('textbox', { name: 'Value of status' });
  await value.fill("it's paid");
  await value.press('ControlOrMeta+Enter');
  const staged = page.getByText('1 change in orders, not written yet');
  await staged.waitFor();
  await page.getByRole('button', { name: 'Review and write' }).click();
  const dialog = page.getByRole('dialog', { name: 'Write 1 change to orders' });
  await dialog
    .getByText(`UPDATE shop.orders SET status = 'it''s paid' WHERE id = '2' AND status IS NOT DISTINCT FROM 'held';`)
    .waitFor();
  await dialog.getByRole('button', { name: 'Write 1 change' }).click();
  // The cell shows it before it is written, too; what is written is staged no more.
  await staged.waitFor({ state: 'hidden' });
  await cell("it's paid").waitFor();
  const { stdout } = await promisify(execFile)('psql', [
    postgres.url,
    '-Atc',
    'select status from shop.orders where id = 2',
  ]);
  expect(stdout.trim()).toBe("it's paid");
});

test('a plan is a tree, estimated or measured', async () => {
  const { page, write } = await openAs();
  await write('select count(*) from shop.orders o join shop.orders p using (status)');
  await page.getByRole('button', { name: 'Explain' }).click();
  await page.getByText('An estimate: nothing was run.').waitFor();
  await page
    .getByText(/^Seq Scan on orders/)
    .first()
    .waitFor();
  // The plan comes before the end of what made it.
  await page.getByText('Connected', { exact: true }).waitFor();
  await page.getByRole('textbox', { name: 'Statements' }).focus();
  await page.keyboard.press('ControlOrMeta+Shift+E');
  await page.getByText('It ran once, in a transaction that was rolled back.').waitFor();
});

test('who may only read is told so, and nothing is written', async () => {
  const { page, run } = await openAs('shop-reader');
  await page.getByText('Read-only', { exact: true }).waitFor();
  expect(await page.getByRole('button', { name: 'Dry run' }).count()).toBe(0);
  await run("update shop.orders set status = 'stolen' where id = 1");
  await page.getByText(/^Only reading is allowed here/).waitFor();
  await run('select id from shop.orders');
  await page.getByRole('grid').waitFor();
  expect(await page.getByRole('button', { name: 'Export' }).getAttribute('aria-disabled')).toBe('true');
  expect(await page.getByRole('button', { name: 'Add row' }).count()).toBe(0);
});

test('a role that is taken away ends it with the reason, and the text stays', async () => {
  await applyDocuments(gateway, roleOf('shop-guest'));
  const { page, run, field } = await openAs('shop-guest');
  await run("select pg_sleep(300), 'precious'");
  await page.getByText('Running', { exact: true }).first().waitFor();
  await applyDocuments(gateway, roleOf('shop-guest').replace('env: prod', 'env: none'));
  await page.getByText('The session is over.').waitFor();
  await page.getByText('The connection ended before there was an answer.').waitFor();
  expect(await field.textContent()).toContain('precious');
  await applyDocuments(gateway, roleOf('shop-guest'));
  await page.reload();
  await page.getByText('Connected', { exact: true }).waitFor();
  await expect.poll(() => field.textContent()).toContain('precious');
});

test('a lock cancels what runs at the server, and leads to the sign-in', async () => {
  const { page, run, user } = await openAs();
  await run("select pg_sleep(300), 'held by a lock'");
  const running = async () => {
    const sql =
      "select count(*) from pg_stat_activity where state = 'active' and query like '%held by a lock%' and pid <> pg_backend_pid()";
    return (await promisify(execFile)('psql', [postgres.url, '-Atc', sql])).stdout.trim();
  };
  await expect.poll(running).toBe('1');
  const { code } = await gateway.command('locks', 'add', '--user', user);
  expect(code).toBe(0);
  await page.waitForURL(/\/web\/login/);
  await expect.poll(running).toBe('0');
});

test('under the eyes of somebody: it waits, begins, is frozen without them, and they end it', async () => {
  const wish = `require_session_join: [{ name: eyes, filter: 'contains(user.roles, "shop-eyes")', kinds: [db], count: 1, modes: [moderator], on_leave: pause }]`;
  await applyDocuments(gateway, roleOf('shop-watched').replace('rules:', `${wish}\n    rules:`));
  const joins = 'join_sessions: [{ name: join, kinds: [db], roles: [shop-watched], modes: [observer, moderator] }]';
  await applyDocuments(
    gateway,
    `kind: role\nversion: v6\nmetadata: { name: shop-eyes }\nspec: { allow: { ${joins} } }\n`,
  );
  const somebody = async (role: string) => {
    const context = await browser.newContext({ viewport: WIDTHS.desktop, reducedMotion: 'reduce' });
    onTestFinished(() => context.close());
    const user = await signedInContext(context, gateway, 'person', role);
    return { user, ...(await watchedPage(context, gateway.origin)) };
  };
  const eve = await somebody('shop-eyes');
  const owner = await somebody('shop-watched');
  await owner.page.goto(`${gateway.url}/cluster/localhost/databases/shop/workbench?user=app`);
  await owner.page.getByText(`Waiting for a person to join. Could come: ${eve.user}`).waitFor();
  await eve.page.goto(`${gateway.url}/cluster/localhost/sessions`);
  const card = eve.page.getByRole('listitem', { name: `Session of ${owner.user} on app@shop` });
  await card.getByText('Waiting for a moderator').waitFor();
  await card.getByRole('link', { name: 'Moderate' }).click();
  await eve.page.getByRole('heading', { name: `You moderate the session of ${owner.user} on shop` }).waitFor();
  const watchUrl = eve.page.url();

  await owner.page.getByText('Connected', { exact: true }).waitFor();
  const { run, cell } = handsOn(owner.page);
  await run("select 'seen ' || 'by eve' as words");
  await cell('seen by eve').waitFor();
  await eve.page.getByRole('gridcell', { name: "select 'seen ' || 'by eve' as words" }).first().click();
  await eve.page.getByRole('complementary', { name: /^Statement at/ }).waitFor();
  const { look, found } = lookAt(eve.page);
  await look('watching');

  await eve.page.goto(`${gateway.url}/cluster/localhost/sessions`);
  await owner.page.getByText('Somebody whom a role wants here has left').waitFor();
  await run("select 'never ' || 'run' as words");
  expect(await cell('never run').count()).toBe(0);
  await eve.page.goto(watchUrl);
  await owner.page.getByText('Somebody whom a role wants here has left').waitFor({ state: 'detached' });
  await run("select 'on ' || 'again' as words");
  await cell('on again').waitFor();
  await eve.page.getByRole('button', { name: 'End session' }).click();
  await eve.page.getByRole('textbox', { name: /^Reason/ }).fill('seen enough');
  await eve.page.getByRole('dialog').getByRole('button', { name: 'End session' }).click();
  await owner.page.getByText(new RegExp(`ended by ${eve.user}: seen enough`)).waitFor();
  await eve.page.getByText('The session has ended').waitFor();
  expect(await eve.page.getByText('never').count()).toBe(0);
  expect([...found, ...owner.complaints, ...eve.complaints]).toEqual([]);
});

test('in both themes, on a desktop and on a phone', async () => {
  const { page, run, cell } = await openAs();
  const { look, found } = lookAt(page);
  for (const viewport of [WIDTHS.desktop, WIDTHS.phone]) {
    await page.setViewportSize(viewport);
    await page.reload();
    await page.getByText('Connected', { exact: true }).waitFor();
    await run('select i, null as nothing, repeat($$x$$, i) from generate_series(1, 50) i');
    await cell('50').or(cell('20')).first().waitFor();
    await look(`${viewport.width} rows`);
    await run('select nonsense');
    await page
      .getByText(/Column "nonsense" does not exist/)
      .first()
      .waitFor();
    await look(`${viewport.width} error`);
  }
  expect(found).toEqual([]);
});
