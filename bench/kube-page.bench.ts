/** How the pages of a Kubernetes cluster bear much: 50,000 pods beside 200 in the same browser, and a log of 60 MB. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { kubeRoutes } from '@gatehouse/contract/kinds/kube/kubernetes';
import { call } from '@gatehouse/contract/wire/client';
import { launchChromium, WIDTHS } from '@gatehouse/testkit/chromium';
import { cleanEnvironment, type GatewayProcess, startGateway } from '@gatehouse/testkit/gateway-process';
import { ownerSend } from '@gatehouse/testkit/owner-send';
import { signedInContext } from '@gatehouse/testkit/signed-in-context';
import type { Browser, Page } from 'playwright-core';
import { median, runPhases, verdict } from './bench-frame.ts';
import { wantedPhases } from './wanted-phases.ts';

const PODS = 50_000;
const LOG_BYTES = 60 * 1024 * 1024;
const WHEELS = 120;
const WHEEL_PX = 900;
const CHANGES = 40;
const CHANGE_PACE_MS = 100;
const KEYS = 'even-4';
const LIMITS = {
  /** Of a frame at 200 rows, where nothing but the browser is measured. */
  frames: 1.5,
  /** What is felt as a halt. */
  haltMs: 200,
  listSeconds: 30,
};
const ROLE = `kind: role
version: v8
metadata: { name: all-pods }
spec:
  allow:
    kubernetes_labels: { env: bench }
    kubernetes_groups: [edit]
    kubernetes_resources: [{ kind: '*', api_group: '*', namespace: '*', name: '*', verbs: ['*'] }]
    rules: [{ resources: [kube_server], verbs: [list, read] }]
`;

interface World {
  cluster: ChildProcess;
  page: Page;
  at(path: string): string;
  close(): Promise<void>;
}

/** Times of frames, and of what kept the page from drawing one for 50 ms or more. */
const WATCH_FRAMES = `
  window.seen = { frames: [], halts: [] };
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.seen.halts.push(duration);
  }).observe({ type: 'longtask' });
  let before = 0;
  const frame = (now) => {
    if (before) window.seen.frames.push(now - before);
    before = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
`;

const PHASES = { rows: measureRows, logs: measureLogs };
const wanted = wantedPhases(PHASES);
await runPhases(
  'kube-page',
  start,
  wanted.map((name) => PHASES[name]),
);

async function start(folder: string): Promise<World> {
  const env = { ...process.env, BENCH_PODS: String(PODS), BENCH_LOG_BYTES: String(LOG_BYTES) };
  const cluster = fork(join(import.meta.dirname, 'kube-cluster.ts'), { env });
  cluster.once('exit', () => process.exit(2));
  const [there] = (await once(cluster, 'message')) as [{ url: string; ca: string; gatewayToken: string }];
  const gateway = await startGateway({ ...cleanEnvironment(), GATEHOUSE_SECOND_FACTOR: 'off' });
  const browser = await launchChromium();
  const page = await openPage(gateway, browser, folder, there);
  return {
    cluster,
    page,
    at: (path) => `${gateway.url}/cluster/localhost/kubernetes/bench${path}`,
    async close() {
      await browser.close();
      await gateway.stop();
      cluster.removeAllListeners('exit');
      cluster.send('stop');
      await once(cluster, 'exit');
    },
  };
}

async function openPage(
  gateway: GatewayProcess,
  browser: Browser,
  folder: string,
  there: { url: string; ca: string; gatewayToken: string },
): Promise<Page> {
  const file = join(folder, 'role.yaml');
  writeFileSync(file, ROLE);
  const { code, stderr } = await gateway.command('apply', '-f', file);
  if (code !== 0) throw new Error(stderr);
  await call(ownerSend(gateway.dataDir), kubeRoutes.add, {
    params: { clusterId: 'localhost' },
    body: {
      ...{ name: 'bench', labels: { env: 'bench' }, server: there.url, ca: there.ca },
      credential: { token: there.gatewayToken },
    },
  });
  const context = await browser.newContext({ viewport: WIDTHS.desktop });
  await signedInContext(context, gateway, 'ann', 'editor,all-pods', { fetchesAhead: true });
  await context.addInitScript(WATCH_FRAMES);
  return await context.newPage();
}

interface Seen {
  frames: number[];
  halts: number[];
}

async function during(page: Page, work: () => Promise<unknown>): Promise<Seen> {
  await page.evaluate('window.seen.frames.length = 0; window.seen.halts.length = 0');
  await work();
  return (await page.evaluate('window.seen')) as Seen;
}

function p95(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? 0;
}

function told({ frames, halts }: Seen): string {
  return `frames p50 ${median(frames).toFixed(0)} ms, p95 ${p95(frames).toFixed(0)} ms; ${halts.length} halts, the longest ${Math.max(0, ...halts).toFixed(0)} ms`;
}

