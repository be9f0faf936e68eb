import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { axeFindings, launchChromium, THEMES, WIDTHS, watchedPage } from '@gatehouse/testkit/chromium';
import { ROOT } from '@gatehouse/testkit/gateway-process';
import type { Browser } from 'playwright-core';
import { build, type PreviewServer, preview } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';

let browser: Browser;
let server: PreviewServer;
let address: string;
const outDir = mkdtempSync(join(tmpdir(), 'gatehouse-gallery-'));

beforeAll(async () => {
  const root = join(ROOT, 'packages', 'design');
  await build({ root, logLevel: 'error', build: { outDir, emptyOutDir: true } });
  server = await preview({ root, logLevel: 'error', build: { outDir }, preview: { host: '127.0.0.1', port: 0 } });
  const bound = server.httpServer.address();
  address = `http://127.0.0.1:${typeof bound === 'object' && bound ? bound.port : 0}`;
  browser = await launchChromium({ shortPages: true });
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
  rmSync(outDir, { recursive: true, force: true });
});

test.each(THEMES.flatMap((theme) => Object.entries(WIDTHS).map(([name, viewport]) => ({ theme, name, viewport }))))(
  'the gallery shows every component without a finding, $theme at $name width',
  async ({ theme, viewport }) => {
    const context = await browser.newContext({ viewport, reducedMotion: 'reduce' });
    const { page, complaints } = await watchedPage(context, address);
    await page.goto(`${address}/gallery.html?theme=${theme}`);
    await page.locator('h1').first().waitFor();

    expect(await page.locator('h2').count()).toBeGreaterThan(8);
    expect(await axeFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  },
);
