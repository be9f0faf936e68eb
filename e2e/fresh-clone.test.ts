import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchChromium } from '@gatehouse/testkit/chromium';
import { freePort } from '@gatehouse/testkit/free-port';
import { cleanEnvironment, ended, ROOT, ready } from '@gatehouse/testkit/gateway-process';
import { afterAll, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-clone-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('npm start in a fresh clone installs, builds, and serves the login page', { timeout: 600_000 }, async () => {
  const clone = join(folder, 'gatehouse');
  execFileSync('git', ['clone', '--quiet', ROOT, clone], { stdio: 'inherit' });
  // Nobody waits for the agent's Node to be packed, and who packs it anew would still do so when the test is over. What this clone
  // compressed to write the same files is kept by their hashes: the build of the fresh one takes it from there and writes them again.
  for (const kept of [join('.cache', 'agent'), join('.cache', 'compressed')]) {
    if (existsSync(join(ROOT, kept))) cpSync(join(ROOT, kept), join(clone, kept), { recursive: true });
  }
  const port = await freePort();
  const env = { ...cleanEnvironment(), GATEHOUSE_LISTEN: `127.0.0.1:${port}` };

  const npm = spawn('npm', ['start'], { cwd: clone, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  const url = await ready(
    npm,
    (text) => {
      printed += text;
    },
    540_000,
  );
  const browser = await launchChromium();
  const page = await browser.newPage();
  await page.goto(url);
  await page.getByRole('heading', { name: 'Sign in to Gatehouse' }).waitFor();
  const address = page.url();
  await browser.close();
  const code = await ended(npm, 'SIGTERM');

  expect(url).toBe(`http://localhost:${port}/web`);
  expect(address).toContain('/web/login');
  // How to become the first administrator is said where the address is.
  expect(printed).toMatch(/http:\/\/localhost:\d+\/web\/invite\/\S+/);
  expect(code).toBe(0);
  expect(execFileSync('git', ['status', '--porcelain'], { cwd: clone, encoding: 'utf8' })).toBe('');
});
