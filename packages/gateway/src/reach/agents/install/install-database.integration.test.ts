/** The install script of databases run for real: a folder that stands for a machine near them, the agent out of its archive, and real databases that it carries to. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cleanEnvironment, type GatewayProcess, startGateway } from '@gatehouse/testkit/gateway-process';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { PASSWORD as MARIADB_PASSWORD, startSecureMariadb } from '../../../../testing/db/secure-mariadb.ts';
import { PASSWORD, startSecurePostgres } from '../../../../testing/db/secure-postgres.ts';
import { PASSWORD as REDIS_PASSWORD, startSecureRedis } from '../../../../testing/db/secure-redis.ts';

const run = promisify(execFile);
const WAIT = { timeout: 20_000, interval: 200 };

interface Reached {
  name: string;
  protocol: string;
  port: number;
  ca: string;
  dbUser: string;
  dbName: string;
  password: string;
}

let gateway: GatewayProcess;
let folder: string;
let reached: Reached[];
const stops: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-near-'));
  const [running, postgres, mariadb, redis] = await Promise.all([
    startGateway(),
    startSecurePostgres(),
    startSecureMariadb(),
    startSecureRedis(),
  ]);
  gateway = running;
  stops.push(() => gateway.stop(), postgres.stop, mariadb.stop, redis.stop);
  reached = [
    {
      ...postgres,
      name: 'orders',
      protocol: 'postgres',
      dbUser: 'by_scram',
      dbName: postgres.database,
      password: PASSWORD,
    },
    { ...mariadb, name: 'shop', protocol: 'mysql', dbUser: 'by_native', dbName: 'shop', password: MARIADB_PASSWORD },
    { ...redis, name: 'cache', protocol: 'redis', dbUser: 'app', dbName: '0', password: REDIS_PASSWORD },
  ];
});
afterAll(async () => {
  await Promise.all(stops.map((stop) => stop()));
  rmSync(folder, { recursive: true, force: true });
});

async function sh(script: string, root: string, ...args: string[]): Promise<{ code: number; out: string }> {
  mkdirSync(root, { recursive: true });
  const file = join(folder, 'script.sh');
  writeFileSync(file, script);
  try {
    const options = { env: cleanEnvironment(), cwd: folder };
    const { stdout, stderr } = await run('/bin/sh', [file, '--root', root, ...args], options);
    return { code: 0, out: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, out: stdout + stderr };
  }
}

async function scriptFor(...flags: string[]): Promise<string> {
  const added = await gateway.command('tokens', 'add', '--type=db', ...flags, '--format', 'json');
  const { command } = JSON.parse(added.stdout) as { command: string };
  return await (await fetch(/'(http[^']*)'/.exec(command)?.[1] ?? '')).text();
}

async function add({ name, protocol, port, ca, dbUser, dbName, password }: Reached) {
  const [secret, authority] = [join(folder, `${name}.txt`), join(folder, `${name}.pem`)];
  writeFileSync(secret, password);
  writeFileSync(authority, ca);
  const flags = ['--sign-in', 'password', '--db-user', dbUser, '--db-name', dbName, '--labels', 'env=near'];
  return await gateway.command(
    ...['db', 'add', name, `${protocol}://localhost:${port}`, ...flags, '--password-file', secret, '--ca', authority],
  );
}

const tried = ({ name, dbUser, dbName }: Reached) =>
  gateway.command('db', 'test', name, '--db-user', dbUser, '--db-name', dbName);

test('an agent joins by the script, looks after databases by their labels, and dials what its file allows', async () => {
  const root = join(folder, 'machine');
  const file = join(root, 'etc/gatehouse-agent/agent.yaml');
  const script = await scriptFor('--match', 'env=near');

  const first = await sh(script, root, '--name', 'near');
  expect(first).toMatchObject({ code: 0, out: expect.stringContaining('it looks after databases for') });
  expect(existsSync(join(root, 'etc/gatehouse-agent/join.env'))).toBe(false);
  expect(parse(readFileSync(file, 'utf8'))).toMatchObject({
    shell: false,
    databaseMatch: [{ env: ['near'] }],
    allow: expect.arrayContaining(['10.0.0.0/8:5432', '172.16.0.0/12:3306', '[fc00::/7]:27017']),
  });

  // Databases on its own machine are none of a private network: who wants them says so in its file.
  for (const each of reached)
    expect(await add(each)).toMatchObject({ code: 0, stderr: expect.stringContaining('cannot be reached yet') });
  expect((await tried(reached[0]!)).stdout).toContain("add it to 'allow'");
  const allowed = reached.map(({ port }) => `  - "localhost:${port}"\n`).join('');
  writeFileSync(file, readFileSync(file, 'utf8').replace('allow:\n', `allow:\n${allowed}`));
  expect(await sh(script, root, '--name', 'near')).toMatchObject({ code: 0, out: expect.stringContaining('keeping') });

  for (const each of reached) {
    await vi.waitFor(async () => expect(await tried(each)).toMatchObject({ code: 0 }), WAIT);
    const { stdout } = await tried(each);
    expect(stdout).toContain('through an agent in its network');
    expect((await gateway.command('db', 'show', each.name)).stdout).toContain('near');
  }
  expect((await gateway.command('nodes', 'ls', '--format', 'json')).stdout.trim()).toBe('[]');

  expect((await sh(script, root, '--uninstall')).code).toBe(0);
  await vi.waitFor(async () => expect((await tried(reached[0]!)).stdout).toContain('no agent'), WAIT);
});

test('a machine whose agent is for something else keeps its file, and is told what to add', async () => {
  const root = join(folder, 'taken');
  const file = join(root, 'etc/gatehouse-agent/agent.yaml');
  mkdirSync(join(root, 'etc/gatehouse-agent'), { recursive: true });
  const before = `gateway: "${gateway.origin}"\nname: "taken"\n`;
  writeFileSync(file, before);

  const { code, out } = await sh(await scriptFor('--match', 'env=near'), root, '--name', 'taken', '--no-start');
  expect([code, out]).toEqual([1, expect.stringContaining('databaseMatch:\n  - "env": ["near"]')]);
  expect(readFileSync(file, 'utf8')).toBe(before);
});
