import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { call } from '@gatehouse/contract/wire/client';
import { putResources } from '@gatehouse/gateway/inventory/resource-store';
import { type IdentityGateway, startIdentityGateway } from '@gatehouse/gateway/testing/identity-gateway';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type CommandLine, startCommandLine } from '../../testing/command-line.ts';

let line: CommandLine<IdentityGateway>;
let gateway: IdentityGateway;

beforeEach(async () => {
  line = await startCommandLine(() => startIdentityGateway());
  gateway = line.world;
  await gateway.addUser('admin', { roles: ['editor'] });
  const node = {
    cluster: 'localhost',
    kind: 'node' as const,
    spec: {},
    owner: '',
    expires: undefined,
    searchWords: [],
  };
  await gateway.storage.db
    .transaction()
    .execute((tx) => putResources(tx, [{ ...node, id: 'n1', name: 'web-1', labels: { env: 'dev' } }], 0));
});
afterEach(() => line.close());

const run = (args: readonly string[], env: Record<string, string> = {}) =>
  line.run(args, { env: { PATH: process.env.PATH, TMPDIR: line.folder, ...env } });
const local = (...args: string[]) => run([...args, '--data-dir', line.folder]);
const json = (...args: string[]) => line.json(...args);
const file = (name: string, text: string) => {
  writeFileSync(join(line.folder, name), text);
  return name;
};
const role = (name: string, spec = 'allow: {logins: [root], node_labels: {env: dev}}') =>
  `# kept\nkind: role\nversion: v6\nmetadata:\n  name: ${name}\n  description: of ${name}\nspec:\n  ${spec}\n`;

test('roles are made, listed, printed as written and deleted', async () => {
  expect((await local('roles', 'create', '-f', file('dev.yaml', role('dev')))).stdout).toBe("role 'dev' made\n");
  expect((await local('roles', 'ls')).stdout).toMatch(/^NAME +DESCRIPTION\n[\s\S]*^dev +of dev$/m);
  expect((await local('roles', 'get', 'dev')).stdout).toBe(role('dev'));
  expect((await local('roles', 'show', 'dev')).stdout).toBe(role('dev'));
  expect(await json('roles', 'show', 'dev')).toMatchObject({ name: 'dev', content: role('dev') });
  expect((await local('names', 'documents')).stdout.split('\n')).toContain('role/dev');
  expect((await local('roles', 'rm', 'dev')).stdout).toBe("role 'dev' deleted\n");
  expect((await local('roles', 'get', 'dev')).code).toBe(4);
  expect((await local('roles', 'rm', 'editor')).code).toBe(7);
  expect((await local('roles', 'create', '-f', file('bad.yaml', role('x', 'allow: {login: [a]}')))).stderr).toContain(
    "did you mean 'logins'?",
  );
});

test('a role is edited in an editor, and what loses against somebody else is kept', async () => {
  await local('roles', 'create', '-f', file('dev.yaml', role('dev')));
  const edit = (script: string) => run(['roles', 'edit', 'dev', '--data-dir', line.folder], { EDITOR: script });

  expect((await edit('sed -i s/root/web/')).stdout).toBe("role 'dev' changed\n");
  expect((await local('roles', 'get', 'dev')).stdout).toContain('logins: [web]');
  expect((await edit('true')).stdout).toBe('nothing changed\n');
  expect((await edit('false')).code).toBe(1);

  // Somebody else saves while the editor is open.
  const other = join(line.folder, 'other.sh');
  writeFileSync(
    other,
    `sed -i s/web/mine/ "$1"; touch ${line.folder}/open; while [ ! -e ${line.folder}/saved ]; do sleep 0.05; done\n`,
  );
  const editing = edit(`sh ${other}`);
  const admin = await gateway.signedIn('admin');
  await vi.waitFor(() => expect(existsSync(join(line.folder, 'open'))).toBe(true), 10_000);
  await call(admin.send, roleRoutes.update, {
    params: { name: 'dev' },
    body: { content: role('dev', 'allow: {logins: [theirs]}') },
  });
  writeFileSync(join(line.folder, 'saved'), '');
  const { code, stderr } = await editing;

  expect(code).toBe(7);
  const kept = /what you wrote is in (\S+)/.exec(stderr)?.[1] ?? '';
  expect(readFileSync(kept, 'utf8')).toContain('logins: [mine]');
  expect((await local('roles', 'get', 'dev')).stdout).toContain('theirs');
  rmSync(join(kept, '..'), { recursive: true });
});

