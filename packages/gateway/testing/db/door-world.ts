/** One gateway with every kind of database behind it, and people with all that its doors ask of them, for the table of doors. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { cliLoginRoutes } from '@gatehouse/contract/identity/cli-login';
import { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import type { DbProtocol } from '@gatehouse/contract/kinds/db/db-address';
import { dbTrustRoutes } from '@gatehouse/contract/kinds/db/db-trust';
import { call } from '@gatehouse/contract/wire/client';
import { expect, vi } from 'vitest';
import { makeRole } from '../apps/app-world.ts';
import { type IdentityGateway, PASSWORD as OWN_PASSWORD, startIdentityGateway } from '../identity-gateway.ts';
import { join, newJoinToken, startAgent, tunnelUrl } from '../test-agent.ts';
import type { TestBrowser } from '../test-browser.ts';
import type { ClientPair } from './native-world.ts';
import { type SecureMariadb, startSecureMariadb } from './secure-mariadb.ts';
import { PASSWORD, type SecurePostgres, startSecurePostgres } from './secure-postgres.ts';
import { PASSWORD as REDIS_PASSWORD, type SecureRedis, startSecureRedis } from './secure-redis.ts';
import { type StubMongodb, startStubMongodb } from './stub-mongodb.ts';
import { type StubSqlserver, startStubSqlserver } from './stub-sqlserver.ts';
import { makeTestAuthority } from './test-authority.ts';

export const CLUSTER = { clusterId: 'localhost' };
/** PostgreSQL dialled by the gateway, and by an agent; MariaDB, Redis, and the stubs of MongoDB and SQL Server. */
export const DATABASES = ['shop', 'far', 'stock', 'cache', 'papers', 'sales'] as const;
export type DoorDatabase = (typeof DATABASES)[number];
/** At every server. */
export const USER = 'by_scram';
/** Databases of Redis are numbers. */
export const IN_REDIS = '0';

export interface DoorPerson {
  name: string;
  role: string;
  browser: TestBrowser;
  /** Of their command line. */
  token: string;
  /** What `db login` has made, while they were still allowed to. */
  certificates: Readonly<Record<string, ClientPair>>;
}

export interface Wanted {
  dbUser?: string;
  dbName?: string;
}

export interface DoorWorld {
  gateway: IdentityGateway;
  admin: TestBrowser;
  origin: string;
  port: number;
  mysqlPort: number;
  ca: string;
  /** Of the recordings. */
  folder: string;
  /** Of every server but Redis. */
  database: string;
  /** What the roles of people allow, as the document of a role has it, and the names of databases in it. */
  allow: string;
  names: string;
  person(options?: string): Promise<DoorPerson>;
  setRole(role: string, spec: string, metadata?: string): Promise<unknown>;
  change(name: DoorDatabase, body: object): Promise<unknown>;
  setSecret(name: DoorDatabase): Promise<unknown>;
  /** Where the record leads: the same server, by another name of it. */
  address(name: DoorDatabase, host: string): string;
  close(): Promise<void>;
}

/** The servers behind all doors have the same user, so that one role lets people in by each. */
export interface DoorServers {
  postgres: SecurePostgres;
  mariadb: SecureMariadb;
  redis: SecureRedis;
  mongodb: StubMongodb;
  sqlserver: StubSqlserver;
}

export async function startDoorServers(): Promise<DoorServers> {
  const postgres = await startSecurePostgres();
  const password = `'${PASSWORD.replaceAll("'", "''")}'`;
  const mariadb = await startSecureMariadb(`
    create database ${postgres.database};
    create user ${USER}@'127.0.0.1' identified via mysql_native_password using password(${password});
    grant all on *.* to ${USER}@'127.0.0.1';`);
  const own = { [USER]: PASSWORD };
  const [redis, mongodb, sqlserver] = await Promise.all([
    startSecureRedis(),
    startStubMongodb(own),
    startStubSqlserver(own),
  ]);
  return { postgres, mariadb, redis, mongodb, sqlserver };
}

interface Behind {
  protocol: DbProtocol;
  server: { port: number; ca: string };
  password: string;
  database: string;
  through: string[];
}

function behindDoors(servers: DoorServers): Readonly<Record<DoorDatabase, Behind>> {
  const { postgres, mariadb, redis, mongodb, sqlserver } = servers;
  const usual = { password: PASSWORD, database: postgres.database, through: [] };
  const shop: Behind = { ...usual, protocol: 'postgres', server: postgres };
  return {
    shop,
    far: { ...shop, through: ['edge'] },
    stock: { ...usual, protocol: 'mysql', server: mariadb },
    cache: { ...usual, protocol: 'redis', server: redis, password: REDIS_PASSWORD, database: IN_REDIS },
    papers: { ...usual, protocol: 'mongodb', server: mongodb },
    sales: { ...usual, protocol: 'sqlserver', server: sqlserver },
  };
}

