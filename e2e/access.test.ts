import { launchChromium, type WatchedPage, watchedPage } from '@gatehouse/testkit/chromium';
import { freshName, signedInContext } from '@gatehouse/testkit/signed-in-context';
import { SOON_SECONDS } from '@gatehouse/testkit/soon';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { editorText, type SeededGateway, secondsUntil, startSeededGateway, tabTo, takesKeys } from './access.ts';
import { choosePassword, isInside } from './identity.ts';

let gateway: SeededGateway;
let browser: Browser;
let admin: BrowserContext;
let watched: WatchedPage;
let page: Page;

beforeAll(async () => {
  gateway = await startSeededGateway(400);
  browser = await launchChromium({ shortPages: true });
  admin = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });
  await signedInContext(admin, gateway, 'maya', 'editor,access');
  watched = await watchedPage(admin, gateway.origin);
  ({ page } = watched);
});
afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
});

const ONCALL = `# Who is on call.
kind: role
version: v6
metadata:
  name: oncall
  description: Production   # shown in lists
spec:
  allow:
    # Only two regions.
    node_labels:
      env: prod
      region: [eu-west,  eu-central]
    logins: [deploy]
  options:
    max_session_ttl: 8h
`;

const DESK = `kind: role
version: v6
metadata: { name: desk, description: Help desk }
spec:
  allow:
    rules:
      - resources: [user]
        verbs: [list, read]
`;

async function openRole(name: string): Promise<void> {
  await page.goto(`${gateway.url}/roles?open=${name}`);
  await page.locator('[data-editor] .cm-content').waitFor();
}

test('by keyboard alone a user is invited and a role changed; in another browser only what the role allows is seen, and the change soon', async () => {
  await gateway.apply(DESK);
  await page.goto(`${gateway.url}/users`);
  await page.getByRole('row', { name: /maya/ }).waitFor();

  await page.keyboard.press('n');
  await takesKeys(page.getByRole('dialog', { name: 'New user' }));
  const name = freshName(gateway, 'bo');
  await page.keyboard.type(name);
  await tabTo(page, page.getByRole('checkbox', { name: /desk/ }));
  await page.keyboard.press('Space');
  await tabTo(page, page.getByRole('button', { name: 'Make user and link' }));
  await page.keyboard.press('Enter');
  const link =
    (await page
      .getByRole('group', { name: `Invite link for ${name}` })
      .locator('code')
      .textContent()) ?? '';
  await tabTo(page, page.getByRole('button', { name: 'Done' }));
  await page.keyboard.press('Enter');

  const second = await browser.newContext();
  const bo = await second.newPage();
  await bo.goto(link);
  await bo.getByRole('button', { name: 'Get started' }).click();
  await choosePassword(bo);
  await isInside(bo, name);
  await bo.goto(`${gateway.url}/users`);
  await bo.getByRole('row', { name: /maya/ }).waitFor();
  const navigation = bo.getByRole('navigation', { name: 'Main' });
  expect(await navigation.getByRole('link').allTextContents()).toEqual(['Gatehouse', 'Users']);
  expect(await bo.getByRole('button', { name: 'New user' }).count()).toBe(0);
  let loads = 0;
  bo.on('load', () => {
    loads += 1;
  });

  // To the roles by keys, to the second one in the list, and a rule more.
  await page.keyboard.press('g');
  await page.keyboard.press('r');
  // In the list of users a role is named as well.
  await page.waitForURL(/\/web\/roles/);
  await page.getByRole('row', { name: /desk/ }).first().waitFor();
  while ((await page.evaluate('document.activeElement?.textContent')) !== 'desk') await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await tabTo(page, page.getByRole('button', { name: 'Add a rule' }));
  await page.keyboard.press('Enter');
  await tabTo(page, page.getByRole('group', { name: 'Rule 2' }).getByLabel('What', { exact: true }), 'Shift+Tab');
  await page.keyboard.press('Backspace');
  await page.keyboard.type('role,');
  const review = page.getByRole('button', { name: 'Review and save' });
  await expect.poll(() => review.getAttribute('aria-disabled')).toBeNull();
  await tabTo(page, review, 'Shift+Tab');
  await page.keyboard.press('Enter');
  await takesKeys(page.getByRole('dialog', { name: 'Save the role desk?' }));
  await page.keyboard.press('Enter');
  await page.getByText('desk was saved.').waitFor();

  expect(await secondsUntil(navigation.getByRole('link', { name: 'Roles' }).waitFor())).toBeLessThan(SOON_SECONDS);
  await gateway.apply(DESK.replace('resources: [user]', 'resources: [node]'));
  expect(await secondsUntil(bo.getByRole('heading', { name: 'Access Denied' }).waitFor())).toBeLessThan(SOON_SECONDS);
  expect(await navigation.getByRole('link', { name: 'Users' }).count()).toBe(0);
  expect(loads).toBe(0);
  await second.close();
});

