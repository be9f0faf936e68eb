import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ended, ROOT, ready } from '@gatehouse/testkit/gateway-process';
import { kubeconfig } from '@gatehouse/testkit/kube/kubeconfig';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeTree } from './completion/command-tree.ts';
import { buildProgram } from './program.ts';

const BUNDLE = join(ROOT, 'dist', 'gatehouse.js');
const HOST_KEY = `ssh-ed25519 ${Buffer.from(`0000000b7373682d6564323535313900000020${'ab'.repeat(32)}`, 'hex').toString('base64')}`;
const NOWHERE = '6f1c2d3e-1111-4222-8333-444455556666';

/** What is printed besides: an event a line, or a file's own text. Everything else is one JSON value. */
type Prints = 'lines' | 'text';
interface Try {
  args: string[];
  /** Of the exit; 0 unless told. */
  code?: number;
  prints?: Prints;
  /** It knows no gateway, and so no data folder. */
  isAlone?: boolean;
}

/** Every command once, in an order in which each finds what it needs. */
const TRIES: Record<string, Try> = {
  start: { args: [], isAlone: true },
  agent: { args: ['--gateway', 'http://127.0.0.1:1', '--data-dir', 'agent', '--token', 'x'], code: 6, isAlone: true },
  'config check': { args: [] },
  doctor: { args: [] },
  'config show': { args: [] },
  'config schema': { args: [], isAlone: true },
  'config ssh': { args: ['--gateway', 'http://127.0.0.1:1'], code: 5, isAlone: true },
  login: { args: ['http://127.0.0.1:1'], code: 6, isAlone: true },
  logout: { args: ['http://127.0.0.1:1'], code: 5, isAlone: true },
  status: { args: ['http://127.0.0.1:1'], code: 5, isAlone: true },
  'api-tokens add': { args: ['ci', '--gateway', 'http://127.0.0.1:1'], code: 5, isAlone: true },
  'api-tokens ls': { args: ['--gateway', 'http://127.0.0.1:1'], code: 5, isAlone: true },
  'api-tokens rm': { args: ['ci', '--gateway', 'http://127.0.0.1:1'], code: 5, isAlone: true },
  'users add': { args: ['ann', '--roles=access'] },
  'users create': { args: ['bob', '--roles=access'] },
  'users edit': { args: ['bob', '--roles=auditor'] },
  'users reset': { args: ['ann'] },
  'users unlock': { args: ['ann'], code: 4 },
  'users ls': { args: [] },
  'users get': { args: ['ann'] },
  'users show': { args: ['ann'] },
  'users rm': { args: ['bob'] },
  'roles create': { args: ['-f', 'role.yaml'] },
  'roles edit': { args: ['dev'] },
  'roles ls': { args: [] },
  'roles get': { args: ['dev'] },
  'roles show': { args: ['dev'] },
  'connectors create': { args: ['-f', 'connector.yaml', '--no-secret'] },
  'connectors edit': { args: ['try'] },
  'connectors ls': { args: [] },
  'connectors get': { args: ['try'] },
  'connectors show': { args: ['try'] },
  'connectors test': { args: ['try'], code: 1 },
  'users link': { args: ['ann', '--connector', 'try', '--subject', '00u7'] },
  'users unlink': { args: ['ann', '--connector', 'try'] },
  'connectors rm': { args: ['try', '--yes'] },
  'access what-if': { args: ['-f', 'role.yaml'] },
  apply: { args: ['-f', 'role.yaml', '--dry-run'] },
  get: { args: ['all'] },
  'roles rm': { args: ['dev'] },
  'locks add': { args: ['--user', 'ann', '--reason', 'a try'] },
  'locks ls': { args: [] },
  'locks rm': { args: ['nope'], code: 4 },
  'nodes add': { args: ['web-1', '127.0.0.1:1', '--host-key', 'host.pub'] },
  'nodes ls': { args: [] },
  'nodes show': { args: ['web-1'] },
  'nodes edit': { args: ['web-1', '--labels', 'env=dev'] },
  'nodes test': { args: ['web-1', '--login', 'root'], code: 1 },
  'nodes trust-host-key': { args: ['nope'], code: 4 },
  'access explain': { args: ['ann', 'web-1', '--login', 'root'] },
  'access who': { args: ['web-1'] },
  'access reach': { args: ['ann'] },
  'access denial': { args: [NOWHERE], code: 4 },
  'nodes rm': { args: ['web-1'] },
  'apps check': { args: ['http://127.0.0.1:1'], code: 1 },
  'apps add': { args: ['wiki', 'http://127.0.0.1:1'] },
  'apps ls': { args: [] },
  'apps show': { args: ['wiki'] },
  'apps test': { args: ['wiki'], code: 1 },
  'apps names': { args: [] },
  'apps free': { args: ['nope'], code: 4 },
  'apps keys': { args: [] },
  'apps rotate-key': { args: [] },
  'apps rm': { args: ['wiki'] },
  'kube add': { args: ['prod', '--kubeconfig', 'kubeconfig.yaml', '--as-is'] },
  'kube ls': { args: [] },
  'kube show': { args: ['prod'] },
  'kube check': { args: ['prod'], code: 1 },
  'kube test': { args: ['prod'], code: 1 },
  'kube rm': { args: ['prod'] },
  'kube manifest': { args: ['prod', '--groups', 'view'] },
  'kube names': { args: [] },
  'kube free': { args: ['nope'], code: 4 },
  'db add': {
    args: [
      'shop',
      'postgres://127.0.0.1:1',
      '--sign-in',
      'password',
      '--db-user',
      'app',
      '--password-file',
      'role.yaml',
    ],
  },
  'db ls': { args: [] },
  'db names': { args: [] },
  'db free': { args: ['nope'], code: 4 },
  'db login': { args: ['shop', '--gateway', 'https://127.0.0.1:1'], code: 5, isAlone: true },
  'db logout': { args: ['shop', '--gateway', 'https://127.0.0.1:1'], isAlone: true },
  'db connect': { args: ['shop', '--gateway', 'https://127.0.0.1:1'], code: 5, isAlone: true },
  'db env': { args: ['shop', '--listen', '5432', '--gateway', 'https://127.0.0.1:1'], code: 5, isAlone: true },
  'db config': { args: ['shop', '--listen', '5432', '--gateway', 'https://127.0.0.1:1'], code: 5, isAlone: true },
  'db sign': { args: ['--host', 'db.inside', '--for', 'postgres', '--out', 'certs'] },
  'db show': { args: ['shop'] },
  'db test': { args: ['shop', '--db-user', 'app', '--db-name', 'shop'], code: 1 },
  'db set-password': { args: ['shop', 'app', '--password-file', 'role.yaml'] },
  'db rm-password': { args: ['shop', 'app'] },
  'db rm': { args: ['shop'] },
  'desktops add': { args: ['win-1', '127.0.0.1:1', '--protocol', 'vnc', '--labels', 'env=dev'] },
  'desktops ls': { args: [] },
  'desktops show': { args: ['win-1'] },
  'desktops password': { args: ['win-1', 'ann', '--password-file', 'role.yaml'] },
  'desktops passwords': { args: [] },
  'desktops trust-certificate': { args: ['nope'], code: 4 },
  'desktops test': { args: ['win-1', '--login', 'ann'], code: 1 },
  'desktops rm': { args: ['win-1'] },
  'kube login': { args: ['prod', '--gateway', 'https://127.0.0.1:1'], code: 5, isAlone: true },
  'kube config': { args: ['prod', '--gateway', 'https://127.0.0.1:1'], code: 5, isAlone: true },
  'kube credentials': { args: ['prod', '--gateway', 'https://127.0.0.1:1'], code: 1, isAlone: true },
  'kube logout': { args: ['prod', '--gateway', 'https://127.0.0.1:1'], code: 4, isAlone: true },
  'proxy db': { args: ['shop', '--db-user', 'app', '--gateway', 'http://127.0.0.1:1'], code: 5, isAlone: true },
  'proxy ssh': { args: ['web-1', '--gateway', 'http://127.0.0.1:1'], code: 5, isAlone: true },
  'proxy app': { args: ['wiki', '--gateway', 'http://127.0.0.1:1'], code: 5, isAlone: true },
  ssh: { args: ['--gateway', 'http://127.0.0.1:1', 'root@web-1'], code: 5, isAlone: true },
  scp: { args: ['--gateway', 'http://127.0.0.1:1', 'notes.txt', 'root@web-1:'], code: 5, isAlone: true },
  'sessions ls': { args: [] },
  'sessions show': { args: [NOWHERE], code: 4 },
  'sessions end': { args: [NOWHERE], code: 4 },
  'tokens add': { args: ['--type=node', '--ttl=1h'] },
  'tokens ls': { args: [] },
  'tokens rm': { args: ['nope'], code: 4 },
  'clusters ls': { args: [] },
  'clusters token': { args: ['--ttl', '15m'] },
  'clusters join': {
    args: ['http://127.0.0.1:1', '--token', 'a'.repeat(32), '--root-key', `SHA256:${'A'.repeat(43)}`],
    code: 8,
  },
  'clusters label': { args: ['nope', 'env=prod'], code: 4 },
  'clusters rm': { args: ['nope'], code: 4 },
  'clusters rotate-key': { args: ['--overlap', '1d'] },
  'agents ls': { args: [] },
  'agents rm': { args: ['nope'], code: 4 },
  'ca ls': { args: [] },
  'ca export': { args: [] },
  'ca rotate': { args: ['--overlap', '1d'] },
  'audit export': { args: ['--from', '1h'], prints: 'lines' },
  'audit tail': { args: ['--for', '1s', '--as', 'jsonl'], prints: 'lines' },
  'audit verify': { args: [] },
  'audit state': { args: [] },
  'audit key': { args: [] },
  'audit checkpoint': { args: [] },
  'recordings ls': { args: [] },
  'recordings play': { args: [NOWHERE], code: 4 },
  'recordings export': { args: [NOWHERE], code: 4 },
  'recordings verify': { args: [NOWHERE], code: 4 },
  'recordings coverage': { args: [] },
  'recordings prune': { args: ['--dry-run'] },
  'alerts add': { args: ['hello'] },
  'alerts ls': { args: [] },
  'alerts rm': { args: ['nope'], code: 4 },
  backup: { args: ['copy'] },
  restore: { args: ['copy', '--dry-run', '--data-dir', 'new'], isAlone: true },
  'secrets rotate': { args: [] },
  names: { args: ['nodes'] },
  completion: { args: ['bash'], prints: 'text', isAlone: true },
  version: { args: [], isAlone: true },
};

