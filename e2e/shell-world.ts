/** A gateway with servers, and people in browsers of their own who open terminals on them. */
import { drawWithElements, launchChromium, type WatchedPage, WIDTHS, watchedPage } from '@gatehouse/testkit/chromium';
import { type GatewayProcess, startGateway } from '@gatehouse/testkit/gateway-process';
import { removeUser, signedInContext } from '@gatehouse/testkit/signed-in-context';
import { startSshd, type TestSshd } from '@gatehouse/testkit/sshd';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { applyDocuments } from './access.ts';

export interface PersonOptions extends BrowserContextOptions {
  /** On a canvas, which cannot be read. */
  webgl?: boolean;
  logins?: string;
}

export interface Person extends WatchedPage {
  /** Begins with the one that was asked for. */
  name: string;
  context: BrowserContext;
  /** Goes for good, with every session. */
  leave(): Promise<void>;
}

export interface ShellWorld {
  gateway: GatewayProcess;
  /** Of the first server. */
  serverId: string;
  /** The address of a screen of the cluster. */
  at(path: string): string;
  person(name: string, roles: string, options?: PersonOptions): Promise<Person>;
  /** Opens a terminal on the first server and gives the id of its session. */
  openShell(page: Page): Promise<string>;
  close(): Promise<void>;
}

export async function startShellWorld({
  servers = ['web-01'],
  documents,
}: {
  servers?: readonly string[];
  /** Roles, as YAML. */
  documents?: string;
} = {}): Promise<ShellWorld> {
  const opened: { close(): Promise<void> }[] = [];
  const close = async () => {
    for (const each of opened.toReversed()) await each.close();
  };
  try {
    const gateway = await startGateway({ GATEHOUSE_SECOND_FACTOR: 'off' });
    opened.push({ close: () => gateway.stop() });
    const sshd = await startSshd();
    opened.push({ close: () => sshd.stop() });
    const browser = await launchChromium();
    opened.push(browser);
    const serverId = await addServers(gateway, sshd, servers);
    if (documents) await applyDocuments(gateway, documents);
    const at = (path: string) => `${gateway.url}/cluster/localhost/${path}`;
    return {
      gateway,
      serverId,
      at,
      close,
      person: (name, roles, options = {}) => comeIn({ gateway, browser }, name, roles, options),
      async openShell(page) {
        await page.goto(at(`console/node/${serverId}/root`));
        await page.waitForURL(/\/console\/session\/[0-9a-f-]{36}$/);
        return page.url().split('/').at(-1) ?? '';
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** All of them lead to one machine; gives the id of the first. */
async function addServers(gateway: GatewayProcess, sshd: TestSshd, names: readonly string[]): Promise<string> {
  sshd.trust((await gateway.command('ca', 'export')).stdout.trim().split('\n'));
  for (const name of names) {
    const { code, stderr } = await gateway.command('nodes', 'add', name, sshd.addr);
    if (code !== 0) throw new Error(`nodes add failed: ${stderr}`);
  }
  const { stdout } = await gateway.command('nodes', 'ls', '--format', 'json');
  const found = JSON.parse(stdout) as { id: string; hostname: string }[];
  return found.find(({ hostname }) => hostname === names[0])?.id ?? '';
}

async function comeIn(
  { gateway, browser }: { gateway: GatewayProcess; browser: Browser },
  wanted: string,
  roles: string,
  { webgl = false, logins = 'root', ...options }: PersonOptions,
): Promise<Person> {
  const context = await browser.newContext({ viewport: WIDTHS.desktop, reducedMotion: 'reduce', ...options });
  if (!webgl) await drawWithElements(context);
  const name = await signedInContext(context, gateway, wanted, roles, { logins: logins.split(',') });
  return {
    ...(await watchedPage(context, gateway.origin)),
    name,
    context,
    async leave() {
      await context.close();
      // No gateway lets itself be left without an administrator: the first one stays.
      await removeUser(gateway, name).catch(() => {});
    },
  };
}

/** What stands in a terminal that is drawn with elements. */
export async function text(page: Page): Promise<string> {
  const rows = await page.locator('.xterm-rows > div').allTextContents();
  return rows.join('\n').replaceAll('\u00a0', ' ').trimEnd();
}

export const shows = (page: Page, what: RegExp) => expect.poll(() => text(page)).toMatch(what);

export const prompt = (page: Page) => shows(page, /[#$] ?$/);

/** A terminal takes the focus a moment after it is shown, or after what asked for something has gone: keys go elsewhere till then. */
export const hasFocus = (page: Page) =>
  expect.poll(() => page.evaluate("document.activeElement?.closest('.xterm') != null")).toBe(true);

export async function run(page: Page, command: string): Promise<void> {
  await hasFocus(page);
  await page.keyboard.type(command);
  await page.keyboard.press('Enter');
}

/** A prompt of its own, and nothing of the person's: the history and the prompt of this machine are no part of a test. */
export async function makeReady(page: Page): Promise<void> {
  await prompt(page);
  await run(page, `unset HISTFILE; PS1='ready$ '; clear`);
  await shows(page, /^ready\$$/);
}