async function wheel(page: Page): Promise<void> {
  const box = await page.locator('[role=grid]').first().boundingBox();
  await page.mouse.move((box?.x ?? 0) + 200, (box?.y ?? 0) + 200);
  for (let turn = 0; turn < WHEELS; turn++) {
    await page.mouse.wheel(0, turn % 12 < 8 ? WHEEL_PX : -WHEEL_PX);
    await sleep(16);
  }
}

async function listed(page: Page, url: string, rows: number): Promise<number> {
  const began = performance.now();
  await page.goto(url);
  await page.locator(`[role=grid][aria-rowcount="${rows + 1}"]`).waitFor({ timeout: 300_000 });
  await page.getByText('Live', { exact: true }).waitFor({ timeout: 300_000 });
  return (performance.now() - began) / 1_000;
}

async function measureRows({ page, at, cluster }: World): Promise<void> {
  await listed(page, at('/pods?ns=kube-system'), 200);
  const few = await during(page, () => wheel(page));
  console.log(`     200 rows: ${told(few)}`);

  let seconds = 0;
  const listing = await (async () => {
    seconds = await listed(page, at('/pods?ns=default'), PODS);
    return (await page.evaluate('window.seen')) as Seen;
  })();
  console.log(`     while they come: ${told(listing)}`);
  verdict(
    `50,000 pods are listed in ${seconds.toFixed(1)} s (at most ${LIMITS.listSeconds})`,
    seconds <= LIMITS.listSeconds,
  );
  await sleep(2_000);
  const many = await during(page, () => wheel(page));
  console.log(`     50,000 rows: ${told(many)}`);
  const ratio = p95(many.frames) / p95(few.frames);
  verdict(
    `scrolling: p95 of frames ${ratio.toFixed(2)} of that at 200 rows (at most ${LIMITS.frames})`,
    ratio <= LIMITS.frames,
  );
  halts('scrolling', many);

  await page.locator('[role=grid] [data-index="0"]').or(page.locator('[role=grid] [data-index]').first()).focus();
  await page.keyboard.press('End');
  await page.locator(`[data-index="${PODS - 1}"]`).waitFor();
  console.log('     End leads to the last of them');

  const changing = await during(page, async () => {
    const scrolled = wheel(page);
    for (let count = 0; count < CHANGES; count++) {
      cluster.send('change');
      await sleep(CHANGE_PACE_MS);
    }
    await scrolled;
  });
  console.log(`     while 200 a second change: ${told(changing)}`);
  halts('scrolling while pods change', changing);

  const typing = await during(page, async () => {
    await page.getByRole('searchbox').first().pressSequentially(KEYS, { delay: 120 });
    await page.waitForFunction((all) => {
      const rows = Number(document.querySelector('[role=grid]')?.getAttribute('aria-rowcount'));
      return rows > 1 && rows < all;
    }, PODS);
  });
  console.log(`     looking for ${KEYS}: ${told(typing)}`);
  halts('typing what is looked for', typing);
}

function halts(what: string, seen: Seen): void {
  const longest = Math.max(0, ...seen.halts);
  verdict(`${what}: the longest halt ${longest.toFixed(0)} ms (at most ${LIMITS.haltMs})`, longest <= LIMITS.haltMs);
}

async function measureLogs({ page, at }: World): Promise<void> {
  await page.goto(at('/pods/kube-public/talker?tab=logs'));
  const filling = await (async () => {
    await page.getByText(/older lines were let go/).waitFor({ timeout: 300_000 });
    return (await page.evaluate('window.seen')) as Seen;
  })();
  console.log(`     while 60 MB of lines come: ${told(filling)}`);
  halts('lines that come', filling);
  await sleep(2_000);
  const box = await page.getByRole('log').boundingBox();
  await page.mouse.move((box?.x ?? 0) + 200, (box?.y ?? 0) + 200);
  const scrolling = await during(page, async () => {
    for (let turn = 0; turn < WHEELS; turn++) {
      await page.mouse.wheel(0, turn % 12 < 8 ? -WHEEL_PX : WHEEL_PX);
      await sleep(16);
    }
  });
  console.log(`     scrolling in 50 MB: ${told(scrolling)}`);
  halts('scrolling in 50 MB of lines', scrolling);
  const finding = await during(page, async () => {
    await page.getByRole('searchbox', { name: 'Find in these lines' }).fill('lazy');
    await page.getByText(/ of [0-9,]{6,}/).waitFor({ timeout: 120_000 });
  });
  console.log(`     finding a word in each line: ${told(finding)}`);
  halts('finding in 50 MB of lines', finding);
}
