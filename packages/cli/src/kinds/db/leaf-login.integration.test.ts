/** `gatehouse db login --cluster`, as people run it: programs come straight to the root and are led to databases of its leaf, which decides. */
import { execFile, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { dbTrustRoutes } from '@gatehouse/contract/kinds/db/db-trust';
import { call } from '@gatehouse/contract/wire/client';
import { makeRole } from '@gatehouse/gateway/testing/apps/app-world';
import { type NativeWorld, startNativeWorldOf } from '@gatehouse/gateway/testing/db/native-world';
import {
  PASSWORD as MARIADB_PASSWORD,
  type SecureMariadb,
  startSecureMariadb,
} from '@gatehouse/gateway/testing/db/secure-mariadb';
import { PASSWORD, type SecurePostgres, startSecurePostgres } from '@gatehouse/gateway/testing/db/secure-postgres';
import {
  PASSWORD as REDIS_PASSWORD,
  type SecureRedis,
  startSecureRedis,
} from '@gatehouse/gateway/testing/db/secure-redis';
import { codeOf, enrolApp } from '@gatehouse/gateway/testing/identity-gateway';
import { LEAF, makeLeaf } from '@gatehouse/gateway/testing/relay/leaf-world';
import { type SecureRoot, startSecureRoot } from '@gatehouse/gateway/testing/relay/secure-root';
import { ROOT } from '@gatehouse/testkit/gateway-process';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

const run = promisify(execFile);
let [postgres, redis, mariadb] = [] as unknown as [SecurePostgres, SecureRedis, SecureMariadb];
let leaf: NativeWorld;
let home: SecureRoot;
let env: Record<string, string>;
beforeAll(async () => {
  [postgres, redis, mariadb] = await Promise.all([startSecurePostgres(), startSecureRedis(), startSecureMariadb()]);
  leaf = await startNativeWorldOf([
    { ...postgres, name: 'shop', protocol: 'postgres', dbUsers: ['by_scram'], password: PASSWORD },
    { ...redis, name: 'cache', protocol: 'redis', database: '0', dbUsers: ['app'], password: REDIS_PASSWORD },
    {
      ...mariadb,
      name: 'orders',
      protocol: 'mysql',
      database: 'shop',
      dbUsers: ['by_native'],
      password: MARIADB_PASSWORD,
    },
  ]);
  await makeRole(leaf.admin, 'careful', '{options: {require_session_mfa: true}}');
  home = await startSecureRoot();
  await makeLeaf(home.root, leaf.gateway, [
    { remote: 'access', local: ['dev'] },
    { remote: 'auditor', local: ['dev', 'careful'] },
  ]);
  env = await home.environmentOf(await home.root.signedIn('ann'));
});
afterAll(async () => {
  await leaf?.gateway.close();
  await home?.close();
  await Promise.all([postgres?.stop(), redis?.stop(), mariadb?.stop()]);
});

const gatehouse = (args: string[], of = env) =>
  run(`${ROOT}/gatehouse`, ['db', ...args, '--cluster', LEAF], { env: of });
const typed = (command: string, of = env) => run('sh', ['-c', command], { env: of, timeout: 60_000 });
/** What people are told to type. */
const commandIn = (told: string) => /Connect with: (.*)\n/.exec(told)?.[1] ?? '';
const statements = async () =>
  (await leaf.gateway.events()).filter(({ code }) => code === 'TDB02I').map(({ user, data }) => ({ user, ...data }));

test('psql is let in by the name of the service, cancels, and the leaf has its statements in its log', async () => {
  const command = commandIn((await gatehouse(['login', 'shop', '--db-user', 'by_scram'])).stdout);

  expect(command).toBe(`psql service=shop.${LEAF}`);
  const psql = `psql -X -w -At service=shop.${LEAF}`;
  expect((await typed(`${psql} -c 'select current_user'`)).stdout).toBe('by_scram\n');
  await vi.waitFor(async () => {
    expect(await statements()).toContainEqual(expect.objectContaining({ user: 'root/ann', db_service: 'shop' }));
  });
  expect((await home.root.events()).map(({ code }) => code)).not.toContain('TDB02I');
  const program = spawn('sh', ['-c', `exec ${psql} -c 'select 1' -c 'select pg_sleep(60)'`], { env });
  const said = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const)
    program[stream].on('data', (piece: Buffer) => {
      said[stream] += piece;
    });
  const ended = once(program, 'close');
  // A psql that has not come through yet ends at a Ctrl-C without a word.
  await vi.waitFor(() => expect(said.stdout, said.stderr).toBe('1\n'));
  const from = performance.now();
  // It cancels by the key that it was given; the first may come before the statement is asked.
  const keys = setInterval(() => program.kill('SIGINT'), 500);
  await ended;
  clearInterval(keys);
  expect(said.stderr).toContain('canceling statement');
  expect(performance.now() - from).toBeLessThan(SOON_MS);
  await gatehouse(['logout', 'shop']);
  expect(readFileSync(join(env.HOME!, '.pg_service.conf'), 'utf8')).toBe('');
});

