import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort } from '@gatehouse/testkit/free-port';
import { afterEach, beforeEach, expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../../..');
const LAUNCHER = join(ROOT, 'gatehouse');

let folder: string;
const started: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-launch-'));
});
afterEach(async () => {
  for (const child of started.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  }
  rmSync(folder, { recursive: true, force: true });
});

function run(command: string, args: string[], env: NodeJS.ProcessEnv = {}, cwd = folder) {
  return new Promise<{ code: number; stdout: string; stderr: string }>((done) => {
    execFile(command, args, { cwd, env: { PATH: process.env.PATH, HOME: folder, ...env } }, (error, stdout, stderr) => {
      done({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr });
    });
  });
}

/** Starts a gateway as a user does and waits for its one line. */
async function start(args: string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(LAUNCHER, ['start', ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    output.stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output.stderr += chunk;
  });
  await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'exit').then(() => {
      throw new Error(`the gateway ended: ${output.stderr}`);
    }),
  ]);
  return { child, output };
}

test('the launcher works through a link, from any folder', async () => {
  mkdirSync(join(folder, 'bin'));
  symlinkSync(LAUNCHER, join(folder, 'bin', 'first'));
  symlinkSync('first', join(folder, 'bin', 'gatehouse'));

  const { code, stdout } = await run(join(folder, 'bin', 'gatehouse'), ['config', 'show', '--format', 'json']);

  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toContainEqual({ key: 'dataDir', value: join(ROOT, 'data'), source: 'default' });
});

test('without installed packages the launcher says what to run', async () => {
  cpSync(LAUNCHER, join(folder, 'gatehouse'));

  const { code, stderr } = await run(join(folder, 'gatehouse'), ['version']);

  expect(code).toBe(1);
  expect(stderr).toContain("run 'npm ci'");
});

/** A clone with a Node that only says what it was asked to run. */
function fakeClone(): string {
  cpSync(LAUNCHER, join(folder, 'gatehouse'));
  for (const name of ['contract', 'tunnel', 'gateway', 'agent', 'cli'])
    mkdirSync(join(folder, 'packages', name, 'src'), { recursive: true });
  mkdirSync(join(folder, 'node_modules', '.bin'), { recursive: true });
  mkdirSync(join(folder, 'dist'));
  const node = join(folder, 'node_modules', '.bin', 'node');
  writeFileSync(node, '#!/bin/sh\necho "$@"\n');
  chmodSync(node, 0o755);
  return join(folder, 'gatehouse');
}

test('the bundle runs while it is newer than the sources, the sources otherwise; arguments pass unharmed', async () => {
  const launcher = fakeClone();
  const source = join(folder, 'packages', 'gateway', 'src', 'x.ts');
  const ran = async () => (await run(launcher, ['alerts', 'add', 'two words'])).stdout.trim();

  expect(await ran()).toBe(`${folder}/packages/cli/src/gatehouse.ts alerts add two words`);

  writeFileSync(source, '');
  const bundle = join(folder, 'dist', 'gatehouse.js');
  writeFileSync(bundle, '');
  utimesSync(bundle, new Date(), new Date(Date.now() + 5000));
  expect(await ran()).toBe(`${bundle} alerts add two words`);

  // Tests are not in the bundle; an editor that writes a new file touches the folder too.
  const later = new Date(Date.now() + 9000);
  for (const name of ['x.test.ts', 'y.thorough.test.ts', 'z.test.tsx']) {
    writeFileSync(join(folder, 'packages', 'gateway', 'src', name), '');
    utimesSync(join(folder, 'packages', 'gateway', 'src', name), later, later);
  }
  utimesSync(join(folder, 'packages', 'gateway', 'src'), later, later);
  expect(await ran()).toBe(`${bundle} alerts add two words`);

  utimesSync(source, new Date(), new Date(Date.now() + 9000));
  expect(await ran()).toBe(`${folder}/packages/cli/src/gatehouse.ts alerts add two words`);
});

test('the launcher is clean under shellcheck', async () => {
  expect(await run('shellcheck', [LAUNCHER])).toEqual({ code: 0, stdout: '', stderr: '' });
});

test('a started gateway prints one line with its address by name, answers there, and drains on SIGTERM', async () => {
  const port = await freePort();
  const { child, output } = await start([], {
    GATEHOUSE_DATA_DIR: join(folder, 'data'),
    GATEHOUSE_LISTEN: `127.0.0.1:${port}`,
  });

  const [readyLine, ...rest] = output.stdout.split('\n');
  expect(readyLine).toBe(`Gatehouse is ready at http://localhost:${port}/web`);
  // A new store has nobody who could sign in: the way in follows.
  expect(rest.join('\n')).toMatch(new RegExp(`http://localhost:${port}/web/invite/[0-9a-f]{64}`));
  const reply = await fetch(`http://127.0.0.1:${port}/v1/webapi/ping`);
  expect(reply.status).toBe(200);
  expect(await reply.json()).toMatchObject({ cluster_name: 'localhost' });

  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(output.stdout.match(/ready at/g)).toHaveLength(1);
  expect(existsSync(join(folder, 'data', 'gatehouse.sock'))).toBe(false);
});

