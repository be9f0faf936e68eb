/** What a desktop costs through the gateway, beside xfreerdp at the same xrdp (and vncviewer at the same TigerVNC) in the same run: frames, keys, first pictures, rest, seeks and recordings. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { median, runPhases, verdict } from './bench-frame.ts';
import { requirePrograms } from './bench-world.ts';
import { openBareWay } from './desktops-bare.ts';
import { type Compared, compareFrames, compareKeys } from './desktops-compared.ts';
import { draw } from './desktops-drawing.ts';
import { openHosted } from './desktops-hosted.ts';
import { recordedMinutes } from './desktops-recording.ts';
import { freerdpWords, type PageScreen, type Screen, StraightScreen } from './desktops-screens.ts';
import { seekTimes } from './desktops-seek.ts';
import { openDesktopTab } from './desktops-tab.ts';
import { vncBeside } from './desktops-vnc.ts';
import { type DesktopBenchWorld, startWorld } from './desktops-world.ts';
import { openMeter } from './terminal-memory.ts';
import { wantedPhases } from './wanted-phases.ts';

const LIMITS = {
  pduP99Ms: 3,
  firstMs: 2_000,
  attachMs: 1_500,
  sessionMegabytes: 3,
  sessionShare: 0.001,
  seekMs: 1_000,
  officeMegabytes: 6,
};
const PDUS = 3_000;
const PDU_PACE_MS = 5;
const OPENED = 5;
const AT_REST = 20;
const REST_SECONDS = 20;

const PHASES = {
  frames: (world: DesktopBenchWorld) => compareFrames(besideFreerdp(world)),
  keys: (world: DesktopBenchWorld) => compareKeys(besideFreerdp(world)),
  vnc: measureVnc,
  pdus: measurePdus,
  first: measureFirst,
  rest: measureRest,
  seek: measureSeek,
  recording: measureRecording,
};
requirePrograms({ xrdp: '/usr/sbin/xrdp', xvfb: '/usr/bin/Xvfb', 'freerdp2-x11': '/usr/bin/xfreerdp' });
const wanted = wantedPhases(PHASES);
if (wanted.includes('vnc')) requirePrograms({ 'tigervnc-viewer': '/usr/bin/vncviewer', xdotool: '/usr/bin/xdotool' });
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
  const screen = await StraightScreen.open('xfreerdp', freerdpWords(world.xrdp));
  try {
    await screen.next(({ colour }) => colour !== 0);
    return await work(screen);
  } finally {
    await screen.close();
  }
}

/** At the same xrdp. */
function besideFreerdp(world: DesktopBenchWorld): Compared {
  return {
    beside: 'xfreerdp',
    withPage: (work) => withPage(world, work),
    withStraight: (work) => withStraight(world, work),
    draw: (drawing, seconds) => draw(world.xrdp, drawing, seconds),
  };
}

/** The same of VNC, in Chromium, beside the viewer of TigerVNC. */
async function measureVnc(world: DesktopBenchWorld): Promise<void> {
  const beside = await vncBeside(world);
  try {
    await compareFrames(beside);
    await compareKeys(beside);
  } finally {
    await beside.close();
  }
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
