import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ended, ROOT, ready } from '@gatehouse/testkit/gateway-process';
import { startPostgres } from '@gatehouse/testkit/postgres';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';

// Each starts the gateway several times, as a user does.
vi.setConfig({ testTimeout: 300_000 });

const page = readFileSync(join(ROOT, 'docs', 'backup.md'), 'utf8');
const blocks = new Map(
  [...page.matchAll(/^```sh ([a-z-]+)\n([\s\S]*?)^```$/gm)].map(([, name = '', text = '']) => [name, text]),
);
const used = new Set<string>();

let folder: string;
let env: NodeJS.ProcessEnv;
const running: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-backup-'));
  for (const name of ['var/lib', 'backups', 'safe', 'tmp', 'bin']) mkdirSync(join(folder, name), { recursive: true });
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('GATEHOUSE_'));
  const path = `${join(folder, 'bin')}:${postgresBin()}:${process.env.PATH}`;
  env = { ...Object.fromEntries(inherited), PATH: path, HOME: folder, GATEHOUSE_LISTEN: '127.0.0.1:0' };
  writeFileSync(join(folder, 'bin', 'gatehouse'), `#!/bin/sh\nexec ${join(ROOT, 'gatehouse')} "$@"\n`, { mode: 0o755 });
});
afterEach(async () => {
  for (const child of running.splice(0)) await ended(child, 'SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const data = (name = 'gatehouse') => join(folder, 'var', 'lib', name);

function postgresBin(): string {
  const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql') : [];
  return join('/usr/lib/postgresql', versions.toSorted((a, b) => Number(b) - Number(a))[0] ?? '', 'bin');
}

/** Runs a block of the page as it stands, with its folders below ours; a gateway it starts stays. */
async function follow(name: string): Promise<string> {
  used.add(name);
  const block = blocks.get(name);
  if (block === undefined) throw new Error(`the page has no block '${name}'`);
  let printed = '';
  const placed = block.replaceAll(/(?<![\w.])\/(var\/lib|backups|safe|tmp)\b/g, `${folder}/$1`);
  for (const part of placed.split(/^(gatehouse start .*)$/m)) {
    printed += part.startsWith('gatehouse start ') ? await start(part) : (await shell(part)).printed;
  }
  return printed;
}

async function start(line: string): Promise<string> {
  const child = spawn('sh', ['-c', `exec ${line} --log-level warn`], { cwd: folder, env });
  running.push(child);
  let printed = '';
  await ready(child, (text) => {
    printed += text;
  });
  return printed;
}

async function shell(script: string, fails = false): Promise<{ printed: string }> {
  const child = spawn('sh', ['-euc', script], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  const take = (chunk: Buffer) => {
    printed += chunk;
  };
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  const [code] = await once(child, 'close');
  if ((code === 0) === fails) throw new Error(`ended with ${code}:\n${script}\n${printed}`);
  return { printed };
}

const stopAll = async () => {
  for (const child of running.splice(0)) await ended(child, 'SIGTERM');
};
const users = async (name: string) => (await shell(`gatehouse users ls --data-dir ${data(name)}`)).printed;
const startOn = (name: string) => start(`gatehouse start --data-dir ${data(name)}`);
const refusedOn = async (name: string) =>
  (await shell(`gatehouse start --log-level silent --data-dir ${data(name)}`, true)).printed;

test('the page: SQLite is backed up while it runs, and restored with its people, its log and its recordings', async () => {
  await startOn('gatehouse');
  await shell(`gatehouse users add ann --roles=access --data-dir ${data()}`);
  mkdirSync(join(data(), 'recordings'), { recursive: true });
  writeFileSync(join(data(), 'recordings', '6f1c2d3e-1111-4222-8333-444455556666.rec'), 'frames');

  await follow('backup');
  await follow('recordings');

  expect(existsSync(join(folder, 'backups/monday/secrets.key'))).toBe(false);
  expect(statSync(join(folder, 'backups/monday')).mode & 0o777).toBe(0o700);
  expect(existsSync(join(folder, 'backups/recordings/6f1c2d3e-1111-4222-8333-444455556666.rec'))).toBe(true);
  await shell(`gatehouse users add late --roles=access --data-dir ${data()}`);
  await stopAll();
  expect(await follow('restore')).toMatch(/\d+ events are as they were written/);
  expect(await users('gatehouse-new')).toContain('ann');
  expect(await users('gatehouse-new')).not.toContain('late');
  const told = await shell(`gatehouse audit export --from 1h --type backup.create --data-dir ${data('gatehouse-new')}`);
  expect(told.printed).toContain('GH366I');
  const copied = join(data('gatehouse-new'), 'recordings', '6f1c2d3e-1111-4222-8333-444455556666.rec');
  expect(readFileSync(copied, 'utf8')).toBe('frames');
});

test('a backup that is damaged, cut, foreign to its key or to its folder is refused', async () => {
  await startOn('gatehouse');
  await shell(`gatehouse backup backups/one --with-keys --data-dir ${data()}`);
  expect(existsSync(join(folder, 'backups/one/secrets.key'))).toBe(true);
  expect(statSync(join(folder, 'backups/one/secrets.key')).mode & 0o777).toBe(0o600);
  const again = await shell(`gatehouse backup backups/one --data-dir ${data()}`, true);
  expect(again.printed).toContain('is not empty');
  const inside = await shell(`gatehouse backup ${data()}/b --data-dir ${data()}`, true);
  expect(inside.printed).toContain('is lost with it');

  const restore = async (more = '') =>
    (await shell(`gatehouse restore backups/one ${more} --data-dir ${data('new')}`, true)).printed;
  const running = await shell(`gatehouse restore backups/one --data-dir ${data()}`, true);
  expect(running.printed).toContain('is not empty');
  writeFileSync(join(folder, 'other.key'), `key ${'A'.repeat(43)}=\n`);
  expect(await restore('--key other.key')).toContain('does not hold the key');
  const file = join(folder, 'backups/one/gatehouse.db');
  const bytes = readFileSync(file);
  bytes[5000]! ^= 1;
  writeFileSync(file, bytes);
  expect(await restore()).toContain("'gatehouse.db' is not what was backed up");
  rmSync(file);
  expect(await restore()).toContain("'gatehouse.db' is missing");
  rmSync(join(folder, 'backups/one/manifest.json'));
  expect(await restore()).toContain('is no whole backup');
  expect(existsSync(data('new'))).toBe(false);
});

test('the page: PostgreSQL is backed up with pg_dump and restored; an emptied or older one is refused', async () => {
  const postgres = await startPostgres();
  onTestFinished(() => postgres.stop());
  env.GATEHOUSE_STORAGE_URL = postgres.url;
  await startOn('gatehouse');
  await shell(`gatehouse users add ann --roles=access --data-dir ${data()}`);
  await stopAll();
  await startOn('gatehouse');
  const refused = await shell(`gatehouse backup backups/no --data-dir ${data()}`, true);
  expect(refused.printed).toContain('pg_dump');

  await follow('postgres-backup');
  await shell(`gatehouse users add late --roles=access --data-dir ${data()}`);
  await stopAll();
  env.NEW_STORAGE_URL = postgres.url.replace(/[^/]+$/, 'gatehouse_new');
  expect(await follow('postgres-restore')).toMatch(/\d+ events are as they were written/);
  expect(await users('gatehouse-new')).toContain('ann');
  expect(await users('gatehouse-new')).not.toContain('late');
  await stopAll();

  env.GATEHOUSE_STORAGE_URL = env.NEW_STORAGE_URL;
  expect(await refusedOn('gatehouse')).toContain('the store is older than what this gateway has signed');
  env.GATEHOUSE_STORAGE_URL = await postgres.createDatabase();
  expect(await refusedOn('gatehouse')).toMatch(/the database at '.*' is empty or missing.*--new-cluster/);
});

test('the page: a lost store is begun anew only on purpose', async () => {
  await startOn('gatehouse-lost');
  await stopAll();
  for (const name of readdirSync(data('gatehouse-lost')).filter((name) => name.startsWith('gatehouse.db')))
    rmSync(join(data('gatehouse-lost'), name));
  expect(await refusedOn('gatehouse-lost')).toContain('--new-cluster');
  expect(await follow('lost-store')).toContain('Become the first administrator');
  expect(readdirSync(data('gatehouse-lost')).filter((name) => name.startsWith('before-'))).toHaveLength(1);
});

test('the page: a gateway is stopped for an upgrade, and goes back to the store from before it', async () => {
  await startOn('gatehouse');
  await follow('stop');
  running.splice(0);
  mkdirSync(join(data(), 'backups'));
  const database = new DatabaseSync(join(data(), 'gatehouse.db'));
  database.prepare('vacuum into ?').run(join(data(), 'backups/gatehouse-before-9999-20260101T000000000Z.db'));
  database.close();
  // As a newer Gatehouse leaves it: more events, and a step this one does not know.
  await startOn('gatehouse');
  await shell(`gatehouse users add late --roles=access --data-dir ${data()}`);
  await stopAll();
  const upgraded = new DatabaseSync(join(data(), 'gatehouse.db'));
  upgraded.exec("insert into migration values (9999, 'later', 0)");
  upgraded.close();
  expect(await refusedOn('gatehouse')).toContain('written by a newer Gatehouse');

  await follow('roll-back');

  expect(await users('gatehouse')).not.toContain('late');
  const told = await shell(`gatehouse audit export --from 1h --type store.older --data-dir ${data()}`);
  expect(told.printed).toContain('GH365W');
  await stopAll();
  await startOn('gatehouse');
  await stopAll();
  await shell(`cp ${data()}/backups/gatehouse-before-*.db ${data()}/gatehouse.db`);
  expect(await refusedOn('gatehouse')).toContain('the store is older than what this gateway has signed');
});

test('every command of the page was run', () => {
  expect([...blocks.keys()].filter((name) => !used.has(name))).toEqual([]);
  expect(page.match(/^```/gm)).toHaveLength(blocks.size * 2);
});
