/** Real programs at the SSH door of a real gateway process, to a server that a real agent holds. */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordingRoutes } from '@gatehouse/contract/recordings/recordings';
import { sessionRoutes } from '@gatehouse/contract/sessions/sessions';
import { call, type Send } from '@gatehouse/contract/wire/client';
import { freePort } from '@gatehouse/testkit/free-port';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { agentOfKeys } from '../../../testing/sessions/agent-of-keys.ts';
import { type ProcessWorld, SERVER, startProcessWorld } from '../../../testing/sessions/process-world.ts';
import { type DoorClient, doorClient } from '../../../testing/sessions/ssh-doors.ts';

let world: ProcessWorld;
let send: Send;
let port: number;
let client: DoorClient;
beforeAll(async () => {
  port = await freePort();
  world = await startProcessWorld(
    { GATEHOUSE_SSH_LISTEN: `127.0.0.1:${port}` },
    { options: '{remote_forwarding: true, forward_agent: true, permit_x11_forwarding: true}' },
  );
  const { tab, gateway } = world;
  const csrf = /grv_csrf=([0-9a-f]+)/.exec(tab.headers.cookie ?? '')?.[1] ?? '';
  const headers = { ...tab.headers, authorization: `Bearer ${tab.token}`, 'x-csrf-token': csrf };
  send = async ({ method, url, body }) => {
    const json =
      body === undefined ? { headers } : { body, headers: { ...headers, 'content-type': 'application/json' } };
    const reply = await fetch(`${gateway.origin}${url}`, { method, ...json });
    return { status: reply.status, text: await reply.text() };
  };
});
afterAll(() => world?.close());
beforeEach(async () => {
  client = await doorClient(port, { send });
});
const byName = () => `${world.login}@${SERVER}@gate`;

test('commands run as the login, by name and by a jump, with input, errors, status and signals', async () => {
  const byNamed = await client.ssh(byName(), 'echo out; echo err >&2; id -un; exit 7');
  const byJump = await client.run('ssh', ['-F', client.config, `${world.login}@${SERVER}.localhost`, 'wc -c; exit 3'], {
    input: Buffer.alloc(1_000_000, 0x61),
  });
  const killed = await client.ssh(byName(), 'kill -TERM $$');
  const shell = await client.run('ssh', ['-T', '-F', client.config, byName()], { input: 'echo typed; exit 4\n' });

  expect(byNamed).toEqual({ code: 7, stdout: `out\n${world.login}\n`, stderr: 'err\n' });
  expect(byJump).toEqual({ code: 3, stdout: '1000000\n', stderr: '' });
  expect(killed.code).toBe(255);
  expect(shell).toMatchObject({ code: 4, stdout: expect.stringContaining('typed') });
});

test('files are copied by scp in both protocols, sftp and rsync, bit by bit', async () => {
  const bytes = randomBytes(3_000_000);
  const hash = createHash('sha256').update(bytes).digest('hex');
  const local = join(client.dir, 'local');
  writeFileSync(local, bytes);
  const back = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(client.dir, name)))
      .digest('hex');
  const ok = expect.objectContaining({ code: 0, stderr: '' });
  const remote = `${world.login}@${SERVER}.localhost`;

  expect(await client.run('scp', ['-q', '-F', client.config, local, `${remote}:one`])).toEqual(ok);
  expect(await client.run('scp', ['-q', '-O', '-F', client.config, local, `${byName()}:two`])).toEqual(ok);
  expect(await client.run('scp', ['-q', '-O', '-F', client.config, `${remote}:one`, join(client.dir, 'b1')])).toEqual(
    ok,
  );
  writeFileSync(join(client.dir, 'batch'), `get two ${join(client.dir, 'b2')}\nmkdir made\nrename two made/two\n`);
  expect(
    await client.run('sftp', ['-q', '-F', client.config, '-b', join(client.dir, 'batch'), byName()]),
  ).toMatchObject({ code: 0 });
  const shell = `ssh -F ${client.config}`;
  expect(await client.run('rsync', ['-e', shell, '-a', local, `${remote}:three`])).toEqual(ok);
  expect(await client.run('rsync', ['-e', shell, '-a', `${remote}:three`, join(client.dir, 'b3')])).toEqual(ok);

  expect([back('b1'), back('b2'), back('b3')]).toEqual([hash, hash, hash]);
});

test('a shell whose program vanished without a goodbye waits, and is found in the browser', async () => {
  const child = client.start('ssh', ['-tt', '-F', client.config, byName()]);
  let heard = '';
  child.stdout?.on('data', (bytes: Buffer) => {
    heard += bytes;
  });
  child.stdin?.write('PS1=; echo sum=$((40+2))\n');
  await vi.waitFor(() => expect(heard).toContain('sum=42'), { timeout: SOON_MS });
  const open = async () =>
    (await call(send, sessionRoutes.list, { params: { clusterId: 'localhost' } })).sessions.filter(
      ({ login }) => login === world.login,
    );
  const before = await open();
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('close', resolve));
  await vi.waitFor(async () => expect((await open())[0]?.parties).toEqual([]), { timeout: SOON_MS });
  const [left] = await open();
  await call(send, sessionRoutes.end, { params: { clusterId: 'localhost', sid: left?.id ?? '' }, body: {} } as never);

  expect(left?.id).toBe(before[0]?.id);
});

