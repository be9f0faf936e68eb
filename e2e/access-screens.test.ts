import { launchChromium, watchedPage } from '@gatehouse/testkit/chromium';
import { signedInContext } from '@gatehouse/testkit/signed-in-context';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SeededGateway, startSeededGateway } from './access.ts';
import { EACH_WIDTH, type Look, lookAt } from './look.ts';

let gateway: SeededGateway;
let browser: Browser;

const DOCUMENTS = `kind: role
version: v6
metadata: { name: oncall, description: Production }
spec:
  allow:
    node_labels: { env: prod }
    logins: [deploy]
    rules:
      - { resources: [event], verbs: [list, read], where: 'equals(user.metadata.name, "x")' }
---
kind: user
version: v2
metadata: { name: tomas }
spec: { roles: [oncall] }
---
kind: lock
version: v2
metadata: { name: 6f1f9c1e-0000-4000-8000-000000000001 }
spec: { target: { user: tomas }, message: Laptop lost }
`;

beforeAll(async () => {
  gateway = await startSeededGateway(50);
  browser = await launchChromium({ shortPages: true });
  await gateway.apply(DOCUMENTS);
});
afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
});

test.each(EACH_WIDTH)(
  'every screen of access is accessible, quiet and fits, at $width width in both themes',
  async ({ viewport }) => {
    const context = await browser.newContext({ viewport, reducedMotion: 'reduce' });
    await signedInContext(context, gateway, 'maya', 'editor,access');
    const { page, complaints } = await watchedPage(context, gateway.origin);
    const { look, found } = lookAt(page);
    await walkUsers(page, look);
    await walkRoles(page, look);
    await context.close();

    expect(found).toEqual([]);
    // A faulty draft is answered by 400, which the browser writes to its console.
    expect(complaints.filter((text) => !/status of 4\d\d/.test(text))).toEqual([]);
  },
);

async function walkUsers(page: Page, look: Look): Promise<void> {
  const at = (path: string) => page.goto(gateway.url + path);
  await at('/users');
  await page.getByText('tomas').first().waitFor();
  await look('users');
  await at('/users?search=zzz');
  await page.getByRole('heading', { name: /Nobody fits/ }).waitFor();
  await look('no user fits');
  await at('/users?do=new');
  await page.getByRole('checkbox', { name: /oncall/ }).waitFor();
  await look('new user');
  await at('/users?open=tomas');
  await page.getByRole('checkbox', { name: /oncall/ }).waitFor();
  await look('user');
  await page.getByRole('button', { name: 'Actions for tomas' }).click();
  await page.getByRole('menuitem', { name: 'Delete user' }).click();
  await page.getByRole('dialog').waitFor();
  await look('delete user');
  await at('/users?open=tomas&tab=sign-ins');
  await page.getByText('Nowhere.').waitFor();
  await look('sign-ins of a user');
  await at('/users?open=tomas&tab=reach');
  await page
    .getByRole('button', { name: /^host-/ })
    .first()
    .click();
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  await page.getByText('The smallest change', { exact: false }).waitFor();
  await look('access of a user');
  await at('/locks');
  await page.getByText('Laptop lost').first().waitFor();
  await look('locks');
  await at('/locks?do=new');
  await page.getByRole('dialog').waitFor();
  await look('new lock');
}

async function walkRoles(page: Page, look: Look): Promise<void> {
  const at = (path: string) => page.goto(gateway.url + path);
  const show = async (pane: string) => {
    const radio = page.getByRole('radio', { name: pane });
    if (await radio.isVisible()) await radio.check();
  };
  await at('/roles');
  await page.getByText('oncall').first().waitFor();
  await look('roles');
  await at('/roles?open=oncall');
  await page.getByLabel('Description').fill('Changed');
  await look('role as a form');
  await page.getByRole('button', { name: 'Remove deploy' }).click();
  await show('YAML');
  await page.locator('[data-editor] .gh-removed').first().waitFor();
  await look('role as a text');
  await show('Effects');
  await page.getByText(/can no longer use deploy/).waitFor();
  await look('effects of a role');
  await page.getByRole('button', { name: 'Review and save' }).click();
  await page.getByRole('dialog').waitFor();
  await look('review of a role');
  await page.keyboard.press('Escape');
  await show('YAML');
  await page.locator('[data-editor] .cm-line').first().click();
  await page.keyboard.type('x: ');
  await page
    .getByText(/^Line 1, column/)
    .first()
    .waitFor();
  await look('faulty role');
  await page.getByRole('button', { name: 'All roles' }).click();
  await page.getByRole('button', { name: 'Leave', exact: true }).click();
  await at('/roles?do=new');
  await page.getByLabel('Name', { exact: true }).waitFor();
  await look('new role');
}
