/** `gatehouse kube login` and what it writes, as people and programs run it. */
import { type ExecFileException, execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { kubeRoutes } from '@gatehouse/contract/kinds/kube/kubernetes';
import { call } from '@gatehouse/contract/wire/client';
import { makeRole } from '@gatehouse/gateway/testing/apps/app-world';
import { makeTestAuthority } from '@gatehouse/gateway/testing/db/test-authority';
import {
  codeOf,
  enrolApp,
  type IdentityGateway,
  startIdentityGateway,
} from '@gatehouse/gateway/testing/identity-gateway';
import type { TestBrowser } from '@gatehouse/gateway/testing/test-browser';
import { cleanEnvironment, ROOT } from '@gatehouse/testkit/gateway-process';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { runProgram } from '../../program.ts';

const CLUSTER = { clusterId: 'localhost' };
const FOREIGN = `# mine
apiVersion: v1
kind: Config
clusters:
- cluster: {server: https://10.0.0.1:6443}
  name: old
contexts:
- context: {cluster: old, user: old} # the old one
  name: old
current-context: old
users: []
`;

interface Kubeconfig {
  'current-context': string;
  clusters: { name: string; cluster: Record<string, string> }[];
  contexts: { name: string; context: Record<string, string> }[];
  users: { name: string; user: { exec: { command: string; args: string[] }; as?: string; 'as-groups'?: string[] } }[];
}

let gateway: IdentityGateway;
let admin: TestBrowser;
let home: string;
let origin: string;
let env: Record<string, string>;
let tokens = 0;

beforeAll(async () => {
  const { ca, server } = await makeTestAuthority();
  gateway = await startIdentityGateway({ secure: { host: 'localhost', ...server }, secondFactor: 'optional' });
  // TLS looks at the clock of the machine.
  gateway.clock.advance(Date.now() - gateway.clock.now);
  await gateway.addUser('admin', { roles: ['editor'] });
  admin = await gateway.signedIn('admin');
  const list = '{resources: [kube_server], verbs: [list]}';
  await makeRole(admin, 'dev', `{allow: {kubernetes_labels: {env: dev}, kubernetes_groups: [view], rules: [${list}]}}`);
  await makeRole(admin, 'careful', '{options: {require_session_mfa: true}}');
  for (const name of ['prod', 'stage'])
    await call(admin.send, kubeRoutes.add, {
      params: CLUSTER,
      body: { name, server: 'https://127.0.0.1:1', labels: { env: 'dev' } },
    });
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  origin = `https://localhost:${(gateway.app.server.address() as AddressInfo).port}`;
  await gateway.addUser('ann', { roles: ['dev'] });
  home = mkdtempSync(join(tmpdir(), 'gatehouse-kube-login-'));
  writeFileSync(join(home, 'ca.pem'), ca);
});
afterAll(async () => {
  await gateway?.close();
  rmSync(home, { recursive: true, force: true });
});
beforeEach(async () => {
  const own = mkdtempSync(join(home, 'home-'));
  env = await environmentOf(await gateway.signedIn('ann'), own);
});

/** Of a script of somebody's, with a home of its own. */
async function environmentOf(browser: TestBrowser, own: string): Promise<Record<string, string>> {
  tokens += 1;
  const { token } = await call(browser.send, apiTokenRoutes.create, { body: { name: `ci-${tokens}`, scope: 'all' } });
  return {
    ...{ ...(cleanEnvironment() as Record<string, string>), HOME: own, GATEHOUSE_ADDRESS: origin },
    ...{ GATEHOUSE_TOKEN: token, NODE_EXTRA_CA_CERTS: join(home, 'ca.pem') },
  };
}

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}
const run = (file: string, args: readonly string[], more: Record<string, string> = {}) =>
  new Promise<Ended>((resolve) => {
    execFile(file, args, { env: { ...env, ...more } }, (error: ExecFileException | null, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr }),
    );
  });
const gatehouse = (...args: string[]) => run(`${ROOT}/gatehouse`, ['kube', ...args]);
const configFile = () => join(env.HOME!, '.kube', 'config');
const written = () => parse(readFileSync(configFile(), 'utf8')) as Kubeconfig;
const passes = async (name = 'prod') =>
  (await gateway.storage.db.selectFrom('kube_pass').selectAll().where('name', '=', name).execute()).length;
