/** Real programs at the SSH door of a root, led to a server of its leaf: by name and by a jump, decided and recorded there. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { cliLoginRoutes } from '@gatehouse/contract/identity/cli-login';
import { signInRoutes } from '@gatehouse/contract/identity/sign-in';
import { sessionRoutes } from '@gatehouse/contract/sessions/sessions';
import { call } from '@gatehouse/contract/wire/client';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { params, type ServerWorld, startServerWorld } from '../../testing/connection-tests/server-world.ts';
import { startCluster, type TestCluster } from '../../testing/federation/two-clusters.ts';
import { codeOf, enrolApp } from '../../testing/identity-gateway.ts';
import { makeLeaf } from '../../testing/relay/leaf-world.ts';
import { acceptByDevice, askedByLink, type Person, somebodyWithApp } from '../../testing/sessions/factor-links.ts';
import { type DoorClient, doorClient, openSshDoor } from '../../testing/sessions/ssh-doors.ts';
import { connectTerminal, tabOf } from '../../testing/sessions/terminal-client.ts';
import type { TestBrowser } from '../../testing/test-browser.ts';

const MIB = 1024 * 1024;
/** Many times what all windows and buffers on its way hold. */
const FLOOD_BYTES = 96 * MIB;

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;
function usedBytes(): number {
  gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** What both clusters hold, both of them in this process, until nothing more comes to lie here. */
async function mostUntilCalm(): Promise<number> {
  let [last, most, calm] = [0, 0, 0];
  for (let turn = 0; turn < 200 && calm < 10; turn++) {
    await sleep(50);
    const now = usedBytes();
    calm = Math.abs(now - last) < MIB ? calm + 1 : 0;
    [last, most] = [now, Math.max(most, now)];
  }
  return most;
}

let root: TestCluster;
let leaf: ServerWorld;
let ann: TestBrowser;
let port: number;
let login: string;
let client: DoorClient;
beforeAll(async () => {
  root = await startCluster('home', undefined, { secondFactor: 'optional' });
  // sshd looks at its own clock; whoever signed in before is long gone then.
  root.clock.now = Date.now();
  root.admin = await root.signedIn('admin');
  leaf = await startServerWorld({ secondFactor: 'optional' });
  await leaf.trustGateway();
  await leaf.gateway.app.listen({ host: '127.0.0.1', port: 0 });
  await leaf.add({ name: 'web-1' });
  login = leaf.logins[0];
  const careful = `{allow: {logins: [${login}], node_labels: {env: dev}}, options: {require_session_mfa: true}}`;
  await leaf.makeRole('careful', careful);
  const wish = `{name: two, filter: 'contains(user.roles, "eyes")', kinds: [ssh], modes: [moderator]}`;
  await leaf.makeRole('watched', `{allow: {require_session_join: [${wish}]}}`);
  const eyes = '{name: j, kinds: [ssh], roles: [watched], modes: [moderator]}';
  await leaf.makeRole('eyes', `{allow: {join_sessions: [${eyes}]}}`);
  for (const name of ['watched-there', 'eyes-there'])
    await call(root.admin.send, roleRoutes.create, {
      body: { content: `kind: role\nversion: v6\nmetadata: {name: ${name}}\nspec: {}\n` },
    });
  await makeLeaf(root, leaf.gateway, [
    { remote: 'access', local: ['dev'] },
    { remote: 'auditor', local: ['careful'] },
    { remote: 'watched-there', local: ['watched'] },
    { remote: 'eyes-there', local: ['eyes'] },
  ]);
  ann = await root.signedIn('ann');
  port = await openSshDoor(root);
});
afterAll(async () => {
  await leaf?.close();
  await root?.close();
});
beforeEach(async () => {
  // What a test before this one set them forward by would make certificates of the future.
  root.clock.now = leaf.gateway.clock.now = Date.now();
  client = await doorClient(port, ann);
});

const byName = () => `${login}@web-1+localhost@gate`;
const byJump = () => `${login}@web-1.localhost`;
const events = async (code: string) => (await leaf.gateway.events()).filter((event) => event.code === code);

test('a command runs by name and by a jump, with its outputs, its status and its input, and the leaf has it in its log', async () => {
  const named = await client.ssh(byName(), 'echo out; echo err >&2; id -un; exit 7');
  const jumped = await client.ssh(byJump(), 'cat; exit 3');
  const piped = await client.run('ssh', ['-F', client.config, byJump(), 'wc -c'], {
    input: Buffer.alloc(1_000_000, 0x61),
  });

  expect(named).toEqual({ code: 7, stdout: `out\n${login}\n`, stderr: 'err\n' });
  expect(jumped).toEqual({ code: 3, stdout: '', stderr: '' });
  expect(piped).toEqual({ code: 0, stdout: '1000000\n', stderr: '' });
  await vi.waitFor(async () => {
    expect(await events('T3002E')).toContainEqual(
      expect.objectContaining({ user: 'root/ann', data: expect.objectContaining({ exitCode: '7', login }) }),
    );
  });
  expect((await root.events()).filter(({ code }) => code.startsWith('T3002'))).toEqual([]);
  await vi.waitFor(async () => expect((await root.events()).map(({ code }) => code)).toContain('GH221I'));
});

test('much on both outputs at once comes whole', async () => {
  const line = (name: string) =>
    `awk 'BEGIN { for (i = 0; i < 50000; i++) printf "${name} %07d of many lines\\n", i }'`;
  const whole = (name: string) =>
    Array.from({ length: 50_000 }, (_, at) => `${name} ${String(at).padStart(7, '0')} of many lines\n`).join('');

  const ran = await client.ssh(byJump(), `${line('out')} & ${line('err')} >&2 & wait`);

  expect([ran.code, ran.stdout === whole('out'), ran.stderr === whole('err')]).toEqual([0, true, true]);
});

test('what a server of the leaf prints and nobody reads lies with it, and comes whole once it is read', async () => {
  const before = usedBytes();
  const running = client.start('ssh', ['-F', client.config, byName(), `head -c ${FLOOD_BYTES} /dev/zero`]);
  const closed = once(running, 'close');
  await once(running.stdout!, 'readable');
  // It takes nothing from the network, and what it was given stays in the pipe.
  running.kill('SIGSTOP');
  onTestFinished(() => void running.kill('SIGCONT'));
  const most = await mostUntilCalm();

  expect(most - before).toBeLessThan(FLOOD_BYTES / 2);
  running.kill('SIGCONT');
  let bytes = 0;
  running.stdout!.on('data', (piece: Buffer) => {
    bytes += piece.length;
  });
  expect(await closed).toEqual([0, null]);
  expect(bytes).toBe(FLOOD_BYTES);
});

test('a terminal has its size, and a signal ends what runs', async () => {
  const ran = await client.ssh('-tt', byJump(), 'stty size; tty >/dev/null && echo terminal');

  expect(ran.stdout).toMatch(/^\d+ \d+\r\nterminal\r\n$/);
  expect(ran.code).toBe(0);
  expect(await client.ssh(byName(), 'kill -TERM $$')).toMatchObject({ code: 255 });
});

test('files are copied with scp in both protocols, and with sftp', async () => {
  const bytes = randomBytes(3_000_000);
  const from = join(client.dir, 'sent');
  writeFileSync(from, bytes);
  for (const more of [['-O'], []]) {
    const back = join(client.dir, `back${more.join('')}`);
    const there = `/tmp/gatehouse-${randomBytes(6).toString('hex')}`;
    expect(await client.run('scp', ['-F', client.config, ...more, from, `${byJump()}:${there}`])).toMatchObject({
      code: 0,
    });
    expect(await client.run('scp', ['-F', client.config, ...more, `${byJump()}:${there}`, back])).toMatchObject({
      code: 0,
    });
    expect(readFileSync(back).equals(bytes)).toBe(true);
    const removed = await client.run('sftp', ['-F', client.config, '-b', '-', byJump()], { input: `rm ${there}\n` });
    expect(removed.code).toBe(0);
  }
});

test('a port is forwarded from the server of the leaf, and the leaf has it in its log', async () => {
  const listening = createServer((socket) => socket.end('hello from there')).listen(0, '127.0.0.1');
  await once(listening, 'listening');
  onTestFinished(() => void listening.close());
  const { port: there } = listening.address() as { port: number };

  const ran = await client.ssh('-W', `127.0.0.1:${there}`, byName());

  expect(ran.stdout).toBe('hello from there');
  await vi.waitFor(async () =>
    expect(await events('T3003I')).toContainEqual(expect.objectContaining({ user: 'root/ann' })),
  );
});

test('what the leaf does not give is told in its words', async () => {
  const wrongLogin = await client.ssh('root@web-1+localhost@gate', 'true');
  expect(wrongLogin).toMatchObject({ code: 255, stderr: expect.stringMatching(/^gatehouse: .*root/) });
  const unknown = await client.ssh(`${login}@web-9.localhost`, 'true');
  expect(unknown).toMatchObject({ code: 255, stderr: expect.stringContaining("no server 'web-9' that you see") });
  const nowhere = await client.ssh(`${login}@web-1+nowhere@gate`, 'true');
  expect(nowhere).toMatchObject({ code: 255, stderr: expect.stringContaining('no server') });
  const agent = await client.ssh('-R', '0:127.0.0.1:9', '-o', 'ExitOnForwardFailure=no', byName(), 'sleep 0.2');
  expect(agent.stderr).toContain('remote_forwarding');
});

test('signing out at the root ends what runs at the leaf within two seconds, in words', async () => {
  const browser = await root.signedIn('ann');
  const other = await doorClient(port, browser);
  const running = other.start('ssh', ['-F', other.config, byJump(), 'echo begun; sleep 60']);
  let said = '';
  running.stderr?.on('data', (bytes: Buffer) => {
    said += bytes;
  });
  const closed = once(running, 'close');
  await once(running.stdout!, 'data');

  const from = performance.now();
  await call(browser.send, signInRoutes.signOut, {});
  const [code] = await closed;

  expect(performance.now() - from).toBeLessThan(SOON_MS);
  expect(said).toContain('gatehouse: ');
  expect(code).toBe(255);
  const open = async () => (await call(leaf.admin.send, sessionRoutes.list, { params })).sessions;
  await vi.waitFor(async () => expect((await open()) ?? []).toEqual([]), { timeout: SOON_MS });
});

test('a second factor that a role of the leaf wants is asked for by the root, and checked there', async () => {
  await root.addUser('carl', { roles: ['auditor'] });
  const carl = await root.signedIn('carl');
  const secret = await enrolApp(root, carl);
  const other = await doorClient(port, carl);
  const program = join(other.dir, 'askpass');
  const question = join(other.dir, 'question');
  root.clock.advance(30_000);
  const code = codeOf(secret, root.clock.now);
  leaf.gateway.clock.now = root.clock.now;
  writeFileSync(program, `#!/bin/sh\nprintf '%s' "$1" > ${question}\necho ${code}\n`, { mode: 0o755 });
  const env = { SSH_ASKPASS: program, SSH_ASKPASS_REQUIRE: 'force', DISPLAY: ':0' };
  const asking = ['-F', other.config, '-o', 'BatchMode=no'];

  const ran = await other.run('ssh', [...asking, byName(), 'echo in'], { env });
  const again = await other.run('ssh', [...asking, byJump(), 'echo in'], { env });

  expect(ran).toMatchObject({ code: 0, stdout: 'in\n' });
  expect(readFileSync(question, 'utf8')).toContain("Code of your authenticator app, for 'localhost', or open ");
  // It was used up.
  expect(again).toMatchObject({ code: 255, stdout: '' });
});

test('a device that is shown to a browser of the root counts at the leaf, and of whoever connects alone', async () => {
  const dan = await somebodyWithApp(root, 'dan', ['auditor']);
  const eva = await somebodyWithApp(root, 'eva', ['auditor']);
  const other = await doorClient(port, dan.browser);
  // Whoever enrols an app sets the clock of the root forward.
  leaf.gateway.clock.now = root.clock.now;
  const once = ['-o', 'BatchMode=no', '-o', 'NumberOfPasswordPrompts=1'];
  const ssh = (answer: Parameters<typeof askedByLink>[1]) =>
    askedByLink(['-F', other.config, ...once, byJump(), 'echo in'], answer);
  const by = (person: Person) => (id: string) => acceptByDevice(root, person, id);

  const shown = await ssh(async (requestId) => {
    const details = await call(dan.browser.send, cliLoginRoutes.details, { params: { requestId } });
    expect(details).toMatchObject({ ssh: { server: 'web-1.localhost', login } });
  });
  expect(shown).toMatchObject({ code: 255, stdout: '' });
  expect(await ssh(by(eva))).toMatchObject({ code: 255, stdout: '' });
  expect(await ssh(by(dan))).toEqual({ code: 0, stdout: 'in\n', stderr: '' });
});

test('one that was given on the connection already is not asked for again, and who cannot be asked is told what to run', async () => {
  const content =
    'kind: role\nversion: v6\nmetadata: {name: with-factor}\nspec: {options: {require_session_mfa: true}}\n';
  await call(root.admin.send, roleRoutes.create, { body: { content } });
  const fay = await somebodyWithApp(root, 'fay', ['auditor', 'with-factor']);
  const other = await doorClient(port, fay.browser);
  leaf.gateway.clock.now = root.clock.now;
  const asking = ['-F', other.config, '-o', 'BatchMode=no', '-o', 'NumberOfPasswordPrompts=1'];

  const ran = await askedByLink([...asking, byName(), 'echo in'], async (id, question) => {
    expect(question).toContain('Code of your authenticator app, or open');
    await acceptByDevice(root, fay, id);
  });
  const gus = await somebodyWithApp(root, 'gus', ['auditor']);
  const mute = await doorClient(port, gus.browser);
  const silent = await mute.ssh('-o', 'LogLevel=INFO', byJump(), 'true');

  expect(ran).toEqual({ code: 0, stdout: 'in\n', stderr: '' });
  expect(silent).toMatchObject({ code: 255, stderr: expect.stringContaining('ssh -M -S SOCKET') });
});

test('what a role of the leaf lets be done only under eyes runs no command, and a shell waits for a moderator of the root', async () => {
  await root.addUser('ida', { roles: ['access', 'watched-there'] });
  await root.addUser('joe', { roles: ['eyes-there'] });
  const other = await doorClient(port, await root.signedIn('ida'));
  const command = await other.ssh(byName(), 'echo ran');
  const copied = await other.run('sftp', ['-F', other.config, '-b', '-', byJump()], { input: 'ls /\n' });
  const shell = other.start('ssh', ['-tt', '-F', other.config, byJump()]);
  let said = '';
  shell.stdout?.on('data', (bytes: Buffer) => {
    said += bytes;
  });
  await vi.waitFor(() => expect(said).toContain('The session is waiting.'), { timeout: SOON_MS });
  shell.stdin?.write('echo sum=$((40+2))\n');
  const joe = await root.signedIn('joe');
  const listed = async () =>
    (await call(joe.send, sessionRoutes.list, { params: { clusterId: 'localhost' } })).sessions[0]?.id ??
    expect.fail('no session is listed');
  const sid = await vi.waitFor(listed, { timeout: SOON_MS });
  expect(said).not.toContain('sum=42');
  const tab = tabOf(root.app, joe);
  const moderator = connectTerminal(
    { ...tab, url: tab.url.replace('-current-', 'localhost') },
    { type: 'attach', sid, cols: 80, rows: 24, writer: '00000000000000bb', mode: 'moderator' },
  );
  onTestFinished(() => moderator.cut());
  await vi.waitFor(() => expect(said).toContain('The session goes on.'), { timeout: SOON_MS });
  shell.stdin?.write('echo product=$((40*2))\n');
  await moderator.until(/product=80/);

  for (const { code, stdout, stderr } of [command, copied]) {
    expect([code === 0, stdout]).toEqual([false, expect.not.stringContaining('ran')]);
    expect(stderr).toContain('only under the eyes of a moderator');
  }
});