test('a command on a terminal has one', async () => {
  const ran = await client.ssh('-tt', byName(), 'test -t 1 && echo tty=$TERM; exit 4');

  expect(ran.code).toBe(4);
  expect(ran.stdout).toMatch(/tty=\S+/);
});

test('a command that is too long for a terminal is refused in words, and runs without one', async () => {
  const command = `echo ${'a'.repeat(9_000)}`;

  const onTerminal = await client.ssh('-tt', byName(), command);
  expect(onTerminal.stderr).toContain('gatehouse: on a terminal a command has at most 8000 bytes');
  expect((await client.ssh(byName(), command)).stdout).toHaveLength(9_001);
  // What weighs more on its way than it is long.
  const steering = await client.ssh('-tt', byName(), `echo ${'\u0001'.repeat(7_000)}`);
  expect(steering.stderr).toContain('gatehouse: on a terminal a command has at most 8000 bytes');
});

test('language and terminal of a program are those of what it runs, with a terminal and without', async () => {
  const env = { LANG: 'C.UTF-8', LC_TIME: 'POSIX', LC_ALL: '', COLORTERM: 'truecolor', LC_PAPER: 'a$(id)' };
  const look = 'echo "$LANG $LC_TIME $COLORTERM $LC_PAPER."';
  const said = (...flags: string[]) =>
    client.run('ssh', ['-F', client.config, '-o', 'SendEnv=LANG LC_* COLORTERM', ...flags, byName(), look], { env });

  // A value that no such variable has is left out.
  expect((await said()).stdout).toBe('C.UTF-8 POSIX truecolor .\n');
  expect((await said('-tt')).stdout).toBe('C.UTF-8 POSIX truecolor .\r\n');
});

test('the keys of a program are used on it, by commands and on a terminal, and -R is refused in words', async () => {
  const { socket, fingerprint } = await agentOfKeys();
  const forward = ['-F', client.config, '-A', '-o', `IdentityAgent=${socket}`];
  const look = 'for i in 1 2 3 4; do ssh-add -l & done; wait; echo sock=$SSH_AUTH_SOCK';

  const plain = await client.run('ssh', [...forward, byName(), look]);
  expect(plain.stdout.split(fingerprint), plain.stderr).toHaveLength(5);
  const onTerminal = await client.run('ssh', [...forward, '-tt', byName(), look]);
  expect(onTerminal.stdout.split(fingerprint), onTerminal.stdout).toHaveLength(5);
  const [, path = ''] = /sock=(\S+)/.exec(plain.stdout) ?? [];
  await vi.waitFor(() => expect(existsSync(path)).toBe(false), { timeout: SOON_MS });
  expect((await client.ssh(byName(), 'echo sock=$SSH_AUTH_SOCK')).stdout).toBe('sock=\n');

  const listening = client.start('ssh', ['-F', client.config, '-R', '0:127.0.0.1:1', byName(), 'cat']);
  let told = '';
  listening.stderr?.on('data', (bytes: Buffer) => {
    told += bytes;
  });
  await vi.waitFor(() => expect(told).toContain(`the agent on '${SERVER}' listens for nobody`), { timeout: SOON_MS });
});

test('fifty commands at once through one connection that is shared all run', async () => {
  const shared = [
    '-F',
    client.config,
    '-o',
    `ControlPath=${client.dir}/c`,
    '-o',
    'ControlMaster=auto',
    '-o',
    'ControlPersist=20',
  ];
  await client.run('ssh', [...shared, byName(), 'true']);
  const all = await Promise.all(
    Array.from({ length: 50 }, (_, turn) => client.run('ssh', [...shared, byName(), `echo ${turn}; exit ${turn}`])),
  );
  await client.run('ssh', [...shared, '-O', 'exit', byName()]);

  expect(all.map(({ code, stdout }) => `${code} ${stdout.trim()}`)).toEqual(
    Array.from({ length: 50 }, (_, turn) => `${turn} ${turn}`),
  );
});

/** The last one: there is no agent after it. */
test('an agent that is killed in the middle of a command ends it in words, and what it printed is recorded', async () => {
  const child = client.start('ssh', ['-F', client.config, byName(), 'echo before-the-end; sleep 60']);
  const heard = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.on('data', (bytes: Buffer) => {
      heard[name] += bytes;
    });
  await vi.waitFor(() => expect(heard.stdout).toBe('before-the-end\n'), { timeout: SOON_MS });
  const { sessions } = await call(send, sessionRoutes.list, { params: { clusterId: 'localhost' } });
  process.kill(world.agentPid(), 'SIGKILL');
  const [code] = await once(child, 'close');

  expect(code).toBe(255);
  expect(heard.stderr).toContain('gatehouse: the connection to the agent was lost');
  const printed = Buffer.from('before-the-end\r\n').toString('base64');
  const params = { clusterId: 'localhost', sid: sessions[0]?.id ?? '' };
  await vi.waitFor(
    async () => {
      const { items } = await call(world.owner, recordingRoutes.playback, { params, query: { seek: '0' } });
      expect(items).toContainEqual(expect.objectContaining({ type: 'output', data: printed }));
    },
    { timeout: SOON_MS },
  );
});