export async function startDoorWorld(servers: DoorServers): Promise<DoorWorld> {
  const behind = behindDoors(servers);
  const { database } = behind.shop;
  const { ca, server } = await makeTestAuthority();
  // Clients here check the gateway's certificate as those of people do.
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, ca]);
  const dataDir = mkdtempSync(joinPath(tmpdir(), 'gatehouse-doors-'));
  const gateway = await startIdentityGateway({
    secondFactor: 'optional',
    secure: { host: 'localhost', ...server },
    dataDir,
  });
  // TLS looks at the clock of the machine.
  gateway.clock.advance(Date.now() - gateway.clock.now);
  await gateway.addUser('admin', { roles: ['editor'] });
  const admin = await gateway.signedIn('admin');
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = gateway.app.server.address() as AddressInfo;
  const joined = await join(gateway.send, { token: await newJoinToken(admin.send, { roles: ['Db'] }), name: 'edge' });
  const agent = startAgent(joined, {
    url: tunnelUrl(gateway.app).replace('http://127.0.0.1', 'https://localhost'),
    ...{ resources: [], onDial: () => undefined },
  });
  await vi.waitFor(() => expect(agent.taken).toHaveLength(1));
  const setSecret = (name: DoorDatabase) =>
    call(admin.send, databaseRoutes.setSecret, {
      params: { ...CLUSTER, name, dbUser: USER },
      body: { password: behind[name].password },
    });
  const address = (name: DoorDatabase, host: string) => `${host}:${behind[name].server.port}`;
  for (const name of DATABASES) {
    const { protocol, server: its, database: own, through } = behind[name];
    const body = {
      ...{ name, protocol, uri: address(name, 'localhost'), signIn: 'password' as const },
      ...{ tls: { ca: its.ca }, database: own, labels: [{ name: 'env', value: 'dev' }], through },
    };
    await call(admin.send, databaseRoutes.add, { params: CLUSTER, body });
    await setSecret(name);
  }
  await gateway.dbDoors.mysqlDoor?.listen({ host: '127.0.0.1', port: 0 });
  const mysqlPort = gateway.dbDoors.mysqlDoor?.port() ?? 0;
  const names = `[${database}, '${IN_REDIS}']`;
  const allow = `db_labels: {env: dev}, db_users: [${USER}], db_names: ${names}`;
  let people = 0;
  return {
    ...{ gateway, admin, port, mysqlPort, ca, database, allow, names, setSecret, address },
    origin: `https://localhost:${port}`,
    folder: joinPath(dataDir, 'recordings'),
    async person(options = '{}') {
      people += 1;
      const name = `person-${people}`;
      const role = `role-of-${name}`;
      await makeRole(admin, role, `{options: ${options}, allow: {${allow}}}`);
      await gateway.addUser(name, { roles: [role] });
      // Each from an address of their own: one address does not sign in so many.
      const address = `127.0.7.${people}`;
      const browser = gateway.browser({ address });
      await browser.signIn(name, OWN_PASSWORD);
      const { send } = gateway.browser({ address });
      const { requestId, secret } = await call(send, cliLoginRoutes.begin, { body: { client: 'test' } });
      const params = { requestId };
      await call(browser.send, cliLoginRoutes.answer, { params, body: { action: 'accept' } });
      const { token = '' } = await call(send, cliLoginRoutes.poll, { params, body: { secret } });
      const certificates: Record<string, ClientPair> = {};
      for (const each of DATABASES) certificates[each] = await certify(browser, each);
      return { name, role, browser, token, certificates };
    },
    setRole: (role, spec, metadata = '') =>
      call(admin.send, roleRoutes.update, {
        params: { name: role },
        body: { content: `kind: role\nversion: v6\nmetadata: {name: ${role}${metadata}}\nspec: ${spec}\n` },
      }),
    change: (name, body) => call(admin.send, databaseRoutes.update, { params: { ...CLUSTER, name }, body }),
    async close() {
      await agent.close({ drainMs: 0 });
      await gateway.close();
      setDefaultCACertificates(before);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** What `db login` fetches. */
export async function certify(
  who: TestBrowser,
  name: string,
  { dbUser = USER, dbName }: Wanted = {},
): Promise<ClientPair> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = publicKey.export({ format: 'pem', type: 'spki' }).toString();
  const body = { publicKey: pem, dbUser, ...(dbName === undefined ? {} : { dbName }) };
  const { certificate } = await call(who.send, dbTrustRoutes.certify, { params: { ...CLUSTER, name }, body });
  return { cert: certificate, key: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString() };
}
