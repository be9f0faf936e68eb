/** What a desktop plays, heard by a real browser: samples that xrdp sends come out of its audio, and again after a reload. */
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchChromium, WIDTHS, watchedPage } from '@gatehouse/testkit/chromium';
import { startXrdp, XRDP_TURN_MS } from '@gatehouse/testkit/desktop/xrdp';
import { LEFT_SAMPLE, playSound } from '@gatehouse/testkit/desktop/xrdp-sound';
import { startGateway } from '@gatehouse/testkit/gateway-process';
import { signedInContext } from '@gatehouse/testkit/signed-in-context';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { applyDocuments } from './access.ts';

/** Whatever is connected to the way out is connected to a meter as well: `loudest` is what it has heard. */
const METER = `(() => {
  const connect = AudioNode.prototype.connect;
  AudioNode.prototype.connect = function (target, ...more) {
    const { context } = this;
    if (target === context.destination) {
      const meter = context.meter ??= context.createAnalyser();
      meter.fftSize = 32768;
      connect.call(this, meter);
      window.loudest ??= 0;
      window.metering ??= setInterval(() => {
        const heard = new Float32Array(meter.fftSize);
        meter.getFloatTimeDomainData(heard);
        for (const sample of heard) window.loudest = Math.max(window.loudest, sample);
      }, 100);
    }
    return connect.call(this, target, ...more);
  };
})()`;
const loudest = (page: Page) => page.evaluate<number>('window.loudest ?? 0');
/** An analyser hears both channels as one: half of the left one and little of the right one. */
const LOUD = LEFT_SAMPLE / 0x8000 / 2 - 0.01;

test('what a desktop plays comes out of the browser that asked for it, and again after a reload', {
  timeout: XRDP_TURN_MS,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-sound-'));
  const [gateway, browser, xrdp] = await Promise.all([
    startGateway({ GATEHOUSE_SECOND_FACTOR: 'off' }),
    launchChromium(),
    startXrdp(),
  ]);
  onTestFinished(async () => {
    await browser.close();
    await Promise.all([gateway.stop(), xrdp.stop()]);
    rmSync(folder, { recursive: true, force: true });
  });
  const file = join(folder, 'password');
  writeFileSync(file, xrdp.password, { mode: 0o600 });
  const { fingerprint256 } = new X509Certificate(xrdp.certificate);
  for (const words of [
    ['add', 'desk', xrdp.addr, '--labels', 'env=dev', '--fingerprint', fingerprint256],
    ['password', 'desk', xrdp.user, '--password-file', file],
  ])
    expect((await gateway.command('desktops', ...words)).code).toBe(0);
  await applyDocuments(
    gateway,
    `kind: role
version: v8
metadata: { name: desk }
spec: { allow: { windows_desktop_labels: { env: dev }, windows_desktop_logins: [${xrdp.user}] } }
`,
  );
  const context = await browser.newContext({ viewport: WIDTHS.desktop, reducedMotion: 'reduce' });
  await context.addInitScript(METER);
  await signedInContext(context, gateway, 'ann', 'desk');
  const { page, complaints } = await watchedPage(context, gateway.origin);
  await page.goto(`${gateway.url}/cluster/localhost/desktops/desk/${xrdp.user}`);
  const drawn = () =>
    expect
      .poll(
        () =>
          page.evaluate(`(() => {
            const canvas = document.querySelector('canvas');
            const context = canvas && canvas.width > 0 && canvas.getContext('2d');
            return context ? context.getImageData(canvas.width - 20, canvas.height - 20, 1, 1).data[2] : 0;
          })()`),
        { timeout: 30_000 },
      )
      .toBeGreaterThan(0);
  await drawn();
  const heard = async () => {
    await playSound(xrdp);
    return await loudest(page);
  };
  await heard();
  expect(await loudest(page)).toBe(0);
  await page.keyboard.press('Control+Alt+Home');
  await page.getByRole('button', { name: 'Clipboard, folder, sound and people' }).click();
  await page.getByRole('switch', { name: 'Play what the desktop plays' }).click();
  // Its door opens some time after its screen.
  await expect.poll(heard, { timeout: 60_000, interval: 500 }).toBeGreaterThan(LOUD);

  await page.reload();
  await drawn();
  // Browsers want a touch before they play anything.
  await page.keyboard.press('Shift');
  await expect.poll(heard, { timeout: 60_000, interval: 500 }).toBeGreaterThan(LOUD);
  await page.keyboard.press('Control+Alt+Home');
  await page.getByRole('button', { name: 'Clipboard, folder, sound and people' }).click();
  const isOn = page.getByRole('switch', { name: 'Play what the desktop plays' });
  expect(await isOn.isChecked()).toBe(true);
  await isOn.click();
  await page.reload();
  await drawn();
  await page.keyboard.press('Shift');
  await heard();
  expect(await loudest(page)).toBe(0);
  expect(complaints).toEqual([]);
});
