/** Seeks in a recorded desktop of two hours, in Chromium, once its pictures were taken. Nobody waits two hours: the recording is written under a clock of its own. */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSigner } from '@gatehouse/gateway/evidence/audit-log/signing';
import { openSecretBox } from '@gatehouse/gateway/platform/secrets/open-secret-box';
import { silentLog } from '@gatehouse/gateway/platform/std/log';
import { openStorage } from '@gatehouse/gateway/platform/storage/open-storage';
import { insertSession, markEnded } from '@gatehouse/gateway/sessions/host/session-store';
import { desktopSession, recordDesktop } from '@gatehouse/gateway/testing/desktop/record-desktop';
import { launchChromium } from '@gatehouse/testkit/chromium';
import { startGateway } from '@gatehouse/testkit/gateway-process';
import { signedInContext } from '@gatehouse/testkit/signed-in-context';
import type { Page } from 'playwright-core';

const LENGTH_MS = 2 * 3_600_000;
/** Office work: something is drawn every few seconds. */
const EVERY_MS = 8_000;
const SEEKS = 20;
const TAKEN_MS = 300_000;
const CLUSTER = 'localhost';

export async function seekTimes(folder: string): Promise<number[]> {
  const dataDir = join(folder, 'recorded');
  const sid = await fill(dataDir);
  const gateway = await startGateway({ GATEHOUSE_DATA_DIR: dataDir, GATEHOUSE_SECOND_FACTOR: 'off' });
  const browser = await launchChromium();
  try {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    await signedInContext(context, gateway, 'bench', 'editor,auditor', { fetchesAhead: true });
    const page = await context.newPage();
    const began = performance.now();
    const query = `recordingType=desktop&durationMs=${LENGTH_MS}&t=1`;
    await page.goto(`${gateway.url}/cluster/${CLUSTER}/session/${sid}?${query}`);
    await page.locator('[data-player] [data-scale][aria-busy=false]').waitFor();
    await taken(join(dataDir, 'recordings', `${sid}.shots`));
    console.log(`     its pictures were taken in ${((performance.now() - began) / 1_000).toFixed(0)} s`);
    const times: number[] = [];
    for (let round = 0; round < SEEKS; round += 1) times.push(await seek(page, (((round * 37) % 97) + 1) / 100));
    return times;
  } finally {
    await browser.close();
    await gateway.stop();
  }
}

async function fill(dataDir: string): Promise<string> {
  const storage = await openStorage({ dataDir, log: silentLog, now: Date.now });
  const secrets = await openSecretBox(storage.db, { dataDir, log: silentLog });
  const signer = await openSigner(storage.db, secrets, Date.now());
  const created = Date.now() - LENGTH_MS - 60_000;
  const sid = randomUUID();
  const session = desktopSession({ id: sid, cluster: CLUSTER, created });
  const file = await recordDesktop(signer, session, { everyMs: EVERY_MS, untilMs: LENGTH_MS });
  mkdirSync(join(dataDir, 'recordings'), { recursive: true });
  writeFileSync(join(dataDir, 'recordings', `${sid}.rec`), file);
  console.log(`     a recording of two hours: ${(file.length / 1e6).toFixed(1)} MB`);
  const spec = { protocol: 'rdp', addr: '10.0.0.7:3389' };
  const resource = { cluster: CLUSTER, kind: 'desktop' as const, id: 'w', name: 'win-1', labels: {}, spec, owner: '' };
  await storage.db.transaction().execute(async (tx) => {
    await insertSession(tx, {
      ...{ id: sid, cluster: CLUSTER, user: 'ann', signInId: 's', address: '127.0.0.1', request: sid, created },
      action: { type: 'connect', kind: 'desktop', login: 'ann', resource: { ...resource, expires: undefined } },
      ...{
        begun: created,
        connected: created,
        size: { cols: 800, rows: 600 },
        agent: undefined,
        gateway: 'g',
        mfa: false,
        recorded: true,
      },
    });
    await markEnded(tx, { id: sid, user: 'ann' }, { cause: 'exited', message: '' }, created + LENGTH_MS);
  });
  await storage.close();
  return sid;
}

async function taken(list: string): Promise<void> {
  for (const ends = performance.now() + TAKEN_MS; ; await sleep(500)) {
    if (existsSync(list) && readFileSync(list, 'utf8').includes('"complete":true')) return;
    if (performance.now() > ends) throw new Error('its pictures were not taken in time');
  }
}

/** In milliseconds, from a press on the timeline until the picture of that time is drawn. */
function seek(page: Page, share: number): Promise<number> {
  return page.evaluate(
    (given) =>
      new Promise<number>((resolve) => {
        const slider = document.querySelector<HTMLElement>('[role=slider]');
        const place = document.querySelector('[data-player] [data-scale]');
        if (!slider || !place) throw new Error('no player');
        const { left, top, width } = slider.getBoundingClientRect();
        const at = { clientX: left + width * given, clientY: top + 10, button: 0, pointerId: 1, bubbles: true };
        const began = performance.now();
        slider.setPointerCapture = () => {};
        slider.dispatchEvent(new PointerEvent('pointerdown', at));
        let wasBusy = false;
        const watch = new MutationObserver(() => {
          wasBusy ||= place.getAttribute('aria-busy') === 'true';
        });
        watch.observe(place, { attributes: true });
        const look = () => {
          wasBusy ||= place.getAttribute('aria-busy') === 'true';
          // Done before anything could be told of it.
          const isOld = performance.now() - began > 500;
          if ((wasBusy || isOld) && place.getAttribute('aria-busy') === 'false') {
            watch.disconnect();
            resolve(performance.now() - began);
          } else requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      }),
    share,
  );
}
