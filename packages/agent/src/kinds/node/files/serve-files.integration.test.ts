/** Files through an agent's stream. As root with an OS user made for it; otherwise as the user who runs the tests. */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { ANSWER, OPEN_FLAG, REQUEST, STATUS } from '@gatehouse/contract/kinds/node/files/sftp';
import { StreamRefused } from '@gatehouse/tunnel/tunnel-error';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type SftpClient, sftpClient } from '../../../../testing/files/sftp-client.ts';
import { IS_ROOT, osUsers } from '../../../../testing/os-users.ts';
import { offeredStream } from '../../../../testing/stream-pair.ts';
import type { Person } from '../../../runtime/children/environment.ts';
import { findDescriptorCloser } from '../../../runtime/children/without-descriptors.ts';
import { createAgentLog } from '../../../runtime/log.ts';
import { checkLogin, LoginRefused } from '../login/check-login.ts';
import { ownUser } from '../login/find-user.ts';
import { findLoginMethod } from '../login/start-as.ts';
import { createFiles, type Files, type FilesDeps } from './serve-files.ts';

const RULES = { shell: true, logins: undefined, where: 'agent.yaml' };
const SOON = { timeout: 10_000 };
const { read, write, create } = OPEN_FLAG;
const users = osUsers();
const lines: string[] = [];
const streams: Duplex[] = [];
let ann: Person;
let world: FilesDeps;
let files: Files;
let secrets: string;

beforeAll(async () => {
  ann = IS_ROOT ? await checkLogin(await users.add({ group: 'gh-files-group' }), RULES) : ownUser();
  world = {
    rules: RULES,
    way: await findLoginMethod(),
    closer: await findDescriptorCloser(),
    language: 'C.UTF-8',
    log: createAgentLog({ format: 'pretty', write: (line) => lines.push(line) }),
  };
  files = createFiles(world);
  secrets = mkdtempSync(join(tmpdir(), 'gatehouse-secrets-'));
});
afterEach(async () => {
  for (const near of streams.splice(0)) near.destroy();
  await expect.poll(() => files.size, SOON).toBe(0);
});
afterAll(async () => {
  await users.removeAll();
  rmSync(secrets, { recursive: true, force: true });
});

interface Given {
  login?: string;
  from?: Files;
  signal?: AbortSignal;
}

async function connect({ login = ann.name, from = files, signal = new AbortController().signal }: Given = {}) {
  const { offered, near } = offeredStream();
  streams.push(near);
  await from.serve(offered, { session: 's-1', user: 'tester', login }, signal);
  const client = sftpClient({ input: near, output: near });
  await client.greet();
  return { client, near };
}

/** What the process behind it is, as the system tells. */
async function statusOf(client: SftpClient): Promise<string> {
  const handle = await client.open('/proc/self/status');
  const { body } = await client.ask(REQUEST.read, handle, 0n, 32_000);
  return body.bytes().toString();
}

test('the process is the user, with their groups and nothing else', async () => {
  const { client, near } = await connect();

  const status = await statusOf(client);
  const { body } = await client.ask(REQUEST.realpath, '.');

  const { uid, gid, home } = ann;
  expect(status).toContain(`Uid:\t${uid}\t${uid}\t${uid}\t${uid}\n`);
  expect(status).toContain(`Gid:\t${gid}\t${gid}\t${gid}\t${gid}\n`);
  if (IS_ROOT) {
    expect(status).toMatch(/CapEff:\t0+\n/);
    const groups = execFileSync('id', ['-G', ann.name], { encoding: 'utf8' }).trim().split(' ').sort();
    expect(
      status
        .match(/Groups:\t(.*)/)?.[1]
        ?.trim()
        .split(' ')
        .sort(),
    ).toEqual(groups);
    expect([body.uint32(), body.bytes().toString()]).toEqual([1, home]);
  }
  near.destroy();
  await expect.poll(() => files.size, SOON).toBe(0);
});

function lastPid(): number {
  return Number(lines.findLast((line) => line.includes('files are served'))?.match(/pid=(\d+)/)?.[1]);
}

