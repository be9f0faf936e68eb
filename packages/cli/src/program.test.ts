import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveLocalSocket } from '@gatehouse/gateway/doors/local-socket/serve-local-socket';
import type { Command } from 'commander';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildProgram, runProgram } from './program.ts';
import { EXIT_CODES } from './runtime/exit-codes.ts';

let cwd: string;
const closing: (() => Promise<void>)[] = [];
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'gatehouse-cli-'));
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  rmSync(cwd, { recursive: true, force: true });
});

async function run(...args: string[]) {
  let stdout = '';
  let stderr = '';
  const code = await runProgram(args, {
    stdout: (text) => {
      stdout += text;
    },
    stderr: (text) => {
      stderr += text;
    },
    env: {},
    cwd,
  });
  return { code, stdout, stderr };
}

function everyCommand(command: Command, path: string[] = []): { path: string[]; command: Command }[] {
  return command.commands.flatMap((inner) => {
    const here = [...path, inner.name()];
    return [{ path: here, command: inner }, ...everyCommand(inner, here)];
  });
}

test('every command has a help with examples, and every one that does something takes --format', async () => {
  const commands = everyCommand(await buildProgram({ stdout() {}, stderr() {}, env: {}, cwd }));
  expect(commands.map(({ path }) => path.join(' '))).toEqual(
    expect.arrayContaining(['start', 'agent', 'config check', 'secrets rotate', 'alerts add', 'completion', 'version']),
  );

  for (const { path, command } of commands) {
    const { code, stdout, stderr } = await run(...path, '--help');
    expect({ path, code, stderr }).toEqual({ path, code: 0, stderr: '' });
    expect(stdout).toContain('Examples:\n  $ ');
    expect(command.description()).toMatch(/\.$/);
    if (command.commands.length === 0) expect(stdout).toContain('--format <format>');
  }
});

/** Why a command asks no other cluster. Whatever is not here takes `--cluster`. */
const WITHOUT_CLUSTER: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      'start',
      'agent',
      'config check',
      'config show',
      'config schema',
      'doctor',
      'backup',
      'restore',
      'secrets rotate',
    ].map((name) => [name, 'is about the installation on this machine']),
  ),
  ...Object.fromEntries(
    ['login', 'logout', 'status', 'api-tokens add', 'api-tokens ls', 'api-tokens rm'].map((name) => [
      name,
      'is about a sign-in, which people have at the root alone',
    ]),
  ),
  'config ssh': 'writes the hosts of all clusters behind a gateway',
  completion: 'asks no gateway',
  version: 'asks no gateway',
};

test('every command asks a leaf cluster with --cluster, or says why it asks none', async () => {
  const commands = everyCommand(await buildProgram({ stdout() {}, stderr() {}, env: {}, cwd }));
  const without = commands
    .filter(({ command }) => command.commands.length === 0)
    .filter(({ command }) => !command.options.some(({ long }) => long === '--cluster'))
    .map(({ path }) => path.join(' '));

  expect(without.toSorted()).toEqual(Object.keys(WITHOUT_CLUSTER).toSorted());
});

test('the help of the program lists the exit codes', async () => {
  const { code, stdout } = await run('--help');

  expect(code).toBe(0);
  expect(stdout).toMatch(/Exit codes:\n {2}0 .*\n {2}1 [\s\S]* {2}6 {2}no gateway answers/);
});

