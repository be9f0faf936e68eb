/** What people are told to write at a database, written at fresh ones: the gateway signs in by certificate then. */
import { execFile, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { databaseRoutes, type NewDatabase } from '@gatehouse/contract/kinds/db/databases';
import { dbSetup, type SetupProtocol } from '@gatehouse/contract/kinds/db/db-setup';
import { dbTrustRoutes } from '@gatehouse/contract/kinds/db/db-trust';
import { call } from '@gatehouse/contract/wire/client';
import { freePort } from '@gatehouse/testkit/free-port';
import { startMariadb } from '@gatehouse/testkit/mariadb';
import { startPostgres } from '@gatehouse/testkit/postgres';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type IdentityGateway, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';

const CLUSTER = { params: { clusterId: 'localhost' } };
const run = promisify(execFile);
let gateway: IdentityGateway;
let admin: TestBrowser;
let files: { 'server.key': string; 'server.crt': string; 'server.cas': string };

beforeAll(async () => {
  gateway = await startIdentityGateway();
  // Servers look at their own clocks.
  gateway.clock.advance(Date.now() - gateway.clock.now);
  await gateway.addUser('admin', { roles: ['editor'] });
  admin = await gateway.signedIn('admin');
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { certificate, authorities } = await call(admin.send, dbTrustRoutes.sign, {
    ...CLUSTER,
    body: {
      hosts: ['localhost', '127.0.0.1'],
      publicKey: publicKey.export({ format: 'pem', type: 'spki' }).toString(),
    },
  });
  files = {
    'server.key': privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    'server.crt': certificate,
    'server.cas': authorities,
  };
});
afterAll(() => gateway?.close());

/** The lines of each step, in order. */
function told(protocol: SetupProtocol): string[][] {
  const facts = { cluster: 'localhost', user: 'app', from: '127.0.0.1', folder: 'FOLDER' };
  return dbSetup(protocol, facts).map(({ lines }) => [...lines]);
}

/** What each hop came to. */
async function tried(wanted: Pick<NewDatabase, 'protocol' | 'uri'> & { database?: string; password?: string }) {
  const body = { ...wanted, signIn: 'certificate' as const };
  const as = async (dbUser: string) =>
    (await call(admin.send, databaseRoutes.check, { ...CLUSTER, body: { ...body, dbUser } })).steps;
  const [app, other] = [await as('app'), await as('other')];
  return { app, other: other.find(({ step }) => step === 'login')?.status };
}

test('PostgreSQL', async () => {
  const [settings = [], rules = [], statements = []] = told('postgres');
  const write = ([name, text]: [string, string]) => `umask 077; cat > ${name} <<'END'\n${text}END\n`;
  const server = await startPostgres({
    prepare: [
      ...Object.entries(files).map(write),
      `cat >> postgresql.conf <<'END'\n${settings.join('\n')}\nEND\nsed -i "s#FOLDER#$PWD#" postgresql.conf`,
      // Who sets the test up has a way of their own.
      `(echo 'local all all trust'; echo 'hostnossl all gatehouse 127.0.0.1/32 trust'; echo '${rules.join('\n')}'; cat pg_hba.conf) > new; mv new pg_hba.conf`,
    ].join('\n'),
  });
  onTestFinished(() => server.stop());
  const own = new Client({ connectionString: server.url });
  await own.connect();
  for (const statement of [...statements, 'create user other']) await own.query(statement);
  await own.end();

  const { app } = await tried({
    ...{ protocol: 'postgres', uri: `localhost:${server.port}`, database: new URL(server.url).pathname.slice(1) },
  });
  expect(app.map(({ step, status }) => [step, status])).toEqual(
    ['reach', 'tcp', 'tls', 'login', 'database'].map((step) => [step, 'ok']),
  );
});

test('MariaDB', async () => {
  const [[section, ...settings] = [], statements = []] = told('mysql');
  const server = await startMariadb({
    files,
    settings: settings.map((line) => `--${line.replace(' = ', '=')}`),
    statements: [...statements, "create user other@'127.0.0.1' require subject '/O=elsewhere/CN=other';"].join('\n'),
  });
  onTestFinished(() => server.stop());
  const { app, other } = await tried({
    protocol: 'mysql',
    uri: `localhost:${server.port}`,
    database: 'information_schema',
  });

  expect(section).toBe('[mysqld]');
  expect(app.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok']);
  expect(other).toBe('failed');
});

test('Redis, whose users have a password besides', async () => {
  const [settings = [], statements = []] = told('redis');
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-redis-'));
  const port = await freePort();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o600 });
  const own = [`dir ${folder}`, 'bind 127.0.0.1', `unixsocket ${folder}/socket`, 'save ""'];
  const lines = settings.map((line) => line.replace('FOLDER', folder).replace('6379', String(port)));
  writeFileSync(join(folder, 'redis.conf'), `${[...own, ...lines].join('\n')}\n`);
  const server = spawn('redis-server', [join(folder, 'redis.conf')], { stdio: 'ignore' });
  onTestFinished(() => {
    server.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  const typed = (words: string) => run('redis-cli', ['-s', join(folder, 'socket'), ...words.split(' ')]);
  await expect.poll(async () => (await typed('ping').catch(() => ({ stdout: '' }))).stdout).toContain('PONG');
  for (const statement of statements) await typed(statement);
  const { app, other } = await tried({
    protocol: 'redis',
    uri: `localhost:${port}`,
    database: '0',
    password: 'PASSWORD',
  });

  expect(app.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok']);
  expect(other).toBe('failed');
  // Without a certificate of ours nobody is heard at all.
  const strange = await run('redis-cli', ['-p', String(port), '--tls', '--insecure', 'ping']).catch(
    (error: Error) => error,
  );
  expect(JSON.stringify(strange)).not.toContain('PONG');
});
