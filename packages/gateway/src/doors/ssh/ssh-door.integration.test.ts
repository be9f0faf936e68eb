/** Real programs at the SSH door: ssh, scp, sftp, rsync and git, by a jump and by name, to a server with plain OpenSSH. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { sshCertificateRoutes } from '@gatehouse/contract/identity/ssh-certificates';
import { sessionRoutes } from '@gatehouse/contract/sessions/sessions';
import { call } from '@gatehouse/contract/wire/client';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { params, type ServerWorld, startServerWorld } from '../../../testing/connection-tests/server-world.ts';
import { type DoorClient, doorClient, openSshDoor } from '../../../testing/sessions/ssh-doors.ts';
import { connectTerminal, tabOf } from '../../../testing/sessions/terminal-client.ts';
import { parsePublicKey } from '../../platform/crypto/ssh/public-key.ts';

let world: ServerWorld;
let port: number;
let login: string;
let client: DoorClient;
beforeAll(async () => {
  world = await startServerWorld();
  await world.trustGateway();
  await world.gateway.app.listen({ host: '127.0.0.1', port: 0 });
  await world.add({ name: 'web-1' });
  port = await openSshDoor(world.gateway);
  login = world.logins[0];
});
afterAll(() => world?.close());
beforeEach(async () => {
  client = await doorClient(port, world.ann);
});

const byName = () => `${login}@web-1@gate`;
const events = async (code: string) => (await world.gateway.events()).filter((event) => event.code === code);
const text = (stream: NodeJS.ReadableStream | null) => {
  let heard = '';
  stream?.on('data', (bytes: Buffer) => {
    heard += bytes;
  });
  return () => heard;
};

test('a command runs by name and by a jump, with its output, its errors, its status and its input', async () => {
  const byNamed = await client.ssh(byName(), 'echo out; echo err >&2; id -un; exit 7');
  const byJump = await client.ssh(`${login}@web-1.localhost`, 'cat; exit 3');
  const piped = await client.run('ssh', ['-F', client.config, `${login}@web-1.localhost`, 'wc -c'], {
    input: Buffer.alloc(1_000_000, 0x61),
  });

  expect(byNamed).toEqual({ code: 7, stdout: `out\n${login}\n`, stderr: 'err\n' });
  expect(byJump).toEqual({ code: 3, stdout: '', stderr: '' });
  expect(piped).toEqual({ code: 0, stdout: '1000000\n', stderr: '' });
  await vi.waitFor(async () => {
    expect(await events('T3002I')).toContainEqual(
      expect.objectContaining({ data: expect.objectContaining({ command: 'wc -c', exitCode: '0' }) }),
    );
    expect(await events('T3002E')).toContainEqual(
      expect.objectContaining({ data: expect.objectContaining({ exitCode: '7', login }) }),
    );
  });
});

test('a command that a signal ended has ended by it, whatever the signal', async () => {
  for (const signal of ['TERM', 'BUS', 'XCPU', 'SYS']) {
    const ran = await client.ssh(byName(), `kill -${signal} $$`);
    expect(ran, signal).toMatchObject({ code: 255, stdout: '' });
    expect(ran.stderr, signal).not.toContain('mistake');
  }
});

test('much on both outputs at once comes whole, each as it was', async () => {
  // Lines that say which they are: what came twice, or not at all, is seen.
  const line = (name: string) =>
    `awk 'BEGIN { for (i = 0; i < 150000; i++) printf "${name} %07d of many lines\\n", i }'`;
  const ran = await client.ssh(byName(), `${line('out')} & ${line('err')} >&2 & wait`);
  const whole = (name: string) =>
    Array.from({ length: 150_000 }, (_, at) => `${name} ${String(at).padStart(7, '0')} of many lines\n`).join('');

  expect(ran.code).toBe(0);
  expect(ran.stdout === whole('out')).toBe(true);
  expect(ran.stderr === whole('err')).toBe(true);
});

test('errors come whole where they are read slowly, and the first output has long ended', async () => {
  const command = `awk 'BEGIN { for (i = 0; i < 88000; i++) printf "err %07d of many lines\\n", i }' >&2; exit 5`;
  // A little more than what ssh lets come before it is read: the rest waits in the door when the command is over.
  const script = 'set -o pipefail; ssh -F "$1" "$2" "$3" 2>&1 >/dev/null | { sleep 2; tail -n 1; }';
  const ran = await client.run('bash', ['-c', script, 'slowly', client.config, byName(), command]);

  expect(ran).toMatchObject({ code: 5, stdout: 'err 0087999 of many lines\n' });
});

test('a short command keeps its status, time after time', async () => {
  const codes = [];
  for (let turn = 0; turn < 12; turn++) codes.push((await client.ssh(byName(), `exit ${turn}`)).code);

  expect(codes).toEqual(Array.from({ length: 12 }, (_, turn) => turn));
});

test('commands that follow each other sign in at the server once, and more at once than it lets one connection run', async () => {
  const accepted = () => world.sshd.log().split('Accepted publickey').length - 1;
  const before = accepted();
  for (const said of ['a', 'b', 'c'])
    expect(await client.ssh(byName(), `echo ${said}`)).toMatchObject({ stdout: `${said}\n` });
  // None at all where the test before has left its connection.
  expect(accepted() - before).toBeLessThanOrEqual(1);

  const many = Array.from({ length: 9 }, (_, index) => client.ssh(byName(), `sleep 1; echo ${index}; exit ${index}`));
  for (const [index, ran] of (await Promise.all(many)).entries())
    expect(ran).toEqual({ code: index, stdout: `${index}\n`, stderr: '' });
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

  expect(await client.run('scp', ['-q', '-F', client.config, local, `${login}@web-1.localhost:one`])).toEqual(ok);
  expect(await client.run('scp', ['-q', '-O', '-F', client.config, local, `${byName()}:two`])).toEqual(ok);
  expect(
    await client.run('scp', ['-q', '-O', '-F', client.config, `${login}@web-1.localhost:one`, join(client.dir, 'b1')]),
  ).toEqual(ok);
  writeFileSync(join(client.dir, 'batch'), `get two ${join(client.dir, 'b2')}\nmkdir made\nrename two made/two\n`);
  expect(
    await client.run('sftp', ['-q', '-F', client.config, '-b', join(client.dir, 'batch'), byName()]),
  ).toMatchObject({ code: 0 });
  const shell = `ssh -F ${client.config}`;
  expect(await client.run('rsync', ['-e', shell, '-a', local, `${login}@web-1.localhost:three`])).toEqual(ok);
  expect(
    await client.run('rsync', ['-e', shell, '-a', `${login}@web-1.localhost:three`, join(client.dir, 'b3')]),
  ).toEqual(ok);

  expect(await events('TS001I')).toContainEqual(
    expect.objectContaining({ data: expect.objectContaining({ path: expect.stringMatching(/one$/) }) }),
  );
  expect(await events('TS016I')).toHaveLength(1);
  expect([back('b1'), back('b2'), back('b3')]).toEqual([hash, hash, hash]);
  expect((await client.ssh(byName(), 'sha256sum made/two | cut -c1-64')).stdout.trim()).toBe(hash);
});

test('git clones and pushes over it', async () => {
  const git = (args: string[], cwd = client.dir) =>
    client.run(
      'git',
      ['-c', `core.sshCommand=ssh -F ${client.config}`, '-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args],
      { cwd },
    );
  await client.ssh(byName(), 'rm -rf repo.git; git init -q --bare -b main repo.git');

  expect(await git(['clone', '-q', `${login}@web-1.localhost:repo.git`, 'copy'])).toMatchObject({ code: 0 });
  const copy = join(client.dir, 'copy');
  mkdirSync(join(copy, 'a'));
  writeFileSync(join(copy, 'a', 'file'), randomBytes(500_000));
  await git(['add', '.'], copy);
  await git(['commit', '-qm', 'one'], copy);
  expect(await git(['push', '-q', 'origin', 'HEAD:main'], copy)).toMatchObject({ code: 0 });
  expect((await git(['ls-remote', 'origin'], copy)).stdout).toContain('refs/heads/main');
});

test('a shell with a terminal is a session that others find and join, and it ends with who opened it', async () => {
  const child = client.start('ssh', ['-tt', '-F', client.config, byName()]);
  const heard = text(child.stdout);
  child.stdin?.write('PS1=; stty size; echo sum=$((40+2))\n');
  await vi.waitFor(() => expect(heard()).toContain('sum=42'), { timeout: SOON_MS });
  const listed = await call(world.ann.send, sessionRoutes.list, { params: { clusterId: 'localhost' } });
  const [open] = listed.sessions.filter(({ login: as }) => as === login);
  const browser = connectTerminal(tabOf(world.gateway.app, world.ann), {
    ...{ type: 'attach', sid: open!.id, cols: 80, rows: 24, writer: 'abcdef0123456789' },
  } as never);
  onTestFinished(() => browser.cut());
  await browser.state;
  browser.type('echo from=$((3*3))\n');
  await vi.waitFor(() => expect(heard()).toContain('from=9'), { timeout: SOON_MS });
  child.stdin?.write('exit 5\n');
  const code = await new Promise((resolve) => child.once('close', resolve));

  expect(code).toBe(5);
  expect(await browser.told('ended')).toMatchObject({ cause: 'exited', exitCode: 5 });
});

test('a command on a terminal has one, and gives its status', async () => {
  const ran = await client.ssh('-tt', byName(), 'test -t 1 && echo tty=$TERM; exit 4');

  expect(ran.code).toBe(4);
  expect(ran.stdout).toMatch(/tty=\S+/);
});

test('ports are forwarded from the server, each an event, unless a role forbids it', async () => {
  const target = world.sshd.port;
  const seen = await client.run('ssh', ['-F', client.config, '-W', `127.0.0.1:${target}`, byName()], { input: '' });

  expect(seen.stdout).toMatch(/^SSH-2\.0-OpenSSH/);
  await vi.waitFor(async () =>
    expect(await events('T3003I')).toContainEqual(
      expect.objectContaining({ data: expect.objectContaining({ addr: `127.0.0.1:${target}` }) }),
    ),
  );

  await world.makeRole('no-ports', '{options: {port_forwarding: false}}').catch(() => {});
  await world.gateway.setRoles('ann', ['dev', 'no-ports']);
  onTestFinished(() => world.gateway.setRoles('ann', ['dev']));
  await vi.waitFor(async () => {
    const refused = await client.run(
      'ssh',
      ['-F', client.config, '-o', 'LogLevel=INFO', '-W', `127.0.0.1:${target}`, byName()],
      { input: '' },
    );
    expect(refused.stderr).toContain("port forwarding is turned off by your role 'no-ports'");
  });
});

test('copying is refused where a role does not let it, in every protocol, and nothing else is', async () => {
  await world.makeRole('no-copy', '{options: {ssh_file_copy: false}}').catch(() => {});
  await world.gateway.setRoles('ann', ['dev', 'no-copy']);
  onTestFinished(() => world.gateway.setRoles('ann', ['dev']));
  const file = join(client.dir, 'f');
  writeFileSync(file, 'x');

  await vi.waitFor(async () => {
    const byScp = await client.run('scp', ['-O', '-F', client.config, file, `${login}@web-1.localhost:no`]);
    expect(byScp.stderr).toContain('does not let you copy files');
  });
  const bySftp = await client.run('scp', ['-F', client.config, file, `${login}@web-1.localhost:no`]);
  expect(bySftp.stderr).toContain('does not let you copy files');
  const byRsync = await client.run('rsync', ['-e', `ssh -F ${client.config}`, file, `${login}@web-1.localhost:no`]);
  expect(byRsync.stderr).toContain('does not let you copy files');
  expect(await client.ssh(byName(), 'echo yes')).toMatchObject({ code: 0, stdout: 'yes\n' });
});

test.each([
  ['a server nobody has', () => `${login}@nowhere@gate`, /no server 'nowhere' that you see/],
  [
    'a login that no role gives',
    () => 'root@web-1@gate',
    /none of your roles lets you sign in to 'web-1' as 'root'; you may: .*\(why: gatehouse access denial [0-9a-f-]{36}\)/,
  ],
  ['no server at all', () => `${login}@127.0.0.1`, /name a server|Connection refused/],
])('%s is told in words', async (_, target, words) => {
  const { code, stderr } = await client.run('ssh', [
    '-F',
    client.config,
    '-p',
    String(port),
    '-o',
    'LogLevel=INFO',
    target(),
    'true',
  ]);

  expect(code).toBe(255);
  expect(stderr).toMatch(words);
});

test('a lock ends what runs soon, with words', async () => {
  const child = client.start('ssh', ['-F', client.config, byName(), 'echo begun; sleep 60']);
  const [out, err] = [text(child.stdout), text(child.stderr)];
  await vi.waitFor(() => expect(out()).toContain('begun'), { timeout: SOON_MS });
  const from = Date.now();
  const left = new Promise((resolve) => child.once('close', resolve));
  const lock = await call(world.admin.send, lockRoutes.create, { params, body: { targets: { login } } });
  onTestFinished(
    async () => void (await call(world.admin.send, lockRoutes.remove, { params: { ...params, name: lock.name } })),
  );
  const code = await left;

  expect(code).toBe(255);
  expect(Date.now() - from).toBeLessThan(SOON_MS);
  expect(err()).toMatch(/gatehouse: the login '.*' is locked/);
});

test('a certificate for one session opens that one, and nothing else', async () => {
  const { certificates } = world.gateway.ssh;
  const line = readFileSync(join(client.dir, 'id.pub'), 'utf8');
  const [mine] = await call(world.ann.send, sshCertificateRoutes.list, {});
  const who = { username: 'ann', signInId: mine?.signIn ?? '' };
  const limited = async (over: object) => {
    const limits = { request: randomUUID(), address: '127.0.0.1', server: 'web-1', login, command: '', ...over };
    const issued = await certificates.issue(who, {
      ...{ key: parsePublicKey(line), expires: Date.now() + 60_000, address: '127.0.0.1', limits },
    });
    writeFileSync(join(client.dir, 'id-cert.pub'), `${issued.line}\n`);
  };

  await limited({});
  expect(await client.run('ssh', ['-F', client.config, '-W', '127.0.0.1:22', byName()])).toMatchObject({ code: 255 });
  expect((await client.ssh(`${world.logins[1]}@web-1@gate`, 'true')).stderr).toContain(
    `approved for ${login}@web-1 alone`,
  );
  expect(await client.ssh(byName(), 'echo one')).toMatchObject({ code: 0, stdout: 'one\n' });
  expect((await client.ssh(byName(), 'echo two')).stderr).toContain('approved for one session');
  await limited({ address: '192.0.2.7' });
  expect((await client.ssh(byName(), 'echo three')).stderr).toContain('Permission denied');

  await limited({ command: 'echo one' });
  const others = [['echo one; id'], ['-tt', 'sh'], []].map((words) => ['-F', client.config, byName(), ...words]);
  for (const args of others)
    expect(await client.run('ssh', args, { input: 'id\n' })).toMatchObject({
      ...{ code: 255, stdout: '', stderr: expect.stringContaining("approved to run 'echo one' alone") },
    });
  expect(await client.run('sftp', ['-F', client.config, byName()], { input: 'ls /\n' })).toMatchObject({ code: 255 });
  expect(await client.ssh(byName(), 'echo one')).toMatchObject({ code: 0, stdout: 'one\n' });
});