test('users are made, read, changed by flags and in an editor, and deleted', async () => {
  expect((await local('users', 'create', 'ann', '--roles=access', '--logins=ann')).code).toBe(0);
  expect((await local('users', 'get', 'ann')).stdout).toContain(
    '  roles:\n  - access\n  traits:\n    logins:\n    - ann\n',
  );
  expect(await json('users', 'get', 'ann')).toMatchObject({ name: 'ann', traits: { logins: ['ann'] } });
  expect((await local('users', 'edit', 'ann', '--logins=ann,root')).code).toBe(0);
  expect(await json('users', 'get', 'ann')).toMatchObject({ roles: ['access'], traits: { logins: ['ann', 'root'] } });
  const edited = await run(['users', 'edit', 'ann', '--data-dir', line.folder], { EDITOR: 'sed -i s/access/auditor/' });
  expect([edited.code, edited.stdout]).toEqual([0, "user 'ann' changed\n"]);
  expect(await json('users', 'get', 'ann')).toMatchObject({ roles: ['auditor'] });
  expect((await local('users', 'rm', 'ann')).code).toBe(0);
  expect((await local('users', 'get', 'ann')).code).toBe(4);
});

test('documents are applied, dry run first, and given back as they are taken', async () => {
  const documents = `${role('dev')}---\nkind: user\nversion: v2\nmetadata: {name: ann}\nspec: {roles: [dev]}\n`;
  file('all.yaml', documents);

  const dry = await local('apply', '-f', 'all.yaml', '--dry-run');
  expect(dry.stdout).toContain('role/dev created (dry run)\n--- /dev/null\n+++ role/dev\n');
  expect((await local('get', 'role/dev')).code).toBe(4);
  expect((await local('apply', '-f', 'all.yaml')).stdout).toBe('role/dev created\nuser/ann created\n');
  expect((await local('apply', '-f', 'all.yaml')).stdout).toBe('role/dev unchanged\nuser/ann unchanged\n');

  const all = await local('get', 'all');
  file('again.yaml', all.stdout);
  const again = await json('apply', '-f', 'again.yaml');
  expect(new Set(again.items.map(({ action }: { action: string }) => action))).toEqual(new Set(['unchanged']));
  expect((await local('get', 'role/dev')).stdout).toBe(role('dev'));
  expect(await json('get', 'users')).toHaveLength(2);
  expect((await local('get', 'planets')).code).toBe(2);
  expect((await local('apply', '-f', 'missing.yaml')).code).toBe(2);
});

test('access is explained from both ends, and foretold', async () => {
  await local('roles', 'create', '-f', file('dev.yaml', role('dev')));
  await local('users', 'create', 'ann', '--roles=dev');

  expect((await local('access', 'explain', 'ann', 'web-1', '--login', 'root')).stdout).toBe(
    "allowed: role 'dev' allows it by spec.allow.node_labels (env: dev)\nwould take it away: taking spec.allow.node_labels out of role 'dev'\nmay now be used there: root\n",
  );
  expect((await local('access', 'explain', 'ann', 'node/n1', '--login', 'web')).stdout).toContain(
    "would allow it: adding 'web' to spec.allow.logins of role 'dev'\n",
  );
  expect((await local('access', 'who', 'web-1')).stdout).toBe('USER  AS\nann   root\n');
  expect((await local('access', 'reach', 'ann')).stdout).toBe('RESOURCE    AS\nnode/web-1  root\n');
  const draft = file('draft.yaml', role('dev', 'allow: {logins: [web], node_labels: {env: dev}}'));
  expect((await local('access', 'what-if', '-f', draft)).stdout).toBe(
    '1 user gains 1 name on 1 resource\n1 user loses 1 name on 1 resource\nann: +web -root on node web-1\n',
  );
  expect((await local('access', 'explain', 'nobody', 'web-1')).code).toBe(4);
  const pods = "kubernetes_resources: [{kind: pods, namespace: shop, name: 'web-*', verbs: [get]}]";
  const spec = `allow: {kubernetes_labels: {env: dev}, kubernetes_groups: [view], ${pods}}`;
  await local('roles', 'create', '-f', file('ops.yaml', role('ops', spec).replace('v6', 'v8')));
  await local('users', 'edit', 'ann', '--roles=dev,ops');
  const kube = { cluster: 'localhost', kind: 'kube' as const, spec: {}, owner: '', expires: undefined };
  const prod = { ...kube, id: 'prod', name: 'prod', labels: { env: 'dev' }, searchWords: [] };
  await gateway.storage.db.transaction().execute((tx) => putResources(tx, [prod], 0));
  const inPod = ['access', 'explain', 'ann', 'kube/prod', '--object', 'pods/web-1', '--namespace', 'shop'];
  expect((await local(...inPod)).stdout).toMatch(/^allowed: role 'ops' allows it/);
  expect((await local(...inPod, '--verb', 'exec')).stdout).toMatch(/^denied: /);
  expect(await local('access', 'explain', 'ann', 'web-1', '--object', 'web')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('like pods/web or deployments.apps/api'),
  });
  expect((await local('access', 'denial', 'nothing')).code).toBe(4);
  expect((await local('access', 'what-if')).code).toBe(2);
});

