import { axeFindings, launchChromium, THEMES, WIDTHS, watchedPage } from '@gatehouse/tools/chromium';
import { type GatewayProcess, startGateway } from '@gatehouse/tools/gateway-process';
import { signedInContext } from '@gatehouse/tools/signed-in-context';
import { startSshd, type TestSshd } from '@gatehouse/tools/sshd';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';

let gateway: GatewayProcess;
let sshd: TestSshd;
let browser: Browser;
let serverId = '';

beforeAll(async () => {
  gateway = await startGateway({ GATEHOUSE_SECOND_FACTOR: 'off' });
  sshd = await startSshd();
  browser = await launchChromium();
  sshd.trust((await gateway.command('ca', 'export')).stdout.trim().split('\n'));
  for (const name of ['web-01', 'db-01']) await gateway.command('nodes', 'add', name, sshd.addr);
  const { stdout } = await gateway.command('nodes', 'ls', '--format', 'json');
  serverId =
    (JSON.parse(stdout) as { id: string; hostname: string }[]).find(({ hostname }) => hostname === 'web-01')?.id ?? '';
});
afterAll(async () => {
  await browser?.close();
  await sshd?.stop();
  await gateway?.stop();
});

let people = 0;

interface OpenOptions extends NonNullable<Parameters<Browser['newContext']>[0]> {
  webgl?: boolean;
}

/** Without WebGL terminals are drawn with elements, which can be read. */
async function openAs({ webgl = false, ...options }: OpenOptions = {}) {
  people += 1;
  const name = `typist-${people}`;
  const context = await browser.newContext({ viewport: WIDTHS.desktop, reducedMotion: 'reduce', ...options });
  if (!webgl) {
    await context.addInitScript(() => {
      const original = HTMLCanvasElement.prototype.getContext as (this: HTMLCanvasElement, kind: string) => unknown;
      HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, kind: string, ...rest: []) {
        return kind.startsWith('webgl') ? null : original.call(this, kind, ...rest);
      } as typeof HTMLCanvasElement.prototype.getContext;
    });
  }
  await signedInContext(context, gateway, name, 'editor,access');
  await gateway.command('users', 'edit', name, '--logins=root,nobody');
  const watched = await watchedPage(context, gateway.origin);
  const open = async () => {
    await watched.page.goto(`${gateway.url}/cluster/localhost/console/node/${serverId}/root`);
    await prompt(watched.page);
    // Nothing of the person's own: the history and the prompt of this machine are no part of the test.
    await run(watched.page, `unset HISTFILE; PS1='ready$ '; clear`);
    await shows(watched.page, /^ready\$$/);
  };
  return { ...watched, context, open };
}

const text = async (page: Page) => {
  const rows = await page.locator('.xterm-rows > div').allTextContents();
  return rows.join('\n').replaceAll('\u00a0', ' ').trimEnd();
};
const shows = (page: Page, what: RegExp) => expect.poll(() => text(page), { timeout: 20_000 }).toMatch(what);
const prompt = (page: Page) => shows(page, /[#$] ?$/);
const run = async (page: Page, command: string) => {
  await page.keyboard.type(command);
  await page.keyboard.press('Enter');
};
const connected = (page: Page) => page.getByRole('status').getByText('Connected').waitFor();
const tabs = (page: Page) => page.getByRole('navigation', { name: 'Terminals' }).getByRole('listitem');

test('a prompt, typing, finding, and the same shell after a reload', async () => {
  const { page, complaints, context, open } = await openAs();
  await open();
  await page.waitForURL(/\/console\/session\/[0-9a-f-]{36}$/);
  expect(await page.title()).toBe('localhost • root@web-01');
  await run(page, 'kept=yes; for i in 1 2 3; do echo "match $i"; done');
  await shows(page, /match 3/);

  await page.keyboard.press('Control+Shift+F');
  await page.keyboard.type('match');
  await page.getByText(/of 4$/).waitFor();
  await page.keyboard.press('Escape');
  await run(page, `printf '\\033[38;2;255;0;0mred\\033[0m\\n'`);
  const red = page.locator('.xterm-rows span', { hasText: /^red$/ });
  await expect
    .poll(() => red.last().evaluate((span) => getComputedStyle(span).color))
    .toMatch(/^rgb\(2\d\d, \d+, \d+\)$/);

  await page.reload();
  await shows(page, /match 3/);
  await connected(page);
  await run(page, 'echo "still $kept"');
  await shows(page, /still yes/);
  await context.close();
  expect(complaints).toEqual([]);
});

test('what is pasted in several lines is shown first, without what would run it at once', async () => {
  const { page, context, open } = await openAs();
  await open();
  const paste = (pasted: string) =>
    page.evaluate((given) => {
      const data = new DataTransfer();
      data.setData('text/plain', given);
      const event = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true });
      document.activeElement?.dispatchEvent(event);
    }, pasted);

  await paste('echo one line');
  await shows(page, /ready\$ echo one line$/);
  await page.keyboard.press('Control+C');
  await shows(page, /\^C\s+ready\$$/);
  await paste('echo first\u001b[201~\necho second\n');
  const dialog = page.getByRole('dialog', { name: 'Paste 2 lines?' });
  await dialog.getByText('Control characters').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await paste('echo a$((1+1))\necho b$((1+2))\n');
  await page.getByRole('dialog').getByRole('button', { name: 'Paste' }).click();
  await page.keyboard.press('Enter');
  await shows(page, /a2\n[\s\S]*b3/);
  expect(await text(page)).not.toMatch(/second/);
  await context.close();
});