test('redis-cli is led by the name in its TLS, which must be that of its certificate', async () => {
  const command = commandIn((await gatehouse(['login', 'cache', '--db-user', 'app'])).stdout);

  expect(command).toContain(`--sni cache.${LEAF}.db.localhost`);
  expect((await typed(`${command} ACL WHOAMI`)).stdout).toBe('app\n');
  const other = await typed(`${command.replace(`cache.${LEAF}.db`, 'cache.db')} ACL WHOAMI`);
  expect(other.stdout).toContain("this name is another's");
});

test('mariadb is led through the door of its own', async () => {
  await home.root.dbDoors.mysqlDoor?.listen({ host: '127.0.0.1', port: 0 });
  const command = commandIn((await gatehouse(['login', 'orders', '--db-user', 'by_native'])).stdout);

  const asked = `-N -B -e 'select current_user(), database()'`;
  expect((await typed(`${command} -D shop ${asked}`)).stdout).toBe('by_native@127.0.0.1\tshop\n');
});

test('what the leaf does not give is refused in its words, and a lock at the root ends what is open', async () => {
  await expect(gatehouse(['login', 'nothing', '--db-user', 'app'])).rejects.toMatchObject({
    stderr: expect.stringContaining("'nothing' not found"),
  });
  await home.root.addUser('bob', { roles: ['access'] });
  const own = await home.environmentOf(await home.root.signedIn('bob'));
  const psql = `psql -X -w -At service=shop.${LEAF}`;
  await gatehouse(['login', 'shop', '--db-user', 'postgres'], own);
  const refused = await typed(`${psql} -c 'select 1'`, own).catch((error) => error);
  expect(refused.stderr).toMatch(/FATAL: .*'postgres'/);
  await gatehouse(['login', 'shop', '--db-user', 'by_scram'], own);
  const running = typed(`${psql} -c 'select 1' -c 'select pg_sleep(60)'`, own).catch((error) => error);
  await vi.waitFor(async () => {
    expect(await statements()).toContainEqual(expect.objectContaining({ user: 'root/bob' }));
  });
  const from = performance.now();
  await call(home.root.admin.send, lockRoutes.create, {
    params: { clusterId: 'home' },
    body: { targets: { user: 'bob' }, message: 'gone' },
  });

  expect((await running).code).not.toBe(0);
  expect(performance.now() - from).toBeLessThan(SOON_MS);
  expect((await typed(`${psql} -c 'select 1'`, own).catch((error) => error)).stderr).toMatch(/FATAL/);
});

test('a second factor that a role of the leaf wants is traded for a pass there, without which the certificate opens nothing', async () => {
  const { root, ca } = home;
  await root.addUser('carl', { roles: ['auditor'] });
  const carl = await root.signedIn('carl');
  const secret = await enrolApp(root, carl);
  root.clock.advance(30_000);
  leaf.gateway.clock.now = root.clock.now;
  const body = { dbUser: 'by_scram', dbName: postgres.database };
  const at = (clusterId: string) => ({ clusterId, name: 'shop' });
  await expect(call(carl.send, databaseRoutes.pass, { params: at(LEAF), body })).rejects.toThrow('second factor');
  const factor = { code: codeOf(secret, root.clock.now) };
  const { pass } = await call(carl.send, databaseRoutes.pass, { params: at(LEAF), body: { ...body, factor } });
  const folder = mkdtempSync(join(env.HOME!, 'carl-'));
  const psql = async (more: { pass?: string }) => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pem = publicKey.export({ format: 'pem', type: 'spki' }).toString();
    const { certificate } = await call(carl.send, dbTrustRoutes.certify, {
      params: at('home'),
      body: { ...body, publicKey: pem, leaf: LEAF, ...more },
    });
    const key = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
    for (const [name, text] of Object.entries({ ca, key, certificate }))
      writeFileSync(join(folder, name), text, { mode: 0o600 });
    const files = `sslrootcert=${folder}/ca sslcert=${folder}/certificate sslkey=${folder}/key`;
    const { port } = new URL(root.origin);
    const where = `host=localhost hostaddr=127.0.0.1 port=${port} sslmode=verify-full user=by_scram dbname=${postgres.database}`;
    return await typed(`psql -X -w -At "${where} ${files}" -c 'select 6 * 7'`).catch((error) => error);
  };

  expect((await psql({ pass })).stdout).toBe('42\n');
  expect((await psql({})).stderr).toContain('second factor');
});
