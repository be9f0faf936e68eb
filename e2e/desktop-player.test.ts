import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SEAL_BYTES } from '@gatehouse/gateway/evidence/recordings/format/frames';
import { desktopSession, recordDesktop } from '@gatehouse/gateway/testing/desktop/record-desktop';
import { LAST_PICTURE, LAST_SIZE } from '@gatehouse/gateway/testing/desktop/recorded-pdus';
import { testSigner } from '@gatehouse/gateway/testing/recordings/test-signer';
import { watchedPage } from '@gatehouse/testkit/chromium';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleWorld, startConsoleWorld } from './console-world.ts';

let world: ConsoleWorld;
let context: BrowserContext;
const sid = randomUUID();
const DURATION_MS = 11_384;

beforeAll(async () => {
  world = await startConsoleWorld();
  context = await world.signedIn('maya', 'editor,auditor', { fetchesAhead: false });
  await keepRecording();
});
afterAll(() => world?.close());

/** A session that another gateway had, which ended before its last seal: what xrdp drew, as it was recorded. */
async function keepRecording(): Promise<void> {
  const { dataDir } = world.gateway;
  const created = Date.now() - 60_000;
  const resource = { cluster: 'localhost', kind: 'desktop', id: 'w', name: 'win-1', labels: {} };
  const whole = { ...resource, spec: { protocol: 'rdp', addr: '10.0.0.7:3389' }, owner: '' };
  const file = await recordDesktop(testSigner(), desktopSession({ id: sid, cluster: 'localhost', created }));
  mkdirSync(join(dataDir, 'recordings'), { recursive: true });
  writeFileSync(join(dataDir, 'recordings', `${sid}.rec`), file.subarray(0, file.length - SEAL_BYTES));
  const db = new DatabaseSync(join(dataDir, 'gatehouse.db'));
  const row = {
    ...{ id: sid, cluster: 'localhost', kind: 'desktop', resource_id: 'w', user: 'ann', sign_in: 's', address: '::1' },
    action: JSON.stringify({ type: 'connect', kind: 'desktop', login: 'ann', resource: whole }),
    ...{ request: sid, created, cols: 800, rows: 600, agent: '', gateway: 'g', seen: created },
    ...{ participants: '["ann"]', mfa: 0, recorded: 1, begun: created, frozen: 0, connected: created, interactive: 1 },
    ...{ ended: created + DURATION_MS, end_cause: 'closed', end_message: '' },
  };
  const names = Object.keys(row).map((name) => `"${name}"`);
  db.prepare(`insert into session (${names.join()}) values (${names.map(() => '?').join()})`).run(
    ...Object.values(row),
  );
  db.close();
}

const player = (query = '') =>
  `${world.gateway.origin}/web/cluster/localhost/session/${sid}?recordingType=desktop&durationMs=${DURATION_MS}${query}`;

/** Of what is drawn now, as the fixture has it. */
const picture = (page: Page): Promise<string> =>
  page.evaluate(`(async () => {
    const canvas = document.querySelector('[data-desktop] canvas');
    if (!canvas || !canvas.width) return '';
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', data));
    return [...hash.slice(0, 8)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  })()`);

test('a recorded desktop plays to the picture that was seen, and a seek shows it bit for bit', {
  timeout: 120_000,
}, async () => {
  const { page, complaints } = await watchedPage(context, world.gateway.origin);
  await page.goto(player());
  await page.getByRole('button', { name: 'Play again' }).waitFor({ timeout: 60_000 });
  await expect.poll(() => picture(page)).toBe(LAST_PICTURE);
  const canvas = 'document.querySelector("[data-desktop] canvas")';
  expect(await page.evaluate(`({ width: ${canvas}.width, height: ${canvas}.height })`)).toEqual(LAST_SIZE);
  await page.getByText('1,024 × 640').first().waitFor();

  await page.keyboard.press('Home');
  await expect.poll(() => picture(page), { timeout: 20_000 }).not.toBe(LAST_PICTURE);
  await page.keyboard.press('End');
  await expect.poll(() => picture(page), { timeout: 20_000 }).toBe(LAST_PICTURE);
  // The clipboard is told, and nothing of what it held.
  await page.getByText('12 bytes of the clipboard from the desktop').first().waitFor();
  await page.getByRole('slider', { name: 'Position' }).hover();
  await page.getByRole('slider', { name: 'Position' }).locator('img').waitFor({ timeout: 30_000 });
  expect(complaints).toEqual([]);
  await page.close();
});

test('a link to a second shows that second, also from the list of recordings', async () => {
  const { page, complaints } = await watchedPage(context, world.gateway.origin);
  await page.goto(player('&t=11.39'));
  await expect.poll(() => picture(page), { timeout: 30_000 }).toBe(LAST_PICTURE);
  await page.getByRole('link', { name: 'All recordings' }).click();
  // Its pictures are taken once somebody looks at it.
  const row = page.getByRole('article', { name: /win-1/ });
  await row.locator('img').waitFor({ timeout: 30_000 });
  await page.getByRole('link', { name: /Play .*win-1/ }).click();
  await expect.poll(() => picture(page), { timeout: 30_000 }).not.toBe('');
  expect(complaints).toEqual([]);
  await page.close();
});
