/** What the tests of enrolling share: a gateway with nothing in it, a browser, people, agents as install scripts start them, and the moves that flows have in common. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchChromium, WIDTHS, watchedPage } from '@gatehouse/testkit/chromium';
import { cleanEnvironment, ended, type GatewayProcess, ROOT, startGateway } from '@gatehouse/testkit/gateway-process';
import { signedInContext } from '@gatehouse/testkit/signed-in-context';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';

interface PersonOptions {
  viewport?: { width: number; height: number };
  roles?: string;
  /** Accounts on servers. */
  logins?: readonly string[];
}

export interface DiscoverWorld {
  gateway: GatewayProcess;
  /** In a browser of their own, which lasts as long as the world. */
  person(options?: PersonOptions): Promise<Person>;
  /** What an install script starts at its end, with what it writes into the agent's file; ended with the test. */
  startAgent(token: string, name: string, file?: string): void;
  close(): Promise<void>;
}

export async function startDiscoverWorld(): Promise<DiscoverWorld> {
  const [gateway, browser] = await Promise.all([
    startGateway({ GATEHOUSE_SECOND_FACTOR: 'off' }),
    launchChromium({ shortPages: true }),
  ]);
  return {
    gateway,
    person: (options) => openPerson(gateway, browser, options),
    startAgent: (token, name, file) => startAgent(gateway, { token, name, file }),
    async close() {
      await browser.close();
      await gateway.stop();
    },
  };
}

/** One that is stopped when the test is over. */
export async function started<T extends { stop(): Promise<unknown> }>(start: Promise<T>): Promise<T> {
  const real = await start;
  onTestFinished(async () => void (await real.stop()));
  return real;
}

export interface Person {
  page: Page;
  main: Locator;
  context: BrowserContext;
  complaints: string[];
  /** The page of enrolling, with this behind the question mark. */
  at(search?: string): Promise<unknown>;
  describe(flow: string): Promise<void>;
  heading(name: string | RegExp): Promise<void>;
  field(name: string | RegExp): Locator;
  press(name: string): Promise<void>;
  /** The step that the address names. */
  step(): string | null;
  tokenIn(command: string): Promise<string>;
  addName(label: string, name?: string): Promise<void>;
  believe(ca: string): Promise<void>;
  describeDatabase(database: DescribedDatabase): Promise<void>;
  tryDraft(): Promise<{ ok: number; text: string; stops: boolean }>;
  /** Tests it as somebody where that is asked, and goes on to the last step. Gives the hops that the picture names. */
  testToTheEnd(name: string, choose?: () => Promise<unknown>): Promise<string>;
}

export interface DescribedDatabase {
  name: string;
  address: string;
  ca?: string;
  user: string;
  password: string;
}

async function openPerson(
  gateway: GatewayProcess,
  browser: Browser,
  { viewport = WIDTHS.desktop, roles = 'editor,access', logins = [] }: PersonOptions = {},
): Promise<Person> {
  const context = await browser.newContext({ viewport, reducedMotion: 'reduce' });
  await signedInContext(context, gateway, 'person', roles, { logins });
  const { page, complaints } = await watchedPage(context, gateway.origin);
  const main = page.getByRole('main');
  const at = (search = '') => page.goto(`${gateway.url}/discover${search}`);
  const heading = (name: string | RegExp) => page.getByRole('heading', { name }).waitFor();
  const field = (name: string | RegExp) => main.getByRole('textbox', { name, exact: true });
  const press = (name: string) => main.getByRole('button', { name, exact: true }).click();
  const believe = async (ca: string) => {
    await main.getByText('Authority and name of its certificate').click();
    await field(/^Authority of its certificate/).fill(ca);
  };
  return {
    ...{ page, main, context, complaints, at, heading, field, press, believe },
    step: () => new URL(page.url()).searchParams.get('step'),
    async describe(flow) {
      await at(`?flow=${flow}&step=describe`);
      await heading('What is it?');
    },
    async tokenIn(command) {
      const text = await page.getByRole('region', { name: command }).textContent();
      return /scripts\/([0-9a-f]{32})\//.exec(text ?? '')?.[1] ?? '';
    },
    /** What the field proposes, or this. Waits until it counts: two changes of one user at once would be told of each other. */
    async addName(label, name) {
      const input = page.getByLabel(label, { exact: true });
      const another = page.getByRole('button', { name: label.replace(/^Add an?/, 'Another'), exact: true });
      await input.or(another).first().waitFor();
      const isAnother = !(await input.isVisible());
      const listed = main.getByRole('listitem').getByText(name ?? '', { exact: true });
      if (isAnother && (await listed.isVisible())) return;
      if (isAnother) await another.click();
      if (name !== undefined) await input.fill(name);
      await input.press('Enter');
      if (isAnother)
        await main
          .getByRole('listitem')
          .getByText(name ?? '', { exact: true })
          .waitFor();
      else await input.waitFor({ state: 'detached' });
    },
    async describeDatabase({ name, address, ca, user, password }) {
      await field('Address').fill(address);
      await field('Name').fill(name);
      if (ca !== undefined) await believe(ca);
      await field(/^User of the database/).fill(user);
      await main.locator('input[type=password]').fill(password);
      await press('Add database');
      await heading(`Users on ${name}`);
    },
    /** Which steps worked, which failed, and what the picture says. */
    async tryDraft() {
      const way = page.getByRole('region', { name: 'The way there' });
      await way.getByRole('button', { name: /^Test (it|again)$/ }).click();
      const picture = way.getByRole('img', { name: /every hop works|and stops at/ });
      await picture.waitFor();
      const ok = await way.getByRole('img', { name: /^(Worked|Works, but look at it)$/ }).count();
      const stops = /stops at/.test((await picture.getAttribute('aria-label')) ?? '');
      return { ok, stops, text: (await way.textContent()) ?? '' };
    },
    async testToTheEnd(name, choose) {
      await heading(`Test ${name}`);
      await choose?.();
      await press('Test connection');
      await page.getByText('Everything works.').waitFor();
      const hops = await page.getByRole('img', { name: /every hop works/ }).getAttribute('aria-label');
      await press('Go on');
      await heading(`${name} is ready`);
      return hops ?? '';
    },
  };
}

/** The name of an agent is its alone, also of one that is gone. */
function startAgent(
  gateway: GatewayProcess,
  { token, name, file }: { token: string; name: string; file: string | undefined },
): void {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-agent-'));
  const args = ['agent', '--gateway', gateway.origin, '--data-dir', folder, '--name', name];
  if (file !== undefined) {
    writeFileSync(join(folder, 'agent.yaml'), file, { mode: 0o600 });
    args.push('--config', join(folder, 'agent.yaml'));
  }
  const agent = spawn(join(ROOT, 'gatehouse'), args, {
    env: { ...cleanEnvironment(), GATEHOUSE_AGENT_TOKEN: token },
    stdio: 'ignore',
  });
  onTestFinished(async () => {
    await ended(agent, 'SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
}