/** As a kubeconfig file tells a client to ask. */
const plugin = ({ users: [user] }: Kubeconfig, more: Record<string, string> = {}) => {
  const { command, args } = user!.user.exec;
  return run(command, args, more);
};
const tokenIn = ({ stdout, stderr }: Ended) => {
  expect(stdout, stderr).toContain('ExecCredential');
  return (JSON.parse(stdout) as { status: { token: string } }).status.token;
};

test('a context of another name has a user of its own, and logout finds both', async () => {
  const name = `prod@${new URL(origin).host}`;
  const userOf = (context: string) => {
    const { contexts, users } = written();
    const called = contexts.find((each) => each.name === context)?.context.user;
    return users.find((each) => each.name === called)?.user;
  };

  expect((await gatehouse('login', 'prod', '--context', 'viewer', '--as', 'ann', '--as-group', 'view')).code).toBe(0);
  expect((await gatehouse('login', 'prod')).code).toBe(0);
  expect(userOf('viewer')).toMatchObject({ as: 'ann', 'as-groups': ['view'] });
  expect(userOf(name)?.exec.command).toBeDefined();
  expect(userOf(name)?.as).toBeUndefined();

  expect((await gatehouse('login', 'prod', '--context', 'viewer')).code).toBe(0);
  expect(userOf('viewer')?.as).toBeUndefined();
  expect((await gatehouse('logout', 'prod')).stdout.split('\n')).toHaveLength(3);
  expect(written()).toMatchObject({ clusters: [], contexts: [], users: [] });
});

test('login writes the cluster as current context beside what was there, and logout takes it out again', async () => {
  mkdirSync(join(env.HOME!, '.kube'));
  writeFileSync(configFile(), FOREIGN, { mode: 0o644 });
  const name = `prod@${new URL(origin).host}`;

  const done = await gatehouse('login', 'prod', '--namespace', 'web', '--as', 'ann', '--as-group', 'view');
  expect(done).toMatchObject({ code: 0, stderr: '' });
  expect(done.stdout).toContain(`context '${name}' written to ${configFile()}`);

  const { clusters, contexts, users, ...rest } = written();
  expect(rest['current-context']).toBe(name);
  expect(clusters.map((each) => each.name)).toEqual(['old', name]);
  expect(clusters[1]?.cluster.server).toBe(`${origin}/v1/kube/prod`);
  const authority = Buffer.from(clusters[1]?.cluster['certificate-authority-data'] ?? '', 'base64').toString();
  expect(authority.trim()).toBe(readFileSync(join(home, 'ca.pem'), 'utf8').trim());
  expect(contexts[1]).toEqual({ name, context: { cluster: name, user: name, namespace: 'web' } });
  expect(users[0]).toMatchObject({
    name,
    user: {
      exec: { apiVersion: 'client.authentication.k8s.io/v1beta1', interactiveMode: 'IfAvailable' },
      ...{ as: 'ann', 'as-groups': ['view'] },
    },
  });
  const text = readFileSync(configFile(), 'utf8');
  for (const line of ['# mine', '- context: {cluster: old, user: old} # the old one']) expect(text).toContain(line);
  expect(statSync(configFile()).mode & 0o777).toBe(0o644);

  expect(await gatehouse('logout', 'prod')).toMatchObject({ code: 0 });
  expect(readFileSync(configFile(), 'utf8')).toBe(FOREIGN.replace('current-context: old', 'current-context: ""'));
  expect(await gatehouse('logout', 'prod')).toMatchObject({ code: 4 });
});

test('all clusters are written at once and leave the current context; config prints one that stands alone', async () => {
  expect(await gatehouse('login', '--all')).toMatchObject({ code: 0, stderr: '' });
  const { contexts, ...rest } = written();
  expect(contexts.map(({ name }) => name.split('@')[0])).toEqual(['prod', 'stage']);
  expect(rest['current-context']).toBeUndefined();
  expect(statSync(configFile()).mode & 0o777).toBe(0o600);

  const { stdout, stderr } = await gatehouse('config', 'stage');
  expect(stderr).toBe('');
  const whole = parse(stdout) as Kubeconfig;
  expect(whole['current-context']).toBe(contexts[1]?.name);
  expect(tokenIn(await plugin(whole))).toMatch(/^[0-9a-f]{64}$/);
});

