/** Databases of clouds that only an agent reaches: what signs in is made by the gateway, and the agent carries it without seeing it. */
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { TLSSocket } from 'node:tls';
import { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { call } from '@gatehouse/contract/wire/client';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { CLUSTER, type DbWorld, startDbWorldOf } from '../../../../testing/db/db-world.ts';
import { PASSWORD, type SecurePostgres, startSecurePostgres } from '../../../../testing/db/secure-postgres.ts';
import { type StubClouds, startStubClouds } from '../../../../testing/db/stub-clouds.ts';
import { makeTestAuthority } from '../../../../testing/db/test-authority.ts';
import { join, newJoinToken, startAgent, type TestAgent, tunnelUrl } from '../../../../testing/test-agent.ts';

const TOKEN = 'ya29.token-that-an-agent-never-sees';
/** It asks for the password as it is: inside TLS alone. */
const USER = 'by_clear';
let postgres: SecurePostgres;
let clouds: StubClouds;
let folder: string;
let world: DbWorld;
let agent: TestAgent;
let dialled: string[];
/** Where the agent goes instead of where it was told to. */
let instead: number | undefined;
beforeAll(async () => {
  const pair = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const key = { accessKeyId: 'none', secretAccessKey: 'none', region: 'eu-central-1' };
  folder = mkdtempSync(joinPath(tmpdir(), 'gatehouse-clouds-'));
  [postgres, clouds] = await Promise.all([
    startSecurePostgres(),
    startStubClouds({ key, password: 'none', publicKey: pair.publicKey, token: TOKEN }),
  ]);
  const account = { type: 'service_account', client_email: 'robot@project', private_key: pair.privateKey };
  const file = joinPath(folder, 'google.json');
  writeFileSync(file, JSON.stringify({ ...account, token_uri: `${clouds.origin}/token` }));
  vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', file);
  const direct = new Client({ connectionString: postgres.url });
  await direct.connect();
  await direct.query(`alter role "${USER}" password '${TOKEN}'`);
  await direct.end();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await Promise.all([postgres?.stop(), clouds?.close()]);
  if (folder) rmSync(folder, { recursive: true });
});
beforeEach(async () => {
  const { port, ca, database } = postgres;
  world = await startDbWorldOf({
    ...{ protocol: 'postgres', port, ca, database, dbNames: [database], dbUsers: [USER], password: PASSWORD },
  });
  [dialled, instead] = [[], undefined];
  const token = await newJoinToken(world.admin.send, { roles: ['Db'] });
  agent = startAgent(await join(world.gateway.send, { token, name: 'edge' }), {
    ...{ url: tunnelUrl(world.gateway.app), resources: [] },
    onDial(target) {
      dialled.push(target);
      return instead;
    },
  });
  await expect.poll(() => agent.taken.length).toBe(1);
  await call(world.admin.send, databaseRoutes.update, {
    params: { ...CLUSTER, name: 'shop' },
    body: { signIn: 'gcp', gcp: { project: 'project', instance: 'shop' }, through: ['edge'] },
  });
});
afterEach(async () => {
  await agent.close({ drainMs: 0 });
  await world.close();
});

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

async function whoIsThere(): Promise<unknown> {
  const { port } = await world.tunnel({ dbUser: USER });
  const client = new Client({ host: '127.0.0.1', port, user: 'anybody', database: 'anybody' });
  client.on('error', () => {});
  await client.connect();
  const { rows } = await client.query('select current_user as who');
  await client.end();
  return rows;
}

test('the token signs in through the agent, which sees nothing of it', async () => {
  const carried: Buffer[] = [];
  instead = await listening(
    createServer((near) => {
      const far = connect(postgres.port, '127.0.0.1');
      for (const each of [near, far]) each.on('error', () => {}).on('data', (piece: Buffer) => carried.push(piece));
      near.pipe(far).pipe(near);
    }),
  );

  expect(await whoIsThere()).toEqual([{ who: USER }]);
  expect(dialled).toEqual([`tcp:localhost:${postgres.port}`]);
  expect(clouds.asked.map(({ path }) => path)).toEqual(['/token']);
  const seen = Buffer.concat(carried);
  expect(seen.length).toBeGreaterThan(1_000);
  expect(seen.includes(TOKEN)).toBe(false);
});

test('an agent that leads to another server gets no token out of the gateway', async () => {
  const { server: pair } = await makeTestAuthority();
  const heard: Buffer[] = [];
  instead = await listening(
    createServer((near) => {
      near.on('error', () => {});
      near.once('data', () => {
        near.write('S');
        const secure = new TLSSocket(near, { isServer: true, ...pair });
        secure.on('error', () => {}).on('data', (piece: Buffer) => heard.push(piece));
      });
    }),
  );
  const before = clouds.asked.length;

  await expect(whoIsThere()).rejects.toThrow(/certificate|TLS/);
  expect(dialled).toHaveLength(1);
  expect(clouds.asked).toHaveLength(before);
  expect(Buffer.concat(heard).length).toBe(0);
});