test('several terminals: tabs and panes of their own shells, kept by a reload, closed with a question', async () => {
  const { page, context, open } = await openAs();
  await open();
  await run(page, 'mine=first');
  await page.keyboard.press('Alt+Shift+N');
  await page.getByRole('button', { name: 'Open root@db-01' }).click();
  await expect.poll(() => tabs(page).count()).toBe(2);
  await prompt(page);
  await page.getByRole('button', { name: 'Split right' }).click();
  await expect.poll(() => page.getByRole('region', { name: 'root@db-01' }).count()).toBe(2);
  await expect.poll(() => tabs(page).count()).toBe(2);
  await page.keyboard.press('Alt+Shift+W');
  await expect.poll(() => page.getByRole('region', { name: 'root@db-01' }).count()).toBe(1);

  await page.reload();
  await expect
    .poll(() => tabs(page).allTextContents())
    .toEqual([expect.stringContaining('root@web-01'), expect.stringContaining('root@db-01')]);
  await prompt(page);
  await page.keyboard.press('Alt+Shift+ArrowLeft');
  await shows(page, /mine=first/);
  await run(page, 'echo "has $mine"');
  await shows(page, /has first/);

  await run(page, 'less /etc/passwd');
  await shows(page, /root:x:0:0/);
  await page.keyboard.press('Alt+Shift+W');
  await page.getByRole('dialog', { name: 'Close root@web-01?' }).getByRole('button', { name: 'Close and end' }).click();
  await expect.poll(() => tabs(page).count()).toBe(1);
  await context.close();
});

test('a lost network is said and survived; a shell that ends says so and can be opened again', async () => {
  const { page, context, open } = await openAs();
  await open();
  await context.setOffline(true);
  await page.evaluate(() => window.dispatchEvent(new Event('online')));
  await page.getByText(/^Connection lost/).waitFor();
  await page.keyboard.type('echo typed while away');
  await context.setOffline(false);
  await connected(page);
  await shows(page, /ready\$ echo typed while away$/);
  // What is typed before the shell is back from an interrupt, it throws away.
  await page.keyboard.press('Control+C');
  await shows(page, /\^C\s+ready\$$/);

  await run(page, 'exit 3');
  await page.getByText('The shell has exited with code 3').waitFor();
  await page.getByRole('button', { name: 'Open again' }).click();
  await prompt(page);
  await context.close();
});

test('with WebGL it is drawn on a canvas, and the policy of the page has nothing to say', async () => {
  const { page, complaints, context } = await openAs({ webgl: true });
  await page.goto(`${gateway.url}/cluster/localhost/console/node/${serverId}/root`);
  await connected(page);
  await page.locator('.xterm canvas').first().waitFor();
  await context.close();

  expect(complaints).toEqual([]);
});

const CASES = THEMES.flatMap((theme) =>
  Object.entries(WIDTHS).map(([width, viewport]) => ({ theme, width, viewport })),
);

test.each(CASES)('every state is accessible, quiet and fits, $theme at $width width', async ({ theme, viewport }) => {
  const { page, complaints, context, open } = await openAs({ viewport, colorScheme: theme });
  const found: string[] = [];
  const look = async (what: string) => {
    const overflow = (await page.evaluate('document.documentElement.scrollWidth - innerWidth')) as number;
    found.push(...(await axeFindings(page)).map((finding) => `${what}: ${finding}`));
    if (overflow > 0) found.push(`${what}: ${overflow} px too wide`);
  };
  await open();
  await look('terminal');
  await page.getByRole('button', { name: 'Find' }).click();
  await page.keyboard.type('ready');
  await page.getByText(/of \d+$/).waitFor();
  await look('finding');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Terminal options' }).click();
  await page.getByRole('menuitemradio', { name: theme === 'dark' ? 'Light' : 'Dark' }).click();
  await look('the other theme');
  await page.getByRole('button', { name: 'New terminal' }).click();
  await page.getByRole('button', { name: 'Open root@db-01' }).waitFor();
  await look('new terminal');
  await page.getByRole('button', { name: 'Open root@db-01' }).click();
  await prompt(page);
  await run(page, 'exit');
  await page.getByText('The shell has exited').waitFor();
  await look('ended');
  await context.close();

  expect(found).toEqual([]);
  expect(complaints).toEqual([]);
});