test('what is somebody else’s is not replaced', async () => {
  mkdirSync(join(env.HOME!, '.kube'));
  writeFileSync(configFile(), FOREIGN);

  expect(await gatehouse('login', 'prod', '--context', 'old')).toMatchObject({
    code: 7,
    stderr: expect.stringContaining("the context 'old' of your kubeconfig file leads elsewhere"),
  });
  expect(readFileSync(configFile(), 'utf8')).toBe(FOREIGN);
  expect(await gatehouse('login', 'prod', '--context', 'mine')).toMatchObject({ code: 0 });
  expect(written()['current-context']).toBe('mine');
  expect(await gatehouse('login', 'nowhere')).toMatchObject({ code: 4 });
});

test('forty clients at once ask for one pass, and one that was killed with the lock stops nobody', async () => {
  await gatehouse('login', '--all');
  const config = written();
  const before = await passes();
  const folder = join(env.HOME!, '.config', 'gatehouse', 'kube');
  // Killed in the middle of asking: the lock is there, and whoever has it is not.
  const { command, args } = config.users[0]!.user.exec;
  const killed = spawn(command, args, { env, stdio: 'ignore' });
  const isLocked = () => {
    try {
      return readdirSync(folder).some((name) => name.endsWith('.lock'));
    } catch {
      return false;
    }
  };
  const over = new Promise<void>((resolve) => killed.once('close', () => resolve()));
  let isOver = false;
  void over.then(() => {
    isOver = true;
  });
  while (!isLocked() && !isOver) await new Promise((resolve) => setImmediate(resolve));
  killed.kill('SIGKILL');
  await over;
  for (const name of readdirSync(folder)) if (name.endsWith('.json')) rmSync(join(folder, name));
  const between = await passes();

  const answers = await Promise.all(Array.from({ length: 40 }, () => plugin(config)));

  expect(new Set(answers.map(tokenIn)).size).toBe(1);
  expect(await passes()).toBe(between + 1);
  expect(between - before).toBeLessThanOrEqual(1);
});

test('who is not signed in hears it in one line, at once', async () => {
  await gatehouse('login', 'prod');
  const config = written();
  const { GATEHOUSE_TOKEN: _, ...without } = env;
  env = without;

  expect(await plugin(config)).toEqual({
    ...{ code: 1, stdout: '' },
    stderr: `gatehouse: not signed in to ${origin}: run gatehouse login ${origin}\n`,
  });
  // A token that is worth nothing any more is no sign-in.
  expect(await plugin(config, { GATEHOUSE_TOKEN: '0'.repeat(64) })).toMatchObject({
    ...{ code: 1, stdout: '' },
    stderr: `gatehouse: not signed in to ${origin}: run gatehouse login ${origin}\n`,
  });
});

test('a second factor is asked for at the terminal, and then for an hour not again', async () => {
  await gateway.addUser('cas', { roles: ['dev', 'careful'] });
  const cas = await gateway.signedIn('cas');
  const secret = await enrolApp(gateway, cas);
  env = await environmentOf(cas, mkdtempSync(join(home, 'home-')));

  const asked: string[] = [];
  const told: string[] = [];
  const io = {
    ...{ env: { ...env, PATH: '' }, cwd: home, stdout: (text: string) => void told.push(text), stderr() {} },
    async ask(question: string) {
      asked.push(question);
      return codeOf(secret, gateway.clock.now);
    },
  };
  const usual = getCACertificates('default');
  setDefaultCACertificates([...usual, readFileSync(join(home, 'ca.pem'), 'utf8')]);
  try {
    expect(await runProgram(['kube', 'credentials', 'prod', '--gateway', origin], io)).toBe(0);
  } finally {
    setDefaultCACertificates(usual);
  }
  expect(asked).toHaveLength(1);
  expect(JSON.parse(told.join(''))).toMatchObject({ kind: 'ExecCredential' });
  // For an hour nobody is asked again.
  expect(await gatehouse('credentials', '--gateway', origin, 'prod')).toMatchObject({ code: 0 });
});
