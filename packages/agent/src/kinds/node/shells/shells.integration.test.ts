/** Real shells in real terminals. As root with two OS users made for it; otherwise as the user who runs the tests. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { HELD_BYTES, UNTAKEN_BYTES } from '@gatehouse/contract/reach/agents/shell-frames';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { IS_ROOT, osUsers } from '../../../../testing/os-users.ts';
import { type ShellClient, type ShellClientOptions, shellClient } from '../../../../testing/shell-client.ts';
import { offeredStream } from '../../../../testing/stream-pair.ts';
import { processesOn } from '../../../runtime/children/hang-up.ts';
import { findDescriptorCloser } from '../../../runtime/children/without-descriptors.ts';
import { silentLog } from '../../../runtime/log.ts';
import { ownUser } from '../login/find-user.ts';
import { findLoginMethod } from '../login/start-as.ts';
import { loadNativePty } from '../pty/native-pty.ts';
import { createShells, type Shells } from './shells.ts';

const SOON = { timeout: 5_000 };
/** What does not go by itself is killed then. */
const FORCE_MS = 5_000;
const users = osUsers();
let ann = ownUser().name;
let bob = ann;
let shells: Shells;
let count = 0;
const clients: ShellClient[] = [];

beforeAll(async () => {
  if (IS_ROOT) {
    ann = await users.add({ group: 'gh-test-group' });
    bob = await users.add();
  }
  shells = createShells({
    rules: { shell: true, logins: undefined, where: 'agent.yaml' },
    way: await findLoginMethod(),
    closer: await findDescriptorCloser(),
    native: loadNativePty(),
    language: 'C.UTF-8',
    keys: { socketOf: () => undefined },
    log: silentLog,
  });
});
afterEach(async () => {
  await shells.endAll('the test is over');
  for (const client of clients.splice(0)) client.detach();
});
afterAll(async () => {
  shells.close();
  await users.removeAll();
});

interface Wanted extends ShellClientOptions {
  session?: string;
  login?: string;
  from?: number;
  command?: string;
  ahead?: number;
  graceMs?: number;
}

async function attach(wanted: Wanted = {}): Promise<ShellClient> {
  const { session = `s-${++count}`, login, from = 0, command, ahead, graceMs = 60_000, ...options } = wanted;
  const { offered, near } = offeredStream();
  const client = shellClient(near, options);
  clients.push(client);
  await shells.serve(offered, {
    session,
    user: 'tester',
    from: String(from),
    graceMs: String(graceMs),
    cols: '80',
    rows: '24',
    term: 'xterm-256color',
    ...(login === undefined ? {} : { login }),
    ...(command === undefined ? {} : { command }),
    ...(ahead === undefined ? {} : { ahead: String(ahead) }),
  });
  return client;
}

/** What a command prints, without its echo, in a shell of its own. */
async function printed(login: string, command: string): Promise<string> {
  const client = await attach({ login, command });
  await client.exit;
  return client.text();
}

test('a login shell has the user, groups, home, terminal and environment of a login, and nothing of the agent', async () => {
  process.env.GATEHOUSE_AGENT_TOKEN = 'leaked';
  process.env.LD_PRELOAD_TEST = 'leaked';
  const client = await attach({ login: ann });
  client.type('echo id=$(id -un):$(id -Gn) pwd=$PWD tty=$(tty) size=$(stty size) arg=$0 done\r');
  await client.until(/\nid=.+ done\n/);
  client.type('clear; env; echo finished\r');
  await client.until(/\nfinished\n/);
  delete process.env.GATEHOUSE_AGENT_TOKEN;
  delete process.env.LD_PRELOAD_TEST;

  const text = client.text();
  const facts = /\nid=(\S+):(.*) pwd=(\S+) tty=(\S+) size=(.+) arg=(\S+) done/.exec(text);
  expect(facts?.[1]).toBe(ann);
  if (IS_ROOT) {
    expect(facts?.[2]?.split(' ')).toContain('gh-test-group');
    expect(statSync(facts?.[4] ?? '').mode & 0o777).toBe(0o620);
    expect(facts?.[6]).toBe('-bash');
  }
  expect(facts?.[3]).toBe(/\nHOME=(\S+)\n/.exec(text)?.[1]);
  expect(facts?.[4]).toMatch(/^\/dev\/pts\/\d+$/);
  expect(facts?.[5]).toBe('24 80');
  expect(text).toMatch(/\nTERM=xterm-256color\n/);
  expect(text).toMatch(/\nLANG=C.UTF-8\n/);
  expect(text).toMatch(/\nGATEHOUSE_SESSION=s-\d+\n/);
  expect(text).not.toContain('leaked');
});

