/** The workbench on SQL Server in a real browser, on a real gateway; the server is a stub, as no real one can be had. */
import { type StubSqlserver, startStubSqlserver } from '@gatehouse/gateway/testing/db/stub-sqlserver';
import { launchChromium, watchedPage } from '@gatehouse/testkit/chromium';
import { type GatewayProcess, startGateway } from '@gatehouse/testkit/gateway-process';
import { signedInContext } from '@gatehouse/testkit/signed-in-context';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { applyDocuments } from './access.ts';
import { addDatabase } from './add-database.ts';

const PASSWORD = 'a secret of the shop';
const ROLE = `kind: role
version: v6
metadata: { name: ledger-writer }
spec:
  allow:
    db_labels: { env: prod }
    db_users: [app]
    db_names: [shop]
    rules: [{ resources: [db_server], verbs: [list, read] }]
`;

let gateway: GatewayProcess;
let browser: Browser;
let sqlserver: StubSqlserver;

beforeAll(async () => {
  [gateway, browser, sqlserver] = await Promise.all([
    startGateway({ GATEHOUSE_SECOND_FACTOR: 'off' }),
    launchChromium({ shortPages: true }),
    startStubSqlserver({ app: PASSWORD }),
  ]);
  await applyDocuments(gateway, ROLE);
  const uri = `sqlserver://localhost:${sqlserver.port}`;
  await addDatabase(gateway, {
    name: 'ledger',
    uri,
    password: PASSWORD,
    ca: sqlserver.ca,
    more: ['--db-name', 'shop'],
  });
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([gateway?.stop(), sqlserver?.stop()]);
});

/** From the list into the workbench, as the person who may write. */
async function openWorkbench() {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' });
  onTestFinished(() => context.close());
  await signedInContext(context, gateway, 'person', 'ledger-writer');
  const { page, complaints } = await watchedPage(context, gateway.origin);
  await page.goto(`${gateway.url}/cluster/localhost/databases`);
  // One user and one database leave nothing to choose.
  await page.getByRole('button', { name: 'Connect to ledger as app' }).click();
  await page.getByText('Connected', { exact: true }).waitFor();
  await page
    .getByRole('tree')
    .getByRole('treeitem', { name: /orders/ })
    .waitFor();
  const write = async (sql: string) => {
    await page.getByRole('textbox', { name: 'Statements' }).click();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.press('Delete');
    await page.keyboard.insertText(sql);
    // Rows are on the page before what brought them is over, and till then nothing else is run.
    await page.getByText('Connected', { exact: true }).waitFor();
  };
  return { page, write, complaints };
}

test('the tree, a batch, its plan, and what is stopped', async () => {
  const { page, write, complaints } = await openWorkbench();
  await write('select 1\nGO\ndeclare @a int = 1; select kinds');
  await page.keyboard.press('ControlOrMeta+Enter');
  await page.getByRole('gridcell', { name: '2026-02-03 04:05:06.003', exact: true }).waitFor();
  // Not the last that came: what the gateway asks of its own accord may be there by now.
  expect(sqlserver.came.map(({ text }) => text)).toContain('declare @a int = 1; select kinds');

  await write('delete from orders where id = 1');
  await page.keyboard.press('ControlOrMeta+e');
  await page.getByText('Clustered Index Delete (Delete)').waitFor();
  await write("waitfor delay '01:00'");
  await page.keyboard.press('ControlOrMeta+Enter');
  await expect.poll(() => sqlserver.waiting('waitfor')).toBe(1);
  await page.keyboard.press('ControlOrMeta+.');
  await page.getByText('Cancelled.').waitFor();
  expect(complaints).toEqual([]);
});

test('a value is changed on the page, read as SQL, and written in a transaction that is committed', async () => {
  const { page, write, complaints } = await openWorkbench();
  await write('select id, note from orders');
  await page.keyboard.press('ControlOrMeta+Enter');
  // Of which table the rows are comes after them: till then none of them can be changed.
  await page.getByRole('button', { name: 'Add row' }).waitFor();
  await page.getByRole('gridcell', { name: 'first', exact: true }).dblclick();
  const value = page.getByRole('textbox', { name: 'Value of note' });
  await value.fill("it's paid");
  await value.press('ControlOrMeta+Enter');
  const staged = page.getByText('1 change in orders, not written yet');
  await staged.waitFor();
  await page.getByRole('button', { name: 'Review and write' }).click();
  const dialog = page.getByRole('dialog', { name: 'Write 1 change to orders' });
  await dialog.getByText("N'it''s paid'").first().waitFor();
  const before = sqlserver.came.length;
  await dialog.getByRole('button', { name: 'Write 1 change' }).click();
  // The dialog closes before anything is written; what is written is staged no more.
  await staged.waitFor({ state: 'hidden' });

  // The stub keeps no values: what came to it is what would have been written.
  const came = sqlserver.came.slice(before).map(({ text }) => text);
  const written = came.findIndex((text) => /^update[\s\S]*\[orders\][\s\S]*N'it''s paid'[\s\S]*N'first'/i.test(text));
  expect(written).toBeGreaterThan(-1);
  expect(came.slice(written).some((text) => /^commit/i.test(text))).toBe(true);
  expect(complaints).toEqual([]);
});