test('locks are made on one target, listed and lifted', async () => {
  const { name } = await json('locks', 'add', '--server', 'web-1', '--reason', 'maintenance', '--ttl', '2h');

  expect((await local('locks', 'ls')).stdout).toMatch(
    new RegExp(`^${name} +node web-1 +2026-\\S+ +somebody on the gateway's machine +maintenance$`, 'm'),
  );
  expect((await local('locks', 'rm', name)).stdout).toBe('lock lifted\n');
  expect((await local('locks', 'ls')).stdout).toBe('no locks\n');
  expect((await local('locks', 'add')).code).toBe(2);
  expect((await local('locks', 'add', '--user', 'admin', '--role', 'editor')).code).toBe(2);
  expect((await local('locks', 'add', '--user', 'admin')).code).toBe(7);
});

test('the same commands go to another gateway under a token, with the rights of its user', async () => {
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  const address = `http://localhost:${(gateway.app.server.address() as AddressInfo).port}`;
  const tokenOf = async (name: string) => {
    const browser = await gateway.signedIn(name);
    return (await call(browser.send, apiTokenRoutes.create, { body: { name: 'cli', scope: 'all' } })).token;
  };
  await gateway.addUser('ann', { roles: ['access'] });
  const [strong, weak] = [await tokenOf('admin'), await tokenOf('ann')];

  expect((await run(['roles', 'ls', '--gateway', address], { GATEHOUSE_TOKEN: strong })).stdout).toContain('editor');
  expect((await run(['users', 'ls'], { GATEHOUSE_TOKEN: strong, GATEHOUSE_ADDRESS: address })).stdout).toContain('ann');
  const refused = await run(['get', 'all', '--gateway', address], { GATEHOUSE_TOKEN: weak });
  // One that was given with an address is for that gateway alone.
  const elsewhere = { GATEHOUSE_TOKEN: strong, GATEHOUSE_ADDRESS: 'https://other.example', HOME: line.folder };
  expect(await run(['roles', 'ls', '--gateway', address], elsewhere)).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('not signed in to'),
  });
  expect([refused.code, refused.stdout]).toEqual([5, '']);
});

test('nothing is left behind by an editor', async () => {
  await local('roles', 'create', '-f', file('dev.yaml', role('dev')));
  // Of this test alone: others edit as well, and at the same time.
  const own = mkdtempSync(join(tmpdir(), 'gatehouse-access-'));
  vi.stubEnv('TMPDIR', own);
  await run(['roles', 'edit', 'dev', '--data-dir', line.folder], { EDITOR: 'sed -i s/root/web/' });

  expect(readdirSync(own)).toEqual([]);
  vi.unstubAllEnvs();
  rmSync(own, { recursive: true });
});

test('what is entered is written as documents beside the rest', async () => {
  const shop = file(
    'shop.yaml',
    'kind: db\nversion: v3\nmetadata: {name: shop}\nspec: {protocol: postgres, uri: "10.0.0.1:5432"}\n',
  );

  expect((await local('apply', '-f', shop)).stdout).toBe('db/shop created\n');
  for (const what of ['databases', 'db/shop', 'db'])
    expect((await local('get', what)).stdout).toMatch(/^kind: db\n[\s\S]*\n {2}uri: 10\.0\.0\.1:5432\n/);
  expect((await local('get', 'planets')).stderr).toContain('databases');
});
