/** Terminals through a gateway that records them, against `ssh` to the same sshd in the same run: throughput, echo, memory, opening. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeOsUsers } from '@gatehouse/testkit/os-users';
import { clicksToPrompt } from './terminal-click.ts';
import { stopsByKey } from './terminal-flood.ts';
import { atPrompt, echoes, gatewayLine, type Line, referenceLine, sshLine, throughput } from './terminal-line.ts';
import { type Memory, openMeter, WITH_DEBUGGER } from './terminal-memory.ts';
import { AGENT, atRest, memoryOf, OPENSSH, startTarget, startWorld, type World } from './terminal-world.ts';
import { wantedPhases } from './wanted-phases.ts';

const ROUNDS = 3;
/** One lasts a second, and they differ by a third. */
const THROUGHPUT_ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const KEYS = 400;
const YES_MS = Number(process.env.BENCH_MS ?? 60_000);
const IDLE = 500;
const SESSIONS = 100;
const AT_ONCE = 8;
const OPENINGS = 20;
const CLICKS = 20;
const STOPS = 9;
/** For so long the gateway keeps the last words of a session for who was away. */
const LINGER_MS = 62_000;

const PHASES: Record<string, (world: World) => Promise<void>> = {
  throughput: measureThroughput,
  echo: measureEcho,
  load: measureLoad,
  idle: measureIdle,
  rate: measureRate,
  many: measureMany,
  click: measureClick,
  flood: measureFlood,
};
const wanted = wantedPhases(PHASES);

const users = await makeOsUsers(1);
const login = users.names[0] as string;
const target = await startTarget(login);
const missed: string[] = [];
const say = (text: string) => process.stdout.write(`${text}\n`);

/** One figure with its limit, if it has one. */
function row(name: string, value: string, limit?: { is: boolean; words: string }): void {
  say(`  ${name.padEnd(52)} ${value.padStart(22)}${limit ? `   ${limit.is ? 'kept' : 'MISSED'}: ${limit.words}` : ''}`);
  if (limit && !limit.is) missed.push(name);
}
const at = (times: readonly number[], part: number) =>
  [...times].sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * part))] ?? Number.NaN;
const median = (values: readonly number[]) => at(values, 0.5);
const fixed = (value: number, digits = 2) => value.toFixed(digits);

const direct = () => sshLine(target.ssh);
const through = (world: World, server: string) => gatewayLine(world.tab, server, login);
/** Both sockets to both kinds of servers: none may be the slow one. */
const WAYS = {
  openssh: { words: 'gateway to OpenSSH', open: (world: World) => through(world, OPENSSH) },
  agent: { words: 'gateway to agent', open: (world: World) => through(world, AGENT) },
  reference: {
    words: "reference's socket to OpenSSH",
    open: (world: World) => referenceLine(world.tab, OPENSSH, login),
  },
  referenceAgent: {
    words: "reference's socket to agent",
    open: (world: World) => referenceLine(world.tab, AGENT, login),
  },
} satisfies Record<string, { words: string; open(world: World): Line }>;
const waysOf = (world: World): Record<string, () => Line> => ({
  ssh: direct,
  ...Object.fromEntries(Object.entries(WAYS).map(([name, { open }]) => [name, () => open(world)])),
});

async function inTurns(
  world: World,
  ways: Record<string, () => Line>,
  measure: (line: Line) => Promise<number[]>,
  rounds = ROUNDS,
) {
  const taken: Record<string, number[]> = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
  // The first round is not counted: a gateway that has only just started is slower, ssh is not.
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, open] of Object.entries(ways)) {
      const line = await atPrompt(open());
      await atRest(world);
      const measured = await measure(line);
      if (round > 0) taken[name]?.push(...measured);
      line.close();
      await line.ended;
    }
  }
  return (name: string) => taken[name] ?? [];
}

async function measureThroughput(world: World): Promise<void> {
  const bare = await startWorld({ target, login, unrecorded: true });
  for (const [each, isRecorded] of [
    [world, true],
    [bare, false],
  ] as const) {
    const probe = await atPrompt(through(each, OPENSSH));
    probe.close();
    if (probe.recorded() !== isRecorded) throw new Error('what is recorded is not what should be');
  }
  const taken = await inTurns(
    world,
    { ...waysOf(world), bare: () => through(bare, OPENSSH) },
    async (line) => [await throughput(line, target.file)],
    THROUGHPUT_ROUNDS,
  );
  await bare.stop();
  const [ssh, unrecorded] = [median(taken('ssh')), median(taken('bare'))];
  say('cat of 100 MB, median MB/s');
  row('ssh', fixed(ssh, 1));
  for (const [name, { words }] of Object.entries(WAYS)) {
    const rate = median(taken(name));
    row(`${words}, recorded`, `${fixed(rate, 1)} = ${fixed(rate / ssh)}×`, {
      is: rate / ssh >= 0.9,
      words: 'at least 0.9 of ssh',
    });
  }
  const cost = 1 - median(taken('openssh')) / unrecorded;
  row('gateway to OpenSSH, not recorded', fixed(unrecorded, 1));
  row('what recording costs', `${fixed(cost * 100, 1)} %`, { is: cost <= 0.05, words: 'at most 5 %' });
}