let folder: string;
let gateway: ChildProcess;
let env: NodeJS.ProcessEnv;
let address: string;

beforeAll(async () => {
  expect(existsSync(BUNDLE), `${BUNDLE} is missing: npm run build`).toBe(true);
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-every-'));
  const role =
    'kind: role\nversion: v6\nmetadata: { name: dev }\nspec: { allow: { logins: [dev], node_labels: { env: dev } } }\n';
  writeFileSync(join(folder, 'role.yaml'), role);
  const connector =
    'kind: oidc\nversion: v3\nmetadata: { name: try }\nspec: { issuer_url: "http://127.0.0.1:1", client_id: x, claims_to_roles: [{ claim: groups, value: ops, roles: [access] }] }\n';
  writeFileSync(join(folder, 'connector.yaml'), connector);
  writeFileSync(join(folder, 'kubeconfig.yaml'), kubeconfig({ server: 'https://127.0.0.1:1', token: 'x' }));
  writeFileSync(join(folder, 'host.pub'), `${HOST_KEY}\n`);
  // The last as the launcher has it.
  const compiled = join(ROOT, 'node_modules', '.cache', 'node-compile');
  env = {
    PATH: process.env.PATH,
    HOME: folder,
    GATEHOUSE_ROOT: ROOT,
    EDITOR: 'true',
    NODE_COMPILE_CACHE: compiled,
  };
  const args = [BUNDLE, 'start', '--listen', '127.0.0.1:0', '--data-dir', 'data', '--log-level', 'silent'];
  gateway = spawn(process.execPath, args, { cwd: folder, env });
  address = await ready(gateway);
});
afterAll(async () => {
  await ended(gateway, 'SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

function run(args: readonly string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [BUNDLE, ...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const result = { code: null as number | null, stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    result.stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    result.stderr += chunk;
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ ...result, code })));
}

test('every command of the tree is tried', async () => {
  const program = await buildProgram({ stdout() {}, stderr() {}, env: {}, cwd: '/' });
  const leaves = describeTree(program)
    .filter(({ commands, path }) => commands.length === 0 && path.length > 0)
    .map(({ path }) => path.join(' '));

  expect(leaves.toSorted()).toEqual(Object.keys(TRIES).toSorted());
});

test.each(Object.entries(TRIES).filter(([name]) => name !== 'start'))(
  'gatehouse %s works from the bundle, and what it prints as JSON is JSON',
  async (name, { args, code = 0, prints, isAlone }) => {
    expect(address).toContain('http');
    const place = isAlone ? [] : ['--data-dir', 'data'];

    const result = await run([...name.split(' '), ...args, ...place, '--format', 'json']);

    expect(result, result.stderr).toMatchObject({ code });
    // A stack is a mistake of ours, and no JSON either.
    expect(result.stderr).not.toMatch(/^\s+at /m);
    for (const line of result.stderr.split('\n').filter(Boolean)) expect(() => JSON.parse(line), line).not.toThrow();
    if (code !== 0 && code !== 1) expect(JSON.parse(result.stderr)).toMatchObject({ error: { exitCode: code } });
    if (prints === 'text') return;
    const values = prints === 'lines' ? result.stdout.split('\n').filter(Boolean) : [result.stdout].filter(Boolean);
    for (const value of values) expect(() => JSON.parse(value), value.slice(0, 200)).not.toThrow();
  },
);
