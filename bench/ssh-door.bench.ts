/** The SSH door beside `ssh` to the same sshd in the same run: connecting, echo, bytes for a second of its processor, memory, many at once. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Send } from '@gatehouse/contract/wire/client';
import { type DoorFiles, doorFiles } from '@gatehouse/gateway/testing/sessions/ssh-files';
import { freePort } from '@gatehouse/testkit/free-port';
import { makeOsUsers } from '@gatehouse/testkit/os-users';
import { atPrompt, echoes, type Line, sshLine } from './terminal-line.ts';
import { openMeter, WITH_DEBUGGER } from './terminal-memory.ts';
import { atRest, OPENSSH, startTarget, startWorld, type World } from './terminal-world.ts';
import { wantedPhases } from './wanted-phases.ts';

const CONNECTS = 20;
/** On a shared connection. The first of them are told apart: the gateway's code is new then, and not yet compiled for what it does. */
const COMMANDS_SHARED = 300;
const COMMANDS_WHILE_NEW = 20;
const KEYS = 300;
const KEY_ROUNDS = 10;
const ROUNDS = 3;
const IDLE = 400;
/** Open before it is measured: what a process grows by with its first connections is not theirs. */
const IDLE_BEFORE = 104;
const FORKS = 50;
const COMMANDS = 500;
/** Fewer than the door lets an address have before it has proved anything. */
const AT_ONCE = 8;
const MB = 1e6;

const PHASES = {
  connect: measureConnect,
  echo: measureEcho,
  bytes: measureBytes,
  idle: measureIdle,
  forks: measureForks,
};
const wanted = wantedPhases(PHASES);

const users = await makeOsUsers(1);
const login = users.names[0] as string;
const target = await startTarget(login);
const missed: string[] = [];
const say = (text: string) => process.stdout.write(`${text}\n`);

function row(name: string, value: string, limit?: { is: boolean; words: string }): void {
  say(`  ${name.padEnd(52)} ${value.padStart(22)}${limit ? `   ${limit.is ? 'kept' : 'MISSED'}: ${limit.words}` : ''}`);
  if (limit && !limit.is) missed.push(name);
}
const at = (times: readonly number[], part: number) =>
  [...times].sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * part))] ?? Number.NaN;
const median = (values: readonly number[]) => at(values, 0.5);
const fixed = (value: number, digits = 1) => value.toFixed(digits);

interface DoorWorld extends World {
  port: number;
  files: DoorFiles;
}

const directArgs = (): string[] => [...target.ssh.args, `${login}@127.0.0.1`];
const byName = ({ files }: DoorWorld): string[] => ['-F', files.config, `${login}@${OPENSSH}@gate`];
const byJump = ({ files }: DoorWorld): string[] => ['-F', files.config, `${login}@${OPENSSH}.localhost`];
const shared = ({ files }: DoorWorld): string[] => ['-o', `ControlPath=${files.dir}/%C`];

function runs(args: readonly string[]): Promise<number> {
  return new Promise((resolve) => {
    execFile('ssh', [...args], { maxBuffer: 300 * MB, timeout: 120_000 }, (error) =>
      resolve(error ? (typeof error.code === 'number' ? error.code : -1) : 0),
    );
  });
}

async function timed(args: readonly string[]): Promise<number> {
  const from = performance.now();
  const code = await runs([...args, 'true']);
  if (code !== 0) throw new Error(`ssh ended with ${code}`);
  return performance.now() - from;
}

async function measureConnect(world: DoorWorld): Promise<void> {
  const ways = { direct: directArgs(), name: byName(world), jump: byJump(world) };
  const taken: Record<string, number[]> = { direct: [], name: [], jump: [] };
  for (let turn = 0; turn <= CONNECTS; turn++)
    for (const [way, args] of Object.entries(ways)) {
      const ms = await timed(args);
      if (turn > 0) taken[way]?.push(ms);
    }
  const direct = median(taken.direct ?? []);
  row('ssh itself: connect and `true`', `${fixed(direct)} ms`);
  for (const way of ['name', 'jump']) {
    const more = median(taken[way] ?? []) - direct;
    row(`by ${way}: more than that`, `${fixed(more)} ms`, { is: more <= 60, words: 'at most 60 ms' });
  }
  const own = ['-o', `ControlPath=${world.files.dir}/direct`];
  const masters: ChildProcess[] = [
    spawn('ssh', ['-M', '-N', ...own, ...directArgs()], { stdio: 'ignore' }),
    spawn('ssh', ['-M', '-N', ...shared(world), ...byName(world)], { stdio: 'ignore' }),
  ];
  await sleep(2_000);
  const [first, second]: [number[], number[]] = [[], []];
  for (let turn = 0; turn <= COMMANDS_SHARED; turn++) {
    first.push(await timed([...own, ...directArgs()]));
    second.push(await timed([...shared(world), ...byName(world)]));
  }
  for (const master of masters) master.kill();
  const whileNew = median(second.slice(1, COMMANDS_WHILE_NEW + 1)) - median(first.slice(1, COMMANDS_WHILE_NEW + 1));
  row(`on a shared connection: the first ${COMMANDS_WHILE_NEW} of them`, `${fixed(whileNew)} ms`);
  const more = median(second.slice(1)) - median(first.slice(1));
  row('on a shared connection: more than sshd on one', `${fixed(more)} ms`, { is: more <= 10, words: 'at most 10 ms' });
}