test('a denied page names the rule that is missing and an id that an administrator can look up', async () => {
  const context = await browser.newContext();
  const name = await signedInContext(context, gateway, 'nobody', 'access');
  const denied = await context.newPage();
  await denied.goto(`${gateway.url}/roles`);
  await denied.getByRole('heading', { name: 'Access Denied' }).waitFor();

  expect(await denied.getByRole('region', { name: 'The missing rule' }).textContent()).toContain('resources: [role]');
  const told = (await denied.getByText('An administrator can look this up by its id').textContent()) ?? '';
  const found = await gateway.command('access', 'denial', told.split(': ').at(-1) ?? '');
  expect(found).toMatchObject({ code: 0 });
  expect(found.stdout).toContain(name);
  await context.close();
});

test('form and text are one role: each follows the other, and comments, order and spacing stay', async () => {
  await gateway.apply(ONCALL);
  await openRole('oncall');

  await page.getByRole('button', { name: 'Remove eu-central' }).click();
  await page.getByLabel('Sign in as').first().fill('ubuntu,');
  await expect.poll(() => editorText(page)).toContain('    logins: [deploy, ubuntu]');
  // What is marked is drawn after what was typed.
  await expect
    .poll(() => page.locator('[data-editor] .gh-removed').allTextContents())
    .toEqual(['      region: [eu-west,  eu-central]', '    logins: [deploy]']);
  await expect.poll(() => page.locator('[data-changed]').count()).toBe(2);
  await page.locator('[data-editor] .cm-line', { hasText: 'max_session_ttl' }).click();
  await page.keyboard.press('End');
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Backspace');
  await page.keyboard.type('4h');
  await expect.poll(() => page.getByLabel('Longest session').inputValue()).toBe('4h');
  await page.getByText('It was: 8 hours.').waitFor();
  await page.getByRole('button', { name: 'Review and save' }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('oncall was saved.').waitFor();

  const { stdout } = await gateway.command('roles', 'get', 'oncall');
  expect(stdout).toBe(
    ONCALL.replace('[eu-west,  eu-central]', 'eu-west').replace('[deploy]', '[deploy, ubuntu]').replace('8h', '4h'),
  );
});

test('the editor completes fields and says by line and column what is wrong, under the policy of the page', async () => {
  await gateway.apply(ONCALL);
  await openRole('oncall');
  await page.locator('[data-editor] .cm-line', { hasText: 'logins: [deploy]' }).click();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.keyboard.type('kubernetes_gr');
  await page.locator('[data-editor] .cm-tooltip-autocomplete li', { hasText: 'kubernetes_groups' }).waitFor();
  // The editor takes no Enter for an offer that has only just appeared, by the clock of the page.
  const seen = await page.evaluate(() => Date.now());
  await page.waitForFunction((at) => Date.now() - at > 100, seen);
  await page.keyboard.press('Enter');
  await page.keyboard.type('[dev');
  await expect.poll(() => editorText(page)).toContain('    kubernetes_groups: [dev]');
  await page.getByText('Valid. The form and the text stay in step.').waitFor();

  await page.keyboard.press('Home');
  await page.keyboard.type('x');
  const problem = page.getByRole('button', { name: /Line 14, column 5/ });
  await problem.waitFor();
  expect(await problem.textContent()).toContain('kubernetes_groups');
  await page.keyboard.press('Control+z');
  expect(watched.complaints.filter((text) => !/status of 4\d\d/.test(text))).toEqual([]);
});

test('before saving it is told who gains and loses what, and afterwards it is so', async () => {
  await gateway.apply(`${ONCALL}---\nkind: user\nversion: v2\nmetadata: { name: tomas }\nspec: { roles: [oncall] }\n`);
  const reached = async () => {
    const { stdout } = await gateway.command('access', 'reach', 'tomas', '--format', 'json');
    return (JSON.parse(stdout) as unknown[]).length;
  };
  const before = await reached();
  await openRole('oncall');
  await page.getByRole('button', { name: 'Remove eu-central' }).click();
  const panel = page.getByRole('complementary', { name: 'What changes when you save' });
  const loss = panel.getByText(/^1 person can no longer use deploy on \d+ servers?$/);
  await loss.waitFor();
  expect(await panel.getByText('tomas').count()).toBe(1);
  const lost = Number(/on (\d+)/.exec((await loss.textContent()) ?? '')?.[1]);
  expect(lost).toBeGreaterThan(0);
  await page.getByRole('button', { name: 'Review and save' }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('oncall was saved.').waitFor();

  expect(await reached()).toBe(before - lost);
});

test('a role that somebody else saved meanwhile shows both changes, and nothing is lost', async () => {
  await gateway.apply(ONCALL);
  await openRole('oncall');
  await page.getByLabel('Sign in as').first().fill('ubuntu,');
  await page.getByText('1 unsaved change').waitFor();

  await gateway.apply(ONCALL.replace('Production ', 'Theirs '));
  await page.getByRole('button', { name: 'See both' }).click();
  const dialog = page.getByRole('dialog', { name: 'oncall was changed by two people' });
  expect(await dialog.getByRole('region', { name: /Their change/ }).textContent()).toContain(
    '+added  description: Theirs',
  );
  expect(await dialog.getByRole('region', { name: /Your change/ }).textContent()).toContain('logins: [deploy, ubuntu]');
  await dialog.getByRole('button', { name: 'Keep both' }).click();
  await page.getByRole('button', { name: 'Review and save' }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('oncall was saved.').waitFor();

  const { stdout } = await gateway.command('roles', 'get', 'oncall');
  expect(stdout).toBe(ONCALL.replace('Production ', 'Theirs ').replace('[deploy]', '[deploy, ubuntu]'));
});

test('why somebody cannot reach a server is answered with the smallest change', async () => {
  await gateway.apply(`${ONCALL}---\nkind: user\nversion: v2\nmetadata: { name: ines }\nspec: { roles: [oncall] }\n`);
  await page.goto(`${gateway.url}/users?open=ines&tab=reach`);
  await page
    .getByRole('button', { name: /^host-/ })
    .first()
    .click();
  await page.getByRole('textbox', { name: 'As optional' }).fill('root');
  await page.getByRole('button', { name: 'Check', exact: true }).click();

  await page.getByText('Denied', { exact: true }).waitFor();
  expect(await page.getByText('Add root to allow.logins of role oncall.').count()).toBe(1);
  await page.getByRole('textbox', { name: 'As optional' }).fill('deploy');
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  await page.getByText('Allowed', { exact: true }).waitFor();
  expect(await page.getByText(/oncall allows it by spec\.allow\.node_labels/).count()).toBe(1);
});

test('a locked user is signed out soon and can come back when the lock is lifted', async () => {
  const context = await browser.newContext();
  const name = await signedInContext(context, gateway, 'carl', 'access');
  const carl = await context.newPage();
  await carl.goto(`${gateway.url}/support`);
  await isInside(carl, name);
  await page.goto(`${gateway.url}/locks`);
  await page.getByRole('button', { name: 'New lock' }).waitFor();
  await page.keyboard.press('n');
  await page.getByLabel('Name of the user').fill(name);
  await page.getByLabel(/Reason/).fill('laptop lost');
  await page.getByRole('button', { name: 'Lock', exact: true }).click();

  expect(await secondsUntil(carl.waitForURL(/\/web\/login/))).toBeLessThan(SOON_SECONDS);
  await page.getByRole('row', { name: new RegExp(`${name}.*laptop lost`) }).waitFor();
  await page.goto(`${gateway.url}/users?open=${name}`);
  await page.getByText(`User ${name} is locked.`).waitFor();
  await page.getByRole('button', { name: 'Lift', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Lift' }).click();
  await page.getByRole('row', { name: new RegExp(`${name}\\b.*Active`) }).waitFor();
  await context.close();
});