test('with --format json the line is JSON, and SIGINT stops it as well', async () => {
  const { child, output } = await start(['--format', 'json', '--listen', '127.0.0.1:0', '--data-dir', 'data']);

  expect(JSON.parse(output.stdout)).toEqual({
    firstAdmin: { name: 'admin', inviteUrl: expect.stringContaining('/web/invite/'), expires: expect.any(String) },
    ready: true,
    url: expect.stringMatching(/^http:\/\/localhost:\d+\/web$/),
    dataDir: join(folder, 'data'),
  });
  child.kill('SIGINT');
  expect(await once(child, 'exit')).toEqual([0, null]);
});

test('a taken port is told with the ways to choose another', async () => {
  const port = await freePort();
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');

  const { code, stdout, stderr } = await run(LAUNCHER, [
    'start',
    '--listen',
    `127.0.0.1:${port}`,
    '--data-dir',
    'data',
    '--log-level',
    'silent',
  ]);
  server.close();

  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toBe(
    `gatehouse: 127.0.0.1:${port} is already in use: stop the program that has it, or choose another address with --listen <host:port> or GATEHOUSE_LISTEN\n`,
  );
});

test('a data folder that cannot be used is told with where it was given', async () => {
  writeFileSync(join(folder, 'file'), '');

  const { code, stderr } = await run(LAUNCHER, [
    'start',
    '--listen',
    '127.0.0.1:0',
    '--data-dir',
    'file/data',
    '--log-level',
    'silent',
  ]);

  expect(code).toBe(3);
  expect(stderr).toMatch(
    /^gatehouse: the configuration is not valid\n {2}--data-dir: dataDir: '.*file', where .* is not a folder\n$/,
  );
});

test('a bad configuration stops the start with code 3, naming key and line', async () => {
  writeFileSync(join(folder, 'gatehouse.yaml'), 'clusterName: prod\nlisten: 0.0.0.0:3080\n');

  const { code, stdout, stderr } = await run(LAUNCHER, ['start']);

  expect([code, stdout]).toEqual([3, '']);
  expect(stderr).toContain('gatehouse.yaml:2:9: listen: listening on 0.0.0.0 sends passwords in the clear');
});

test('a second gateway on the same data folder is refused, and one after kill -9 starts', async () => {
  const args = ['--listen', '127.0.0.1:0', '--data-dir', 'data', '--log-level', 'silent'];
  const { child } = await start(args);

  const second = await run(LAUNCHER, ['start', ...args]);
  expect(second.code).toBe(1);
  expect(second.stderr).toMatch(/^gatehouse: .*data'?\b.*\n$/);

  child.kill('SIGKILL');
  await once(child, 'exit');
  const { child: third, output } = await start(args);
  expect(output.stdout).toContain('Gatehouse is ready at');
  third.kill('SIGTERM');
  await once(third, 'exit');

  // The log tells them apart: the one that was killed has a start and no stop.
  await start(args);
  const { stdout } = await run(LAUNCHER, [
    'audit',
    'export',
    '--type',
    'gateway.start,gateway.stop',
    '--data-dir',
    'data',
  ]);
  const told = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).event);
  expect(told).toEqual(['gateway.start', 'gateway.start', 'gateway.stop', 'gateway.start']);
});

/** Writes the name of every file that is loaded to where it is told. */
const TELL_LOADED = `
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
registerHooks({
  load(url, context, next) {
    if (url.startsWith('file:')) appendFileSync(process.env.LOADED, new URL(url).pathname + '\\n');
    return next(url, context);
  },
});
`;

// Bytes and not time: what an hour of other work on the machine does to a start says nothing about the command.
test('help loads a small part of the bundle, and so answers quickly', async () => {
  const [hook, loaded] = [join(folder, 'hook.mjs'), join(folder, 'loaded')];
  writeFileSync(hook, TELL_LOADED);
  const dist = join(ROOT, 'dist');
  const bytesOf = (files: readonly string[]) => files.reduce((sum, file) => sum + statSync(file).size, 0);
  const all = readdirSync(dist).filter((name) => name.endsWith('.js'));

  const { stdout } = await run(process.execPath, ['--import', hook, join(dist, 'gatehouse.js'), '--help'], {
    LOADED: loaded,
  });

  const files = readFileSync(loaded, 'utf8').trim().split('\n');
  expect(stdout).toContain('Usage: gatehouse');
  expect(files).toContain(join(dist, 'gatehouse.js'));
  expect(files.filter((file) => !file.startsWith(dist))).toEqual([]);
  expect(bytesOf(files) / bytesOf(all.map((name) => join(dist, name)))).toBeLessThan(0.2);
});

test('rotating the secrets of a folder without a running gateway makes a new key', async () => {
  const { child } = await start(['--listen', '127.0.0.1:0', '--data-dir', 'data', '--log-level', 'silent']);
  child.kill('SIGTERM');
  await once(child, 'exit');

  const first = await run(LAUNCHER, ['secrets', 'rotate', '--data-dir', 'data', '--format', 'json']);
  const second = await run(LAUNCHER, ['secrets', 'rotate', '--data-dir', 'data', '--format', 'json']);

  expect([first.code, second.code]).toEqual([0, 0]);
  expect(JSON.parse(first.stdout)).toMatchObject({ unreadable: 0 });
  expect(JSON.parse(second.stdout).keyId).not.toBe(JSON.parse(first.stdout).keyId);
});