async function measureEcho(world: DoorWorld): Promise<void> {
  const door = { args: ['-F', world.files.config, '-p', String(world.port)], login: `${login}@${OPENSSH}` };
  const ways: Record<string, () => Line> = { direct: () => sshLine(target.ssh), door: () => sshLine(door) };
  const taken: Record<string, number[]> = { direct: [], door: [] };
  for (let round = 0; round <= KEY_ROUNDS; round++)
    for (const [way, open] of Object.entries(ways)) {
      const line = await atPrompt(open());
      await atRest(world);
      const times = await echoes(line, KEYS);
      if (round > 0) taken[way]?.push(...times);
      line.close();
    }
  const [direct, through] = [median(taken.direct ?? []), median(taken.door ?? [])];
  const more = through - direct;
  row('echo of a key, ssh itself, p50', `${fixed(direct, 2)} ms`);
  row('by the door: more than that', `${fixed(more, 2)} ms`, { is: more <= 0.6, words: 'at most 0.6 ms' });
}

function usedSeconds({ gateway }: World): number {
  const stat = readFileSync(`/proc/${gateway.pid()}/stat`, 'utf8');
  const [user = 0, system = 0] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14).map(Number);
  return (user + system) / 100;
}

async function measureBytes(world: DoorWorld): Promise<void> {
  for (const [way, args, least] of [
    ['name', byName(world), 130],
    ['jump', byJump(world), 70],
  ] as const) {
    const rates: number[] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      await atRest(world);
      const before = usedSeconds(world);
      const child = spawn('ssh', [...args, `cat ${target.file}`], { stdio: ['ignore', 'pipe', 'inherit'] });
      let bytes = 0;
      child.stdout.on('data', (piece: Buffer) => {
        bytes += piece.length;
      });
      await once(child, 'close');
      if (round > 0) rates.push(bytes / MB / (usedSeconds(world) - before));
    }
    const rate = median(rates);
    row(`by ${way}: bytes for a second of its processor`, `${fixed(rate, 0)} MB`, {
      is: rate >= least,
      words: `at least ${least} MB`,
    });
  }
}

async function measureIdle(world: DoorWorld): Promise<void> {
  const children: ChildProcess[] = [];
  // Without what is garbage: of that there may be less after four hundred connections than before them.
  const meter = await openMeter(world.gateway);
  const come = async (count: number) => {
    for (const most = children.length + count; children.length < most; await sleep(1_500))
      for (let made = 0; made < AT_ONCE; made++)
        children.push(spawn('ssh', ['-N', ...byName(world)], { stdio: 'ignore' }));
    await sleep(5_000);
    await atRest(world);
    return await meter.read();
  };
  const before = await come(IDLE_BEFORE);
  const after = await come(IDLE);
  const alive = children.filter(({ exitCode }) => exitCode === null).length;
  meter.close();
  const each = ((after.usedMb - before.usedMb) * MB) / 1024 / IDLE;
  row(`${alive} connections at rest, each`, `${fixed(each)} KB`, {
    is: each <= 60 && alive === children.length,
    words: 'at most 60 KB',
  });
  row('  of the whole process', `${fixed(((after.rssMb - before.rssMb) * 1024) / IDLE)} KB`);
  for (const child of children) child.kill();
}

async function measureForks(world: DoorWorld): Promise<void> {
  const master = spawn(
    'ssh',
    ['-M', '-N', '-F', world.files.config, '-o', `ControlPath=${world.files.dir}/gate`, 'gate'],
    { stdio: 'ignore' },
  );
  await sleep(2_000);
  const proxy = `ssh -F ${world.files.config} -o ControlPath=${world.files.dir}/gate -W %h:22 gate`;
  const from = performance.now();
  let next = 0;
  let failed = 0;
  const worker = async () => {
    while (next < COMMANDS) {
      next += 1;
      if (
        (await runs([
          '-o',
          `ProxyCommand=${proxy}`,
          '-F',
          world.files.config,
          `${login}@${OPENSSH}.localhost`,
          'true',
        ])) !== 0
      )
        failed += 1;
    }
  };
  await Promise.all(Array.from({ length: FORKS }, worker));
  master.kill();
  row(`${COMMANDS} commands, ${FORKS} at once through one jump: failed`, String(failed), {
    is: failed === 0,
    words: 'none',
  });
  row('  in all', `${fixed((performance.now() - from) / 1_000)} s`);
}

const port = await freePort();
const settings = { GATEHOUSE_SSH_LISTEN: `127.0.0.1:${port}`, ...(wanted.includes('idle') ? WITH_DEBUGGER : {}) };
const world = await startWorld({ target, login, settings });
const { tab, gateway } = world;
const csrf = /grv_csrf=([0-9a-f]+)/.exec(tab.headers.cookie ?? '')?.[1] ?? '';
const send: Send = async ({ method, url, body }) => {
  const headers = { ...tab.headers, authorization: `Bearer ${tab.token}`, 'x-csrf-token': csrf };
  const json = body === undefined ? { headers } : { body, headers: { ...headers, 'content-type': 'application/json' } };
  const reply = await fetch(`${gateway.origin}${url}`, { method, ...json });
  return { status: reply.status, text: await reply.text() };
};
const files = await doorFiles(port, { send });
try {
  for (const phase of wanted) {
    say(phase);
    await PHASES[phase]({ ...world, port, files });
  }
} finally {
  await world.stop();
  await target.stop();
  await users.remove();
  rmSync(files.dir, { recursive: true, force: true });
}
if (missed.length > 0) say(`missed: ${missed.join(', ')}`);
process.exit(missed.length > 0 ? 1 : 0);
