/** The real Chromium of Debian, and what every page of ours is held against: no console errors, no foreign request, no axe finding. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

/**
 * The first that is there. The shell is the same engine without the windows and toolbars that the whole browser lays out around each
 * page, which cost a third of what a page costs and which nobody looks at.
 */
const PROGRAMS = ['/usr/lib/chromium/chromium-headless-shell', '/usr/bin/chromium'];

/**
 * Chromium draws what drops down from the field of addresses as two pages of its own, in every new window: each costs more than a
 * page of ours, and nobody ever looks at them.
 */
const UNSEEN = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'];
/** What Playwright switches off for tests: of two such lists Chromium takes the last, which is ours. */
const OFF_FOR_TESTS = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
];

/** V8 compiles what runs often a second and a third time, which a page pays back only when it lives on for a while. */
const UNOPTIMIZED = '--js-flags=--no-maglev --no-turbofan';

interface ChromiumOptions {
  /** For whoever walks from page to page and computes much on none: each costs a tenth less. */
  shortPages?: boolean;
}

export function launchChromium({ shortPages = false }: ChromiumOptions = {}): Promise<Browser> {
  const executablePath = PROGRAMS.find((program) => existsSync(program));
  if (!executablePath) throw new Error("Chromium is missing: install Debian's package 'chromium'");
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      ...(shortPages ? [UNOPTIMIZED] : []),
      `--disable-features=${[...OFF_FOR_TESTS, ...UNSEEN].join(',')}`,
    ],
  });
}

export const WIDTHS = { desktop: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } } as const;
export const THEMES = ['dark', 'light'] as const;

export interface WatchedPage {
  page: Page;
  /** Errors the page wrote to its console, and requests it made to another origin. */
  complaints: string[];
}

/** A page that keeps a list of what it did wrong. */
export async function watchedPage(context: BrowserContext, origin: string): Promise<WatchedPage> {
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`console: ${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !/^(data|blob):/.test(url)) complaints.push(`foreign request: ${url}`);
  });
  return { page, complaints };
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeFinding {
  id: string;
  help: string;
  target: string[];
}

const EVERY_RULE = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'];
/** What of a page its theme decides. */
const RULES_OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/** What axe finds wrong with the page by the WCAG 2 A and AA rules, or by those of colours alone, one line a finding. */
export async function axeFindings(page: Page, looksAt: 'everything' | 'colours' = 'everything'): Promise<string[]> {
  const runOnly = JSON.stringify(looksAt === 'everything' ? EVERY_RULE : RULES_OF_COLOURS);
  // Evaluated through the debugger, which our Content Security Policy does not concern.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axeSource);
  // What is in order is not told of: to write all of it down takes as long as to look at it.
  const findings = (await page.evaluate(
    `axe.run(document, { runOnly: ${runOnly}, resultTypes: ['violations'] })
      .then(({ violations }) => violations.flatMap(({ id, help, nodes }) => nodes.map(({ target }) => ({ id, help, target }))))`,
  )) as AxeFinding[];
  return findings.map(({ id, help, target }) => `${id}: ${help} at ${target.join(' ')}`);
}

/** Chooses a theme in a page that is open, as another tab of the same browser would. */
export async function showTheme(page: Page, theme: (typeof THEMES)[number]): Promise<void> {
  await page.evaluate((chosen) => {
    localStorage.setItem('theme', chosen);
    if (chosen === 'dark') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = chosen;
    window.dispatchEvent(new StorageEvent('storage', { key: 'theme', newValue: chosen }));
  }, theme);
}

/** Terminals are drawn on a canvas where there is WebGL, and what is on a canvas cannot be read. */
export async function drawWithElements(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const original = HTMLCanvasElement.prototype.getContext as (this: HTMLCanvasElement, kind: string) => unknown;
    HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, kind: string, ...rest: []) {
      return kind.startsWith('webgl') ? null : original.call(this, kind, ...rest);
    } as typeof HTMLCanvasElement.prototype.getContext;
  });
}