test('what is open in the agent is not open in the process', async () => {
  const held = openSync(join(secrets, 'held'), 'w');
  const { client, near } = await connect();
  const pid = lastPid();

  const open = execFileSync('ls', ['-l', `/proc/${pid}/fd`], { encoding: 'utf8' });
  const environment = readFileSync(`/proc/${pid}/environ`, 'utf8')
    .split('\0')
    .map((each) => each.split('=')[0]);

  expect(open).not.toContain(secrets);
  expect(open).not.toContain('ptmx');
  const known = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'PWD', 'OLDPWD', 'SHLVL', '_', ''];
  expect(environment.filter((name) => !known.includes(name ?? ''))).toEqual([]);
  // Memory that was root's once is not for the user to read or write: not by a debugger, not through the server itself.
  const memory = await client.ask(REQUEST.open, '/proc/self/mem', read | write, 0);
  if (IS_ROOT) expect(memory).toMatchObject({ status: STATUS.permissionDenied });
  if (IS_ROOT)
    expect(() =>
      execFileSync('runuser', ['-u', ann.name, '--', 'cat', `/proc/${pid}/maps`], { stdio: 'ignore' }),
    ).toThrow();
  near.destroy();
  closeSync(held);
  await client.closed;
});

test('a file of root stays closed, and new files belong to the user', async () => {
  if (!IS_ROOT) return expect(ann.uid).toBe(process.getuid?.());
  writeFileSync(join(secrets, 'secret'), 'root only', { mode: 0o600 });
  execFileSync('chmod', ['755', secrets]);
  const { client, near } = await connect();

  const secret = await client.ask(REQUEST.open, join(secrets, 'secret'), read, 0);
  const shadow = await client.ask(REQUEST.open, '/etc/shadow', read, 0);
  const planted = await client.ask(REQUEST.open, join(secrets, 'planted'), write | create, 0);
  const given = await client.ask(REQUEST.setstat, ann.home, 2, 0, 0);
  const handle = await client.open('new', write | create);
  await client.ask(REQUEST.write, handle, 0n, 'mine');
  await client.ask(REQUEST.symlink, '/etc/shadow', 'trick');
  const through = await client.ask(REQUEST.open, 'trick', read, 0);

  const denied = { status: STATUS.permissionDenied };
  expect([secret, shadow, planted, given, through]).toMatchObject([denied, denied, denied, denied, denied]);
  const { uid, gid } = statSync(join(ann.home, 'new'));
  expect({ uid, gid }).toEqual({ uid: ann.uid, gid: ann.gid });
  near.destroy();
});

test('an end of the stream ends the process in order', async () => {
  const { client, near } = await connect();
  const home = await client.ask(REQUEST.stat, '.');
  near.end();

  await client.closed;

  expect(home.type).toBe(ANSWER.attributes);
  await expect.poll(() => files.size, SOON).toBe(0);
  expect(lines.filter((line) => line.includes('failed'))).toEqual([]);
});

test('a stream that is cut takes the process with it, also while answers wait', async () => {
  const { client, near } = await connect();
  const handle = await client.open('/dev/zero');
  near.pause();
  for (let index = 0; index < 300; index++) void client.ask(REQUEST.read, handle, 0n, 255 * 1024);

  near.destroy();

  await expect.poll(() => files.size, SOON).toBe(0);
});

test('garbage is a cut for the gateway and a warning for the operator', async () => {
  const { client, near } = await connect();
  near.write('GET / HTTP/1.1\r\n\r\n');

  await client.closed;

  expect(near.readableEnded).toBe(false);
  await expect.poll(() => lines.join(''), SOON).toContain('serving files failed');
  expect(lines.join('')).toContain('bytes is announced');
});

test.each([
  ['a user that is not there', { login: 'gh-no-such-user' }, LoginRefused],
  ['a name that is none', { login: '-u root' }, StreamRefused],
])('%s is refused with a reason', async (_what, given, kind) => {
  const refused = await connect(given).catch((error: unknown) => error);

  expect(refused).toBeInstanceOf(kind);
  expect(files.size).toBe(0);
});

test('an agent without shells, without bash, or with other logins serves no files', async () => {
  const without = (change: Partial<FilesDeps>) => connect({ from: createFiles({ ...world, ...change }) });

  await expect(without({ rules: { ...RULES, shell: false } })).rejects.toThrow("'shell: false' in agent.yaml");
  await expect(without({ rules: { ...RULES, logins: ['bob'] } })).rejects.toThrow('not among the logins');
  await expect(without({ closer: undefined })).rejects.toThrow('no bash');
});

test('a process that cannot be started is a refusal in its own words', async () => {
  const closer: FilesDeps['closer'] = () => ({ file: '/bin/sh', args: ['-c', 'echo no room in here >&2; exit 3'] });
  const none: FilesDeps['closer'] = () => ({ file: '/no/such/program', args: [] });

  await expect(connect({ from: createFiles({ ...world, closer }) })).rejects.toThrow(
    'cannot be served: no room in here',
  );
  await expect(connect({ from: createFiles({ ...world, closer: none }) })).rejects.toThrow('ENOENT');
  await expect(connect({ signal: AbortSignal.abort(new Error('the gateway left')) })).rejects.toThrow(
    'the gateway left',
  );
  expect(files.size).toBe(0);
});
