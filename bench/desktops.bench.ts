/** What a desktop costs through the gateway, beside xfreerdp at the same xrdp in the same run: frames, keys, first pictures, rest, seeks and recordings. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { median, runPhases, verdict } from './bench-frame.ts';
import { requirePrograms } from './bench-world.ts';
import { openBareWay } from './desktops-bare.ts';
import { type Drawing, draw } from './desktops-drawing.ts';
import { openHosted } from './desktops-hosted.ts';
import { recordedMinutes } from './desktops-recording.ts';
import { clockMs, type PageScreen, type Screen, StraightScreen } from './desktops-screens.ts';
import { seekTimes } from './desktops-seek.ts';
import { openDesktopTab } from './desktops-tab.ts';
import { type DesktopBenchWorld, startWorld } from './desktops-world.ts';
import { openMeter } from './terminal-memory.ts';
import { wantedPhases } from './wanted-phases.ts';

const LIMITS = {
  frames: 0.7,
  keyAddedMs: 10,
  keyMs: 40,
  pduP99Ms: 3,
  firstMs: 2_000,
  attachMs: 1_500,
  sessionMegabytes: 3,
  sessionShare: 0.001,
  seekMs: 1_000,
  officeMegabytes: 6,
};
const ROUNDS = 3;
const DRAWN_SECONDS = 8;
/** Of them, so that what opening costs is not counted. */
const SETTLED_MS = 2_000;
const COUNTED_MS = 5_000;
const KEYS = 60;
const KEY_PACE_MS = 80;

const PDUS = 3_000;
const PDU_PACE_MS = 5;
const OPENED = 5;
const AT_REST = 20;
const REST_SECONDS = 20;

const PHASES = {
  frames: measureFrames,
  keys: measureKeys,
  pdus: measurePdus,
  first: measureFirst,
  rest: measureRest,
  seek: measureSeek,
  recording: measureRecording,
};
requirePrograms({ xrdp: '/usr/sbin/xrdp', xvfb: '/usr/bin/Xvfb', 'freerdp2-x11': '/usr/bin/xfreerdp' });
const wanted = wantedPhases(PHASES);
await runPhases(
  'desktops',
  startWorld,
  wanted.map((name) => PHASES[name]),
);

/** One client after the other: a session of xrdp has one at a time, and the second goes on in it. */
async function withPage<Found>(world: DesktopBenchWorld, work: (screen: PageScreen) => Promise<Found>): Promise<Found> {
  const page = await world.openPage();
  try {
    if (page.changes.length === 0) await page.next();
    return await work(page);
  } finally {
    await page.end();
  }
}

async function withStraight<Found>(world: DesktopBenchWorld, work: (screen: Screen) => Promise<Found>): Promise<Found> {
  const screen = await StraightScreen.open(world.xrdp);
  try {
    await screen.next(({ colour }) => colour !== 0);
    return await work(screen);
  } finally {
    await screen.close();
  }
}

async function measureFrames(world: DesktopBenchWorld): Promise<void> {
  for (const drawing of ['animation', 'scrolling'] as const) {
    const count = async (screen: Screen) => {
      const drawn = draw(world.xrdp, drawing, DRAWN_SECONDS);
      await sleep(SETTLED_MS);
      const from = screen.changes.length;
      const began = clockMs();
      await sleep(COUNTED_MS);
      const frames = ((screen.changes.length - from) / (clockMs() - began)) * 1_000;
      await drawn;
      return frames;
    };
    const ratios: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const ours = await withPage(world, count);
      const straight = await withStraight(world, count);
      console.log(`     ${drawing}: ${ours.toFixed(1)} frames a second, xfreerdp ${straight.toFixed(1)}`);
      ratios.push(ours / straight);
    }
    const ratio = median(ratios);
    verdict(`${drawing}: ${ratio.toFixed(2)} of xfreerdp (at least ${LIMITS.frames})`, ratio >= LIMITS.frames);
  }
}

async function measureKeys(world: DesktopBenchWorld): Promise<void> {
  const seconds = 6 + Math.ceil((KEYS * (KEY_PACE_MS + 100)) / 1_000);
  const times = async (screen: Screen) => {
    const begun = screen.next();
    const drawn = draw(world.xrdp, 'keys' satisfies Drawing, seconds);
    await begun;
    await sleep(SETTLED_MS);
    const found: number[] = [];
    for (let key = 0; key < KEYS; key += 1) {
      const changed = screen.next();
      const began = clockMs();
      screen.press();
      found.push((await changed).at - began);
      await sleep(KEY_PACE_MS);
    }
    await drawn;
    return median(found);
  };
  const ours: number[] = [];
  const straight: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    ours.push(await withPage(world, times));
    straight.push(await withStraight(world, times));
    console.log(`     key to pixel p50 ${ours.at(-1)?.toFixed(1)} ms, xfreerdp ${straight.at(-1)?.toFixed(1)} ms`);
  }
  const added = median(ours) - median(straight);
  verdict(
    `a key and its pixel, p50: ${median(ours).toFixed(1)} ms (at most ${LIMITS.keyMs})`,
    median(ours) <= LIMITS.keyMs,
  );
  verdict(`above xfreerdp: ${added.toFixed(1)} ms (below ${LIMITS.keyAddedMs})`, added < LIMITS.keyAddedMs);
}