test('the documentation lists the same exit codes', () => {
  const page = readFileSync(new URL('../../../docs/command-line.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| (\d+) \| (.+) \|$/gm)].map(([, code, meaning]) => [Number(code), meaning]);

  expect(rows).toEqual(Object.values(EXIT_CODES));
});

test('no command at all shows the help and is a usage error', async () => {
  const { code, stdout, stderr } = await run();

  expect([code, stderr]).toEqual([2, '']);
  expect(stdout).toContain('Usage: gatehouse <command>');
});

test.each([
  [['strat'], "gatehouse: unknown command 'strat' (Did you mean start?)\n"],
  [['config', 'chekc'], "gatehouse: unknown command 'chekc' (Did you mean check?)\n"],
  [['start', '--listne', 'x'], "gatehouse: unknown option '--listne' (Did you mean --listen?)\n"],
  [['alerts', 'add'], "gatehouse: missing required argument 'message'\n"],
  [
    ['version', '--format', 'xml'],
    /^gatehouse: option '--format <format>' argument 'xml' is invalid\. Allowed choices are text, json\.\n$/,
  ],
  [['alerts', 'add', 'x', '--ttl', '0d'], /write it like 90s, 30m, 12h or 7d/],
  [['completion', 'powershell'], /choose bash, zsh or fish/],
])('%j is a usage error in one line', async (args, message) => {
  const { code, stdout, stderr } = await run(...args);

  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(message);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
});

test('with --format json an error is one JSON object on standard error, also when the arguments are wrong', async () => {
  const unknown = await run('config', 'chekc', '--format', 'json');
  const refused = await run('config', 'check', '--format=json', '--listen', '0.0.0.0:80');

  expect(unknown.code).toBe(2);
  expect(JSON.parse(unknown.stderr)).toEqual({
    error: { message: "unknown command 'chekc' (Did you mean check?)", exit: 'usage', exitCode: 2 },
  });
  expect(refused.code).toBe(3);
  expect(JSON.parse(refused.stderr).error).toMatchObject({
    exitCode: 3,
    problems: [{ key: 'listen', source: { from: 'flag', flag: '--listen' } }],
  });
});

test('config check says OK, or all problems with their lines', async () => {
  const anyPort = ['--listen', '127.0.0.1:0'];
  const stdout0 = 'OK: no file, defaults apply\n';
  expect(await run('config', 'check', ...anyPort)).toEqual({ code: 0, stdout: stdout0, stderr: '' });

  writeFileSync(join(cwd, 'gatehouse.yaml'), 'lsiten: x\nlog:\n  level: loud\n');
  const { code, stdout, stderr } = await run('config', 'check');

  expect([code, stdout]).toEqual([3, '']);
  expect(stderr).toContain(`gatehouse.yaml:1:1: lsiten: is not a key; did you mean 'listen'?\n`);
  expect(stderr).toContain('gatehouse.yaml:3:10: log.level: must be one of');
});

test('config check and start refuse the same files, with the same words and exit code', async () => {
  writeFileSync(join(cwd, 'gatehouse.yaml'), 'listen: 127.0.0.1:0\ntls:\n  cert: no.crt\n  key: no.key\n');
  const checked = await run('config', 'check');
  const started = await run('start');

  expect(checked).toEqual(started);
  expect(checked.code).toBe(3);
  expect(checked.stderr).toMatch(
    /gatehouse\.yaml:3:9: tls\.cert: there is no file .*no\.crt\n.*:4:8: tls\.key: there is no/,
  );
});

test('config show prints values with their sources, as text and as JSON', async () => {
  const text = await run('config', 'show', '--cluster-name', 'prod');
  const json = await run('config', 'show', '--storage-url', 'postgres://a:hunter2@db/x', '--format', 'json');

  expect(text.stdout).toMatch(/^clusterName +prod +--cluster-name$/m);
  expect(JSON.parse(json.stdout)).toContainEqual({ key: 'storage.url', value: '[secret]', source: '--storage-url' });
  expect(json.stdout).not.toContain('hunter2');
});

test('config schema prints a JSON schema', async () => {
  const { stdout } = await run('config', 'schema');

  expect(JSON.parse(stdout)).toMatchObject({ type: 'object', properties: { listen: { type: 'string' } } });
});

test('commands that need a gateway say which data folder has none, and exit with 6', async () => {
  const { code, stderr } = await run('alerts', 'ls', '--data-dir', cwd);

  expect(code).toBe(6);
  expect(stderr).toBe(
    `gatehouse: no gateway is running on data folder '${cwd}'; start it with: gatehouse start --data-dir '${cwd}'\n`,
  );
});

test('rotating the secrets of a folder that is not there makes none', async () => {
  const { code, stderr } = await run('secrets', 'rotate', '--data-dir', join(cwd, 'absent'));

  expect([code, stderr]).toEqual([4, `gatehouse: there is no data folder '${join(cwd, 'absent')}'\n`]);
});

test('the agent tells by its exit code what is missing: a gateway, a token, a setting', async () => {
  const agent = (...args: string[]) => run('agent', '--data-dir', join(cwd, 'agent'), ...args);

  const unreachable = await agent('--gateway', 'http://localhost:9', '--token', 'x');
  const unknown = await agent('--gateway', 'http://localhost:9');
  const wrong = await agent('--gateway', 'http://gate.example.com', '--labels', 'a=b,c');

  expect([unreachable.code, unknown.code, wrong.code]).toEqual([6, 5, 3]);
  expect(unreachable.stderr).toContain('no gateway answers at http://localhost:9');
  expect(unknown.stderr).toContain('has not joined yet and has no join token');
  expect(wrong.stderr).toContain("labels: 'c' must be name=value; gateway: must be an https:// address");
});

/** Answers like a gateway on its local socket, and keeps what it was asked. */
async function fakeGateway(answers: Record<string, { status: number; body: object }>) {
  const asked: { call: string; body: unknown }[] = [];
  const socket = await serveLocalSocket({
    dataDir: cwd,
    handler: async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const text = Buffer.concat(chunks).toString();
      const call = `${request.method} ${request.url}`;
      asked.push({ call, body: text ? JSON.parse(text) : undefined });
      const { status, body } = answers[call] ?? {
        status: 404,
        body: { error: { message: `no ${call}`, code: 'not_found', requestId: 'r' } },
      };
      response.writeHead(status).end(JSON.stringify(body));
    },
  });
  closing.push(() => socket.close());
  return asked;
}

const ALERTS = '/v1/webapi/sites/-current-/alerts';
const STORED = {
  kind: 'cluster_alert',
  version: 'v1',
  metadata: { name: 'tonight', labels: {}, expires: '2026-01-02T00:00:00Z' },
  spec: { severity: 5, message: 'red \u001b[31malert', created: '2026-01-01T00:00:00Z' },
};

test('an alert is posted through the local socket', async () => {
  const asked = await fakeGateway({ [`POST ${ALERTS}`]: { status: 200, body: STORED } });

  const { code, stdout } = await run(
    'alerts',
    'add',
    'Tonight',
    '--severity',
    'medium',
    '--ttl',
    '12h',
    '--name',
    'tonight',
    '--data-dir',
    cwd,
  );

  expect([code, stdout]).toEqual([0, "alert 'tonight' posted\n"]);
  expect(asked).toEqual([
    { call: `POST ${ALERTS}`, body: { message: 'Tonight', severity: 'medium', ttlSeconds: 43_200, name: 'tonight' } },
  ]);
});

test('alerts are listed without letting them steer the terminal, and whole as JSON', async () => {
  await fakeGateway({ [`GET ${ALERTS}`]: { status: 200, body: { alerts: [STORED] } } });

  const text = await run('alerts', 'ls', '--data-dir', cwd);
  const json = await run('alerts', 'ls', '--data-dir', cwd, '--format', 'json');

  expect(text.stdout).toBe(
    'NAME     SEVERITY  UNTIL                 MESSAGE\ntonight  medium    2026-01-02T00:00:00Z  red \\x1b[31malert\n',
  );
  expect(JSON.parse(json.stdout)).toEqual([STORED]);
});

test.each([
  ['not_found', 404, 4],
  ['denied', 403, 5],
  ['bad_request', 400, 2],
  ['conflict', 409, 7],
  ['unavailable', 503, 9],
  ['internal', 500, 1],
])('a gateway that answers %s gives its message, request id and a code that means it', async (code, status, exit) => {
  await fakeGateway({
    [`DELETE ${ALERTS}/x`]: { status, body: { error: { message: 'because', code, requestId: 'r-1' } } },
  });

  const text = await run('alerts', 'rm', 'x', '--data-dir', cwd);
  const json = await run('alerts', 'rm', 'x', '--data-dir', cwd, '--format', 'json');

  expect(text).toEqual({ code: exit, stdout: '', stderr: 'gatehouse: because\n' });
  expect(JSON.parse(json.stderr).error).toMatchObject({ message: 'because', code, requestId: 'r-1', exitCode: exit });
});

test('secrets are rotated by the gateway that runs', async () => {
  const rotation = { keyId: 'abc', resealed: 3, unreadable: 0 };
  const asked = await fakeGateway({ 'POST /local/secrets/rotate': { status: 200, body: rotation } });

  const { code, stdout } = await run('secrets', 'rotate', '--data-dir', cwd, '--format', 'json');

  expect([code, JSON.parse(stdout)]).toEqual([0, rotation]);
  expect(asked.at(-1)?.call).toBe('POST /local/secrets/rotate');
});

test('a rotation that left secrets behind is a failure', async () => {
  await fakeGateway({
    'POST /local/secrets/rotate': { status: 200, body: { keyId: 'abc', resealed: 3, unreadable: 2 } },
  });

  const { code, stderr } = await run('secrets', 'rotate', '--data-dir', cwd);

  expect([code, stderr]).toEqual([1, 'gatehouse: 2 stored secrets could not be opened; the old key was kept\n']);
});

test('version tells itself and its Node', async () => {
  expect(JSON.parse((await run('version', '--format', 'json')).stdout)).toEqual({
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
  });
});
