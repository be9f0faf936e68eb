/**
 * `npm run fuzz -- TARGET… [--minutes N] [--seed N]`: throws hostile bytes at a real gateway process. Fails when it exits, when it answers
 * nothing for more than a second, or when it keeps what it was made to hold.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createRandom, type Random } from './random.ts';
import type { FuzzTarget } from './target.ts';
import { agent } from './targets/agent.ts';
import { compatDesktops } from './targets/compat-desktops.ts';
import { databases } from './targets/databases.ts';
import { desktopSignIns } from './targets/desktop-sign-ins.ts';
import { desktops } from './targets/desktops.ts';
import { http1 } from './targets/http1.ts';
import { http2 } from './targets/http2.ts';
import { kube } from './targets/kube.ts';
import { kubeLists } from './targets/kube-lists.ts';
import { native } from './targets/native.ts';
import { pictures } from './targets/pictures.ts';
import { relay } from './targets/relay.ts';
import { sftp } from './targets/sftp.ts';
import { ssh } from './targets/ssh.ts';
import { upstream } from './targets/upstream.ts';
import { vnc } from './targets/vnc.ts';
import { websocket } from './targets/websocket.ts';
import { startVictim, type Victim } from './victim.ts';
import { type Watcher, watch } from './watcher.ts';

const TARGETS: readonly FuzzTarget[] = [
  http1,
  websocket,
  agent,
  ssh,
  databases,
  http2,
  upstream,
  native,
  kube,
  kubeLists,
  desktops,
  compatDesktops,
  vnc,
  pictures,
  desktopSignIns,
  sftp,
  relay,
];
const MAX_STALL_MS = 1_000;
/** Above what it held before: caches that fill up once, and code that was compiled. */
const MAX_KEPT_BYTES = 48 * 2 ** 20;
const MAX_KEPT_DESCRIPTORS = 40;
const MAX_RESIDENT_BYTES = 1_200 * 2 ** 20;
/** Terminals that nobody ended wait for their people, recordings are put away: then everything must be back. */
const COME_BACK_MS = 45_000;
/** A target that throws less does not reach what it is meant for, and would pass whatever stands there. */
const MIN_THROWN_PER_SECOND = 20;
/** A machine that is busy with other things throws slower: it gets so many times as long before that is said of a target. */
const MAX_STRETCH = 12;
const WARM_UP_SHARE = 0.25;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { minutes: { type: 'string', default: '1' }, seed: { type: 'string' } },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 32));
const minutes = Number(values.minutes);
const wanted =
  positionals.length === 0 || positionals.includes('all')
    ? TARGETS
    : TARGETS.filter(({ name }) => positionals.includes(name));
const unknown = positionals.filter((name) => name !== 'all' && !TARGETS.some((target) => target.name === name));
if (unknown.length > 0 || !(minutes > 0 && minutes <= 600) || !Number.isInteger(seed)) {
  process.stderr.write(
    `usage: npm run fuzz -- [TARGET…] [--minutes N] [--seed N]; targets: ${TARGETS.map(({ name }) => name).join(', ')}, or all\n`,
  );
  process.exit(2);
}

let failed = 0;
for (const secure of [false, true]) {
  const targets = wanted.filter((target) => target.secure === secure);
  if (targets.length === 0) continue;
  const victim = await startVictim({ secure });
  const watcher = watch({ diagPort: victim.diagPort, pid: victim.process.pid() });
  try {
    for (const target of targets) {
      const problems = await run(target, victim, watcher, (minutes * 60_000) / wanted.length);
      if (problems.length === 0) continue;
      failed += 1;
      for (const problem of problems) process.stdout.write(`  FAILED: ${problem} (--seed ${seed})\n`);
      if (!victim.alive()) break;
    }
  } finally {
    await watcher.stop();
    await victim.stop();
  }
}
process.stdout.write(failed === 0 ? 'nothing broke\n' : `${failed} targets broke something\n`);
process.exit(failed === 0 ? 0 : 1);

async function run(target: FuzzTarget, victim: Victim, watcher: Watcher, ms: number): Promise<string[]> {
  const random = createRandom(seed);
  const thrower = await target.prepare(victim, random);
  const problems: string[] = [];
  let thrown = 0;
  let peak = 0;
  const enough = (ms / 1000) * MIN_THROWN_PER_SECOND;
  const throwFor = async (forMs: number, least = 0) => {
    const begun = performance.now();
    const goesOn = () => {
      const forSoLong = performance.now() - begun;
      return forSoLong < forMs || (thrown < least && forSoLong < forMs * MAX_STRETCH);
    };
    const look = setInterval(() => {
      if (victim.alive()) peak = Math.max(peak, victim.residentBytes());
    }, 250);
    const one = async (own: Random) => {
      while (goesOn() && victim.alive() && peak < MAX_RESIDENT_BYTES) {
        const count = await thrower.throwOnce(own);
        // Read only now: others have added theirs meanwhile.
        thrown += count;
      }
    };
    await Promise.all(Array.from({ length: target.throwers }, () => one(random.fork())));
    clearInterval(look);
  };

  await watcher.look();
  await throwFor(ms * WARM_UP_SHARE);
  const before = victim.alive() ? await settled(victim) : undefined;
  await throwFor(ms * (1 - WARM_UP_SHARE), enough);
  const { longestMs, answered } = await watcher.look();
  const alive = victim.alive();
  if (!alive) problems.push(`the gateway exited; it printed:\n${victim.process.output().slice(-3000)}`);
  if (alive && longestMs > MAX_STALL_MS) problems.push(`it answered nothing for ${longestMs.toFixed(0)} ms`);
  if (peak >= MAX_RESIDENT_BYTES) problems.push(`its memory rose to ${inMegabytes(peak)}`);
  if (alive && thrown < enough) problems.push(`only ${thrown} ${target.what} were thrown`);
  await thrower.close();
  let kept = '';
  if (alive && before) {
    const after = await comeBack(victim, before);
    kept = `, kept ${inMegabytes(after.bytes - before.bytes)} and ${after.descriptors - before.descriptors} descriptors`;
    if (after.bytes > before.bytes + MAX_KEPT_BYTES) problems.push(`memory does not come back${kept}`);
    if (after.descriptors > before.descriptors + MAX_KEPT_DESCRIPTORS)
      problems.push(`descriptors do not come back${kept}: ${victim.descriptorKinds()}`);
  }
  const figures = `longest silence ${longestMs.toFixed(0)} ms in ${answered} answers, peak ${inMegabytes(peak)}${kept}`;
  process.stdout.write(`${target.name}: ${thrown} ${target.what} in ${(ms / 1000).toFixed(0)} s; ${figures}\n`);
  return problems;
}

/** What it holds when nothing is under way. */
async function settled(victim: Victim) {
  await sleep(1_000);
  return victim.holds();
}

async function comeBack(victim: Victim, before: Awaited<ReturnType<Victim['holds']>>) {
  const until = performance.now() + COME_BACK_MS;
  for (;;) {
    const now = await settled(victim);
    const back =
      now.bytes <= before.bytes + MAX_KEPT_BYTES && now.descriptors <= before.descriptors + MAX_KEPT_DESCRIPTORS;
    if (back || performance.now() > until) return now;
  }
}

function inMegabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(0)} MB`;
}