/** From the host's write to the page's read, with TLS on one side, the socket on the other, and the recording; beside a bare relay, which waits for the machine as well. */
async function measurePdus(world: DesktopBenchWorld): Promise<void> {
  const hosted = await openHosted(world, 1);
  const [session] = hosted.sessions;
  if (!session) throw new Error('no session was opened');
  const bare = await openBareWay();
  const [ours, straight]: [number[], number[]] = [[], []];
  for (let at = 0; at < PDUS; at += 1) {
    ours.push(await session.draw(at));
    straight.push(await bare.pass(4_096));
    await sleep(PDU_PACE_MS);
  }
  await Promise.all([hosted.close(), bare.close()]);
  const told = (times: readonly number[]) =>
    `p50 ${median(times).toFixed(2)} ms, p99 ${atShare(times, 0.99).toFixed(2)} ms`;
  console.log(`     ${PDUS} pictures of 4 KB, from host to page: ${told(ours)}; by a bare relay: ${told(straight)}`);
  const added = atShare(ours, 0.99) - atShare(straight, 0.99);
  verdict(`a PDU in the gateway, p99: ${added.toFixed(2)} ms (below ${LIMITS.pduP99Ms})`, added < LIMITS.pduP99Ms);
}

/** In Chromium, at a host whose session is there: from the address to the first picture, and again after a reload. */
async function measureFirst(world: DesktopBenchWorld): Promise<void> {
  // The first one makes the session of the host.
  await withPage(world, async () => {});
  const tab = await openDesktopTab(world);
  const [first, attached]: [number[], number[]] = [[], []];
  for (let round = 0; round < OPENED; round += 1) {
    first.push(await tab.open());
    attached.push(await tab.reload());
    await tab.leave();
    console.log(`     first picture ${first.at(-1)?.toFixed(0)} ms, after a reload ${attached.at(-1)?.toFixed(0)} ms`);
  }
  await tab.close();
  verdict(
    `the first picture: ${median(first).toFixed(0)} ms (below ${LIMITS.firstMs})`,
    median(first) < LIMITS.firstMs,
  );
  verdict(`attached: ${median(attached).toFixed(0)} ms (below ${LIMITS.attachMs})`, median(attached) < LIMITS.attachMs);
}

async function measureRest(world: DesktopBenchWorld): Promise<void> {
  const meter = await openMeter(world.gateway);
  const draw = async (count: number) => {
    const hosted = await openHosted(world, count);
    for (let at = 0; at < 64; at += 1) await Promise.all(hosted.sessions.map((session) => session.draw(at)));
    return hosted;
  };
  const used = async () => {
    const before = processorMs(world);
    await sleep(REST_SECONDS * 1_000);
    return (processorMs(world) - before) / (REST_SECONDS * 1_000);
  };
  // What the first ones load and make is not what each costs.
  await (await draw(AT_REST)).close();
  await sleep(2_000);
  const [before, idle] = [await meter.read(), await used()];
  const hosted = await draw(AT_REST);
  await sleep(2_000);
  const [after, busy] = [await meter.read(), await used()];
  await hosted.close();
  meter.close();
  const megabytes = (after.usedMb - before.usedMb) / AT_REST;
  const share = (busy - idle) / AT_REST;
  console.log(`     the whole process: ${((after.rssMb - before.rssMb) / AT_REST).toFixed(2)} MB a session`);
  verdict(
    `a session at rest, of ${AT_REST}: ${megabytes.toFixed(2)} MB (at most ${LIMITS.sessionMegabytes})`,
    megabytes <= LIMITS.sessionMegabytes,
  );
  verdict(
    `and ${(share * 100).toFixed(3)} % of a core (below ${LIMITS.sessionShare * 100})`,
    share < LIMITS.sessionShare,
  );
}

async function measureSeek({ folder }: DesktopBenchWorld): Promise<void> {
  const times = await seekTimes(folder);
  const p95 = atShare(times, 0.95);
  verdict(
    `a seek in two hours, of ${times.length}: p50 ${median(times).toFixed(0)} ms, p95 ${p95.toFixed(0)} ms (below ${LIMITS.seekMs})`,
    p95 < LIMITS.seekMs,
  );
}

async function measureRecording(world: DesktopBenchWorld): Promise<void> {
  const { rest, office, animation } = await withPage(world, (page) => recordedMinutes(world, page));
  console.log(`     recorded in a minute: at rest ${rest.toFixed(3)} MB, an animation ${animation.toFixed(1)} MB`);
  verdict(
    `a minute of office work in a recording: ${office.toFixed(1)} MB (at most ${LIMITS.officeMegabytes})`,
    office <= LIMITS.officeMegabytes,
  );
}

function atShare(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
}

function processorMs({ gateway }: DesktopBenchWorld): number {
  const stat = readFileSync(`/proc/${gateway.pid()}/stat`, 'utf8');
  const [user = 0, system = 0] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14).map(Number);
  return (user + system) * 10;
}