async function measureEcho(world: World): Promise<void> {
  const taken = await inTurns(world, waysOf(world), (line) => echoes(line, KEYS));
  const ssh = { p50: at(taken('ssh'), 0.5), p99: at(taken('ssh'), 0.99) };
  say('echo of a key, ms');
  row('ssh, p50 / p99', `${fixed(ssh.p50)} / ${fixed(ssh.p99)}`);
  for (const [name, { words }] of Object.entries(WAYS)) {
    const [p50, p99] = [at(taken(name), 0.5), at(taken(name), 0.99)];
    row(`${words}, p50`, `${fixed(p50)} = +${fixed(p50 - ssh.p50)}`, {
      is: p50 - ssh.p50 <= 0.8,
      words: 'at most 0.8 more than ssh, 0.4 wished',
    });
    row(`${words}, p99`, `${fixed(p99)} = +${fixed(p99 - ssh.p99)}`, {
      is: p99 - ssh.p99 <= 3,
      words: 'at most 3 more than ssh',
    });
  }
}

/** Beside terminals that print without end; and what that does to memory. */
async function measureLoad(world: World): Promise<void> {
  for (const server of [OPENSSH, AGENT]) {
    const gatewayPid = world.gateway.pid();
    const agentPid = world.agent?.pid ?? 0;
    const load = fork(join(import.meta.dirname, 'terminal-load.ts'), [
      JSON.stringify({ tab: world.tab, servers: [server], login }),
    ]);
    await once(load, 'message');
    const began = performance.now();
    const line = await atPrompt(through(world, OPENSSH));
    const times = await echoes(line, KEYS);
    // The most in the first half and in the second: what grows without end is more in the second.
    const peaks = [gatewayPid, agentPid].map(() => [0, 0]);
    for (let passed = 0; passed < YES_MS; passed = performance.now() - began) {
      await sleep(500);
      const half = passed < YES_MS / 2 ? 0 : 1;
      [gatewayPid, agentPid].forEach((pid, index) => {
        const halves = peaks[index] as number[];
        halves[half] = Math.max(halves[half] ?? 0, memoryOf(pid));
      });
    }
    times.push(...(await echoes(line, KEYS)));
    line.close();
    await line.ended;
    // A program that prints without end keeps the machine busy with or without a gateway.
    const beside = await atPrompt(direct());
    const sshTimes = await echoes(beside, 2 * KEYS);
    beside.close();
    load.send('stop');
    const [stopped] = (await once(load, 'message')) as [{ ms: number; megabytes: number }[]];
    await once(load, 'exit');
    say(`beside \`yes\` on ${server} for ${YES_MS / 1000} s, ${fixed(stopped[0]?.megabytes ?? 0, 0)} MB printed`);
    row('ssh, echo p50 / p99, ms', `${fixed(median(sshTimes))} / ${fixed(at(sshTimes, 0.99))}`);
    row('echo p50 / p99, ms', `${fixed(median(times))} / ${fixed(at(times, 0.99))}`, {
      is: at(times, 0.99) <= 20,
      words: 'p99 at most 20',
    });
    ['gateway', 'agent'].forEach((name, index) => {
      const [from = 0, to = 0] = peaks[index] ?? [];
      row(`memory of the ${name}, MB, first half … second`, `${fixed(from, 0)} … ${fixed(to, 0)}`, {
        is: to <= from * 1.05 + 10,
        words: 'does not grow',
      });
    });
    row('Ctrl-C to the next prompt, ms', fixed(stopped[0]?.ms ?? Number.NaN, 0), {
      is: (stopped[0]?.ms ?? 1e9) < 300,
      words: 'under 300',
    });
  }
}

/** Many who do nothing, and what is left of them. */
async function measureIdle(): Promise<void> {
  const idle = await startWorld({ target, login, settings: WITH_DEBUGGER });
  const meter = await openMeter(idle.gateway);
  const closeAll = async (lines: Line[]) => {
    for (const line of lines) line.close();
    await Promise.all(lines.map(({ ended }) => ended));
  };
  // What is loaded and made once is not counted.
  await closeAll(await openMany(() => through(idle, OPENSSH), 20));
  await sleep(LINGER_MS);
  const before = await meter.read();
  const lines = await openMany(() => through(idle, OPENSSH), IDLE);
  await sleep(3_000);
  const during = await meter.read();
  await closeAll(lines);
  await sleep(LINGER_MS);
  const after = await meter.read();
  meter.close();
  await idle.stop();
  const each = (what: keyof Memory) => (during[what] - before[what]) / IDLE;
  say(`${IDLE} idle sessions, MB of the gateway each`);
  row('heap and what it holds outside', fixed(each('usedMb'), 3), { is: each('usedMb') <= 0.3, words: 'at most 0.3' });
  row('resident memory', fixed(each('rssMb'), 3), { is: each('rssMb') <= 0.3, words: 'at most 0.3' });
  const left = (after.usedMb - before.usedMb) / IDLE;
  row('left behind a minute after they were closed', fixed(left, 4), { is: left <= 0.01, words: 'nothing' });
}

