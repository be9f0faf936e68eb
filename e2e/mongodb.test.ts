/** The page of MongoDB in a real browser, on a real gateway; the server is a stub that answers from what it stores, as no real one can be had. */
import { type StubMongodb, startStubMongodb } from '@gatehouse/gateway/testing/db/stub-mongodb';
import { launchChromium, watchedPage } from '@gatehouse/testkit/chromium';
import { type GatewayProcess, startGateway } from '@gatehouse/testkit/gateway-process';
import { signedInContext } from '@gatehouse/testkit/signed-in-context';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { applyDocuments } from './access.ts';
import { addDatabase } from './add-database.ts';
import { EACH_WIDTH, lookAt } from './look.ts';

const PASSWORD = 'a secret of the shop';
const ROLE = `kind: role
version: v6
metadata: { name: paper-writer }
spec:
  allow:
    db_labels: { env: prod }
    db_users: [app]
    db_names: [shop, stock]
    rules: [{ resources: [db_server], verbs: [list, read] }, { resources: [session], verbs: [list, read] }]
`;

let gateway: GatewayProcess;
let browser: Browser;
let mongodb: StubMongodb;

beforeAll(async () => {
  [gateway, browser, mongodb] = await Promise.all([
    startGateway({ GATEHOUSE_SECOND_FACTOR: 'off' }),
    launchChromium({ shortPages: true }),
    startStubMongodb({ app: PASSWORD }),
  ]);
  await applyDocuments(gateway, ROLE);
  const { ca, port } = mongodb;
  await addDatabase(gateway, {
    name: 'papers',
    uri: `mongodb://localhost:${port}`,
    password: PASSWORD,
    ca,
    more: ['--db-name', 'shop'],
  });
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([gateway?.stop(), mongodb?.stop()]);
});

test.each(EACH_WIDTH)(
  'collections, what is found in them, a document that is changed, and the recording of it, at the width of a $width',
  async ({ width, viewport }) => {
    const orders = mongodb.store.documents('shop', 'orders');
    orders.splice(0);
    for (let n = 0; n < 300; n += 1)
      orders.push({ _id: n, state: n % 2 ? 'new' : 'paid', ship: { city: 'Bern', at: new Date(0) }, tags: ['a', 'b'] });
    const context = await browser.newContext({ viewport, reducedMotion: 'reduce' });
    onTestFinished(() => context.close());
    await signedInContext(context, gateway, 'person', 'paper-writer');
    const { page, complaints } = await watchedPage(context, gateway.origin);
    const { look, found } = lookAt(page);
    await page.goto(`${gateway.url}/cluster/localhost/databases`);
    await page.getByRole('button', { name: 'Connect to papers' }).click();
    await page.getByRole('link', { name: / as app$/ }).click();

    const tree = page.getByRole('tree', { name: 'Collections and what is in them' });
    if (width === 'phone') await page.getByRole('button', { name: 'Collections and what is in them' }).click();
    await tree.getByRole('treeitem', { name: /orders/ }).waitFor();
    await look('collections');
    await tree.getByRole('treeitem', { name: /orders/ }).dblclick();
    const documents = page.getByRole('tree', { name: '50 documents' });
    await documents.waitFor();
    await look('documents');

    await page.getByRole('textbox', { name: 'Filter' }).click();
    await page.keyboard.type("{ state: 'new', _id: { $gte: 290");
    await page.getByLabel('Sort').fill('{ _id: -1 }');
    await page.getByLabel('Sort').press('Enter');
    const five = page.getByRole('tree', { name: '5 documents' });
    await five.waitFor();
    await five.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByLabel('Document as text').fill('{ _id: 299, state: "sent", tags: [] }');
    await look('a document that is edited');
    await page.getByRole('button', { name: 'Review and write' }).click();
    await page.getByRole('dialog').getByText('$unset').waitFor();
    await look('before it is written');
    await page.getByRole('button', { name: 'Change document' }).click();
    await page.getByRole('tree', { name: '4 documents' }).waitFor();
    expect(orders[299]).toMatchObject({ state: 'sent', tags: [] });
    expect(orders[299]).not.toHaveProperty('ship');

    if (width === 'phone') await page.getByRole('button', { name: 'Close this panel' }).click();
    await page.getByRole('radio', { name: 'Table' }).click();
    await page.getByRole('grid').waitFor();
    await look('a table');
    await page.getByRole('radio', { name: 'Command' }).click();
    await page.getByRole('textbox', { name: 'Command' }).click();
    await page.keyboard.type('{ nonsense: 1');
    await page.keyboard.press('Control+Enter');
    await page.getByText("No such command: 'nonsense'.").first().waitFor();
    await look('a command that is refused');

    await page.goto(`${gateway.url}/cluster/localhost/recordings`);
    await page
      .getByRole('link', { name: /app@papers/ })
      .first()
      .click();
    await page
      .getByText(/"update"/)
      .first()
      .waitFor();
    await context.close();
    expect(found).toEqual([]);
    expect(complaints).toEqual([]);
  },
);