test('a shell gets no descriptor but its terminal: not those of other shells', async () => {
  await attach({ login: ann });
  await attach({ login: ann });

  const text = await printed(bob, 'ls -l /proc/self/fd | sed "s/.*[0-9][0-9]:[0-9][0-9] //"');

  expect(text).not.toContain('ptmx');
  expect(
    text
      .trim()
      .split('\n')
      .filter(
        (line) =>
          /^\d+ ->/.test(line) && !/^[012] -> (\/dev\/pts\/\d+|pipe)/.test(line) && !/\/proc\/\d+\/fd/.test(line),
      ),
  ).toEqual([]);
});

test('jobs are controlled as in any terminal: Ctrl-C, Ctrl-Z and the exit code', async () => {
  const client = await attach({ login: ann });
  const program = () => client.frames.findLast(({ type }) => type === 'program');
  await client.until(/[$#] $/);
  client.type('sleep 100; echo after=$?\r');
  await expect.poll(program, SOON).toMatchObject({ program: 'sleep' });
  client.type('\x03');
  client.type('echo went on\r');
  await client.until(/\nwent on/);
  await expect.poll(program, SOON).toMatchObject({ program: '' });
  client.type('sleep 200\r');
  await expect.poll(program, SOON).toMatchObject({ program: 'sleep' });
  client.type('\x1a');
  await client.until(/Stopped/);
  // A shell with stopped jobs asks to be told twice.
  client.type('kill %1; exit 7\r');
  client.type('exit 7\r');

  expect(await client.exit).toEqual({ code: 7 });
});

test('a command runs without a question and its last output comes before its code', async () => {
  const client = await attach({ login: ann, command: 'seq 1 20000; exit 9' });

  expect(await client.exit).toEqual({ code: 9 });
  expect(client.text().endsWith('19999\n20000\n')).toBe(true);
});

test('no byte is lost when the shell ends while its output waits', async () => {
  const lines = 1_200_000;
  const client = await attach({ login: ann, command: `seq 1 ${lines}`, ahead: 64 * 1024, keeps: true });
  await expect.poll(() => client.end(), SOON).toBe(64 * 1024);
  await sleep(1_000);
  expect(client.end()).toBe(64 * 1024);
  const pid = (await client.state).pid;

  // The program has long ended or waits; now everything is let through.
  client.send({ type: 'seen', offset: 64 * 1024 });
  const second = setInterval(() => client.send({ type: 'seen', offset: client.end() }), 1);
  expect(await client.exit).toEqual({ code: 0 });
  clearInterval(second);

  const expected = createHash('sha256');
  for (let line = 1; line <= lines; line++) expected.update(`${line}\r\n`);
  expect(createHash('sha256').update(client.output()).digest('hex')).toBe(expected.digest('hex'));
  expect(existsSync(`/proc/${pid}`)).toBe(false);
});

test('an endless program with nobody attached stops at the limit, and the agent does not grow', async () => {
  const first = await attach({ session: 'yes', login: ann, command: 'yes' });
  await first.until(/y/);
  first.detach();
  const before = process.memoryUsage().rss;
  const printed = async () => {
    const look = await attach({ session: 'yes', discards: true });
    const { end } = await look.state;
    look.detach();
    return end;
  };
  await expect.poll(printed, { timeout: 20_000, interval: 500 }).toBeGreaterThanOrEqual(HELD_BYTES);
  await sleep(1_000);

  const second = await attach({ session: 'yes', discards: true });
  const { start, end } = await second.state;

  expect(end - start).toBeLessThan(HELD_BYTES + 256 * 1024);
  expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
  // Full as it is, hanging up is not held up by what wants to print its last words.
  const begun = performance.now();
  await shells.endAll('the test is over');
  expect(performance.now() - begun).toBeLessThan(FORCE_MS);
});

test('Ctrl-C reaches an endless program whose output waits, and little more comes than was under way', async () => {
  const ahead = 256 * 1024;
  const client = await attach({ login: ann, ahead, keeps: true });
  client.type('yes\r');
  await expect.poll(() => client.end(), { timeout: 20_000 }).toBe(ahead);

  client.type('\x03');
  await expect
    .poll(() => {
      client.send({ type: 'seen', offset: client.end() });
      return client.text().slice(-100);
    }, SOON)
    .toMatch(/\^C\n.*[$#] $/);

  // What the agent had read, and what lay in the terminal: not what `yes` would have gone on to print.
  expect(client.end() - ahead).toBeLessThan(2 * ahead);
});

test('a program that does not read its input holds up neither the agent nor other shells', async () => {
  const deaf = await attach({ login: ann, command: 'stty raw -echo; echo ready; sleep 30' });
  await deaf.until(/ready/);
  deaf.type(Buffer.alloc(UNTAKEN_BYTES, 'x'));
  const other = await attach({ login: ann });
  other.type('echo al"ive"\r');
  await other.until(/alive/);

  expect(deaf.frames.filter(({ type }) => type === 'taken').length).toBeGreaterThan(0);
});

test('a large paste arrives whole and in order', async () => {
  const client = await attach({ login: ann, command: 'stty raw -echo; echo ready; head -c 100000 | sha256sum' });
  await client.until(/ready/);
  const paste = Buffer.from(Array.from({ length: 100_000 }, (_, at) => 32 + (at % 90)));

  client.type(paste);

  expect((await client.exit)?.code).toBe(0);
  expect(client.text()).toContain(createHash('sha256').update(paste).digest('hex'));
});

test('a new size reaches the program', async () => {
  const client = await attach({ login: ann });
  client.type('trap "stty size" WINCH; echo re"ady"\r');
  await client.until(/ready/);

  client.resize({ cols: 132, rows: 43 });
  client.type('\r');
  client.type('stty size\r');

  await client.until(/43 132/);
});

test('a password prompt is told as hidden input, by a program, and its end too', async () => {
  const client = await attach({ login: ann });
  client.type('read -s -p "Sec""ret: " x; echo got\r');
  await client.until(/Secret: /);
  await expect.poll(() => client.frames.some((frame) => frame.type === 'echo' && !frame.echo), SOON).toBe(true);
  client.type('hidden\r');
  await client.until(/got/);

  const last = (wanted: string) => client.frames.filter(({ type }) => type === wanted).at(-1);
  await expect.poll(() => last('echo'), SOON).toMatchObject({ echo: true });
  // Until it was seen: who looks now and then may miss one that is soon over.
  client.type('sleep 1003\r');
  await expect.poll(() => last('program'), SOON).toEqual({ type: 'program', program: 'sleep' });
  client.type('\x03');
  await expect.poll(() => last('program'), SOON).toEqual({ type: 'program', program: '' });
});

test('hanging up ends everything on the terminal, also what ignores it', async () => {
  const client = await attach({ login: ann });
  client.type('(trap "" HUP; sleep 1000) & sleep 1001 & echo re"ady"; sleep 1002\r');
  await client.until(/ready/);
  const device = deviceOf((await client.state).pid);
  expect(processesOn(device).length).toBeGreaterThan(2);

  client.hangUp('closed by its user');
  const exit = await client.exit;

  expect(exit?.reason).toBe('closed by its user');
  const left = () => ['1000', '1001', '1002'].filter((seconds) => isRunning('sleep', seconds));
  await expect.poll(left, { timeout: 8_000 }).toEqual([]);
});

test('a job left in the background does not keep the shell from ending', async () => {
  // Not before the job has a session of its own: one that has not is hung up on with the shell.
  const begun = 'f=$(mktemp); setsid sh -c "rm $f; exec sleep 31.25" & while [ -e $f ]; do sleep 0.05; done';
  const client = await attach({ login: ann, command: `${begun}; echo started; exit 4` });

  expect(await client.exit).toEqual({ code: 4 });
  await expect.poll(() => isRunning('sleep', '31.25'), SOON).toBe(true);
  expect(client.text()).toContain('started');
});

test('a shell is attached to by its own session alone, and begun once', async () => {
  await attach({ session: 'mine', login: ann });

  await expect(attach({ session: 'other' })).rejects.toThrow('holds no shell of this session');
  await expect(attach({ session: 'mine', login: 'somebody-else' })).rejects.toThrow(`belongs to '${ann}'`);
  await expect(attach({ session: 'mine', from: 1_000_000 })).rejects.toThrow('not 1000000');
  await expect(attach({ session: 'lost', login: ann, from: 10 })).rejects.toThrow('has ended');
  const [one, two] = await Promise.all([
    attach({ session: 'both', login: ann }),
    attach({ session: 'both', login: ann }),
  ]);
  expect((await one.state).pid).toBe((await two.state).pid);

  const done = await attach({ session: 'done', login: ann, command: 'true', keeps: true });
  await done.closed;
  await expect
    .poll(() => attach({ session: 'done', login: ann }).then(() => 'began again', String))
    .toContain('has ended');
});

test('who may not log in is told why', async () => {
  const asked = (login: string) =>
    attach({ login }).then(
      () => 'let in',
      (error: Error) => error.message,
    );

  if (!IS_ROOT) {
    expect(await asked('root')).toBe(`the agent runs as '${ann}' and cannot start a shell as 'root': run it as root`);
    return;
  }
  const closed = await users.add({ shell: '/usr/sbin/nologin' });
  const broken = await users.add({ shell: '/no/such/shell' });
  const expired = await users.add({ expired: true });
  expect(await asked('no-such-user')).toBe("there is no user 'no-such-user' on this machine");
  expect(await asked('0')).toBe("there is no user '0' on this machine");
  expect(await asked(closed)).toBe(`the user '${closed}' has no shell to log in with (/usr/sbin/nologin)`);
  expect(await asked(broken)).toBe(`the shell of '${broken}' cannot be run: /no/such/shell`);
  expect(await asked(expired)).toBe(`the account '${expired}' expired on 2001-01-01`);
});

test('one user cannot touch the terminal of another', async () => {
  const first = await attach({ login: ann });
  first.type('echo on=$(tty)\r');
  await first.until(/on=\/dev\/pts\/\d+/);
  const device = /on=(\/dev\/pts\/\d+)/.exec(first.text())?.[1] ?? '';

  const text = await printed(bob, `timeout 1 cat < ${device}; echo x > ${device}; true`);

  if (ann !== bob) expect(text.match(/Permission denied/g)?.length).toBe(2);
  else expect(text).not.toContain('Permission denied');
});

function deviceOf(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const packed = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[4]);
  return `/dev/pts/${(packed & 0xff) | ((packed >> 12) & 0xfff00)}`;
}

function isRunning(...command: string[]): boolean {
  return readdirSync('/proc').some((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'latin1') === command.map((word) => `${word}\0`).join('');
    } catch {
      return false;
    }
  });
}