async function openMany<L extends Line>(open: () => L, count: number): Promise<L[]> {
  const lines: L[] = [];
  const opening = Array.from({ length: AT_ONCE }, async () => {
    while (lines.length < count) {
      const line = open();
      lines.push(line);
      await atPrompt(line);
    }
  });
  await Promise.all(opening);
  return lines;
}

/** From nothing to a prompt and back, several at once. */
async function measureRate(world: World): Promise<void> {
  const rate = async (open: () => Line) => {
    const from = performance.now();
    let begun = 0;
    const people = Array.from({ length: AT_ONCE }, async () => {
      while (begun++ < SESSIONS) {
        const line = open();
        await line.next();
        line.type('exit\n');
        await line.ended;
      }
    });
    await Promise.all(people);
    return SESSIONS / ((performance.now() - from) / 1000);
  };
  say(`new sessions a second, ${AT_ONCE} at once`);
  row('ssh', fixed(await rate(direct), 1));
  row('gateway to OpenSSH', fixed(await rate(() => through(world, OPENSSH)), 1));
  row('gateway to agent', fixed(await rate(() => through(world, AGENT)), 1));
}

async function measureMany(world: World): Promise<void> {
  const many = await startWorld({ target, login, servers: 100_000 });
  const open = async (among: World) => {
    const from = performance.now();
    const line = through(among, OPENSSH);
    await line.next();
    const took = performance.now() - from;
    line.close();
    await line.ended;
    return took;
  };
  for (const warm of [world, many]) for (let round = 0; round < 10; round += 1) await open(warm);
  await atRest(many);
  await atRest(world);
  const took: { few: number[]; many: number[]; ssh: number[] } = { few: [], many: [], ssh: [] };
  for (let round = 0; round < OPENINGS; round += 1) {
    took.few.push(await open(world));
    took.many.push(await open(many));
    const from = performance.now();
    const line = direct();
    await line.next();
    took.ssh.push(performance.now() - from);
    line.close();
  }
  await many.stop();
  const [few, all] = [median(took.few), median(took.many)];
  say('opening a terminal, median ms to the first output');
  row('ssh', fixed(median(took.ssh), 0));
  row('gateway with 2 servers', fixed(few, 0));
  row('gateway with 100,000 servers', `${fixed(all, 0)} = ${fixed(all / few)}×`, {
    is: all <= few * 1.2 + 10,
    words: 'no slower',
  });
}

async function measureClick(world: World): Promise<void> {
  await atRest(world);
  const alone: number[] = [];
  for (let round = 0; round < CLICKS; round += 1) {
    const began = performance.now();
    const line = direct();
    await line.next();
    alone.push(performance.now() - began);
    line.close();
    await line.ended;
  }
  say('click to prompt in Chromium, ms, p50 / p95');
  const told = (times: readonly number[]) => `${fixed(median(times), 0)} / ${fixed(at(times, 0.95), 0)}`;
  row('ssh, to its first bytes', told(alone));
  for (const [server, words] of [
    [AGENT, 'agent'],
    [OPENSSH, 'OpenSSH'],
  ] as const) {
    const times = await clicksToPrompt(world, { server, login, count: CLICKS });
    row(`gateway to ${words}`, told(times), { is: at(times, 0.95) < 300, words: 'p95 under 300' });
  }
}

/** What a person feels of a program that prints without end. */
async function measureFlood(world: World): Promise<void> {
  await atRest(world);
  say('Ctrl-C to the prompt in Chromium, median ms');
  for (const [server, words] of [
    [AGENT, 'agent'],
    [OPENSSH, 'OpenSSH'],
  ] as const) {
    const { idle, flood } = await stopsByKey(world, { server, login, count: STOPS });
    row(`${words}, nothing is printed`, fixed(median(idle), 0));
    row(`${words}, in \`yes\``, `${fixed(median(flood), 0)} = ${fixed(median(flood) / median(idle), 1)}×`, {
      is: median(flood) < 300,
      words: 'under 300',
    });
  }
}

const world = await startWorld({ target, login, withAgent: true });
for (const name of wanted) await PHASES[name]?.(world);
await world.stop();
await target.stop();
await users.remove();
say(missed.length === 0 ? 'kept: every limit' : `missed: ${missed.join('; ')}`);
process.exitCode = missed.length === 0 ? 0 : 1;
