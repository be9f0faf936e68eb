/** Commands as real processes of a real user: what they are, how they end, and what is left of them. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EXEC_WINDOW_BYTES } from '@gatehouse/contract/reach/agents/exec-frames';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { type ExecClient, type ExecClientOptions, execClient } from '../../../../testing/exec-client.ts';
import { IS_ROOT, osUsers } from '../../../../testing/os-users.ts';
import { offeredStream } from '../../../../testing/stream-pair.ts';
import { factsOf } from '../../../runtime/children/hang-up.ts';
import { findDescriptorCloser } from '../../../runtime/children/without-descriptors.ts';
import { silentLog } from '../../../runtime/log.ts';
import { checkLogin } from '../login/check-login.ts';
import { ownUser } from '../login/find-user.ts';
import { findLoginMethod, type LoginMethod } from '../login/start-as.ts';
import { type Commands, createCommands } from './commands.ts';

const RULES = { shell: true, logins: undefined, where: 'agent.yaml' };
const users = osUsers();
let login: string;
let home: string;
let commands: Commands;
const all: Partial<Record<'found' | 'plain', Commands>> = {};
let ways: Record<'found' | 'plain', LoginMethod | undefined>;
beforeAll(async () => {
  login = IS_ROOT ? await users.add({ group: 'gh-exec-group' }) : ownUser().name;
  home = (await checkLogin(login, RULES)).home;
  ways = {
    found: await findLoginMethod(),
    plain: IS_ROOT ? { kind: 'setpriv', program: '/usr/bin/setpriv' } : { kind: 'self' },
  };
});
afterEach(() => Promise.all(Object.values(all).map((each) => each.endAll('the test is over'))));
afterAll(() => users.removeAll());

interface Wanted extends ExecClientOptions {
  way?: keyof typeof ways;
}

async function run(command: string | undefined, { way = 'found', ...options }: Wanted = {}): Promise<ExecClient> {
  const closer = await findDescriptorCloser();
  commands = all[way] ??= createCommands({
    rules: RULES,
    way: ways[way],
    closer,
    language: 'C.UTF-8',
    keys: { socketOf: () => undefined },
    log: silentLog,
  });
  const { offered, near } = offeredStream();
  await commands.serve(offered, { session: 's-1', user: 'ann', login });
  return execClient(near, { command, ...options });
}

const WAYS = ['found', 'plain'] as const;

test.each(WAYS)(
  'a command by the way %s is the login’s: groups, home, a clean environment, no profile',
  async (way) => {
    if (IS_ROOT) writeFileSync(join(home, '.profile'), 'echo profile was read\n');
    const env = { LANG: 'de_DE.UTF-8', LC_ALL: 'en_GB.UTF-8', TERM: 'vt100' };
    const client = await run('echo "$(id -un) $(id -Gn) in $PWD"; env | sort', { way, env });

    expect(await client.exit).toEqual({ code: 0 });
    const [first, ...rest] = client.output().trim().split('\n');
    expect(first).toBe(IS_ROOT ? `${login} ${login} gh-exec-group in ${home}` : `${login} in ${home}`);
    expect(rest.filter((line) => !/^(PWD|SHLVL|_|MAIL|OLDPWD|LS_COLORS)=/.test(line))).toEqual([
      'GATEHOUSE_SESSION=s-1',
      `HOME=${home}`,
      'LANG=de_DE.UTF-8',
      'LC_ALL=en_GB.UTF-8',
      `LOGNAME=${login}`,
      expect.stringMatching(/^PATH=/),
      expect.stringMatching(/^SHELL=/),
      'TERM=vt100',
      `USER=${login}`,
    ]);
  },
);

test.each(WAYS)('codes and signals by the way %s are told apart, and nothing is added to what it says', async (way) => {
  const ends = async (command: string) => {
    const client = await run(command, { way });
    return [await client.exit, client.output('stderr')];
  };

  expect(await ends('exit 7')).toEqual([{ code: 7 }, '']);
  expect(await ends('')).toEqual([{ code: 0 }, '']);
  expect(await ends('exit 137')).toEqual([{ code: 137 }, '']);
  expect(await ends('printf oops >&2; kill -KILL $$')).toEqual([{ signal: 'KILL', core: false }, 'oops']);
  expect(await ends('kill -USR1 $$')).toEqual([{ signal: 'USR1', core: false }, '']);
  expect(await ends('echo Killed >&2; exit 3')).toEqual([{ code: 3 }, 'Killed\n']);
  expect(await ends('no-such-program')).toEqual([{ code: 127 }, expect.stringContaining('not found')]);
});

test('a line that looks like the end of runuser is told soon all the same', async () => {
  const client = await run('echo Terminated >&2; read line; exit 0');

  await client.until(/^Terminated\n$/, 'stderr');
  client.end();

  expect(await client.exit).toBeDefined();
});

test('streams are pipes of its own: a script may open them by name, and no shell takes them for a login', async () => {
  if (IS_ROOT) writeFileSync(join(home, '.bashrc'), 'echo bashrc was read\n');
  const client = await run('echo to stderr > /dev/stderr; cat /dev/stdin > /dev/stdout');
  client.type('through');
  client.end();

  expect(await client.exit).toEqual({ code: 0 });
  expect(client.output()).toBe('through');
  expect(client.output('stderr')).toBe('to stderr\n');
});

test('without a command it is a login shell that reads its input', async () => {
  const client = await run(undefined);
  client.type('echo $0; shopt -q login_shell && echo is a login; exit 4\n');

  expect(await client.exit).toEqual({ code: 4 });
  expect(client.output()).toContain('is a login');
});

test('the end of input is not the end of output', async () => {
  const client = await run('sum=$(sha256sum); sleep 0.2; echo "$sum"; echo later >&2; exit 5');
  client.type('abc');
  client.end();

  expect(await client.exit).toEqual({ code: 5 });
  expect(client.output()).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  -\n');
  expect(client.output('stderr')).toBe('later\n');
});

test.each(WAYS)('a signal by the way %s reaches the whole command, and one it traps is its own affair', async (way) => {
  const trapped = await run('trap "echo got it; exit 9" TERM; echo ready; while :; do sleep 0.05; done', { way });
  await trapped.until(/ready/);
  trapped.send({ type: 'signal', signal: 'TERM' });
  expect(await trapped.exit).toEqual({ code: 9 });
  expect(trapped.output()).toBe('ready\ngot it\n');
  expect(trapped.output('stderr').replace(/.*Terminated.*\n/, '')).toBe('');

  const plain = await run('echo ready; sleep 1000; echo never', { way });
  await plain.until(/ready/);
  plain.send({ type: 'signal', signal: 'NONSENSE' });
  plain.send({ type: 'signal', signal: 'INT' });
  expect(await plain.exit).toEqual({ signal: 'INT', core: false });
});

test('output nobody makes room for waits, the errors beside it do not, and nothing is lost', async () => {
  const client = await run('head -c 5000000 /dev/zero & echo beside >&2; wait', { isStingy: true });
  await client.until(/beside/, 'stderr');
  await vi.waitFor(() => expect(client.received.stdout).toBe(EXEC_WINDOW_BYTES), { timeout: 10_000 });
  await sleep(200);
  expect(client.received.stdout).toBe(EXEC_WINDOW_BYTES);

  for (let given = EXEC_WINDOW_BYTES; given < 5_000_000; given += EXEC_WINDOW_BYTES) {
    client.send({ type: 'window', stream: 'stdout', bytes: EXEC_WINDOW_BYTES });
    await vi.waitFor(() => expect(client.received.stdout).toBe(Math.min(5_000_000, given + EXEC_WINDOW_BYTES)));
  }
  expect(await client.exit).toEqual({ code: 0 });
});

test('input nobody reads waits; more than there was room for cuts the command', async () => {
  const client = await run('echo $$; sleep 1000');
  await client.until(/\d+\n/);
  client.type(Buffer.alloc(EXEC_WINDOW_BYTES));
  await sleep(200);
  expect(client.frames).toEqual([]);

  client.type('x');

  expect(await client.exit).toBeUndefined();
});

test.each(WAYS)(
  'a cut by the way %s ends all of the group, the deaf ones by force, and leaves who left it',
  async (way) => {
    const deaf = 'trap "" HUP; (trap "" HUP; sleep 1001) & echo deaf $!; echo me $$';
    const client = await run(`setsid sleep 1002 >/dev/null 2>&1 </dev/null & echo left $!; ${deaf}; sleep 1003`, {
      way,
    });
    await client.until(/me \d+/);
    const pid = (name: string) => Number(new RegExp(`${name} (\\d+)`).exec(client.output())?.[1]);
    await vi.waitFor(() => expect(factsOf(pid('left'))?.group).toBe(pid('left')));
    client.cut();

    await vi.waitFor(() => expect([pid('me'), pid('deaf')].map(factsOf)).toEqual([undefined, undefined]), {
      timeout: 10_000,
    });
    expect(factsOf(pid('left'))).toBeDefined();
    process.kill(pid('left'), 'SIGKILL');
    await vi.waitFor(() => expect(commands.size).toBe(0));
  },
);

test('what it left behind holds the end back while it holds the output, and is ended with a cut', async () => {
  const client = await run('sleep 1004 & echo left $!; exit 6');
  await client.until(/left \d+/);
  const left = Number(/left (\d+)/.exec(client.output())?.[1]);
  await sleep(300);
  expect(client.frames).toEqual([]);
  client.cut();

  await vi.waitFor(() => expect(factsOf(left)).toBeUndefined(), { timeout: 5_000 });
});

test('what it left behind without its output lives on', async () => {
  const client = await run('sleep 1005 >/dev/null 2>&1 </dev/null & echo left $!; exit 6');

  expect(await client.exit).toEqual({ code: 6 });
  const left = Number(/left (\d+)/.exec(client.output())?.[1]);
  await vi.waitFor(() => expect(commands.size).toBe(0));
  expect(factsOf(left)).toBeDefined();
  process.kill(left, 'SIGKILL');
});

test('an agent that leaves says so, and nothing of its commands is left', async () => {
  const client = await run('echo $$; sleep 1006');
  await client.until(/\d+\n/);
  const pid = Number(client.output());

  await commands.endAll('the agent was stopped');

  expect(await client.exit).toEqual({ reason: 'the agent was stopped' });
  expect(factsOf(pid)).toBeUndefined();
});

test('a command that cannot be begun is told with why, a login that is not let in refused', async () => {
  const long = await run('x'.repeat(127 * 1024));
  expect(await long.exit).toEqual({ code: 127 });
  const tooLong = await run('ä'.repeat(70 * 1024));
  expect(await tooLong.exit).toEqual({ reason: expect.stringContaining('longer than') });

  const { offered } = offeredStream();
  await expect(commands.serve(offered, { session: 's', user: 'ann', login: 'gh-no-such' })).rejects.toThrow(
    'gh-no-such',
  );
});

test('a hundred commands leave no descriptor behind', async () => {
  const open = () => readdirSync('/proc/self/fd').length;
  await (await run('true')).exit;
  const before = open();
  for (let round = 0; round < 10; round++) {
    const clients = await Promise.all(Array.from({ length: 10 }, () => run('cat; exit 2')));
    for (const client of clients) client.end();
    expect(await Promise.all(clients.map(({ exit }) => exit))).toEqual(clients.map(() => ({ code: 2 })));
  }
  await vi.waitFor(() => expect(open()).toBeLessThan(before + 10));
});
