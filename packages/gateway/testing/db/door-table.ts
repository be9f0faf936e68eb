/** Every door to a database, with one gateway, one PostgreSQL and one MariaDB behind them. A new door is a new row, and is held to every control. */
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import type { Duplex } from 'node:stream';
import { connect as connectTls, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { cliLoginRoutes } from '@gatehouse/contract/identity/cli-login';
import { DB_TCP_SOCKET, databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { dbTrustRoutes } from '@gatehouse/contract/kinds/db/db-trust';
import { call } from '@gatehouse/contract/wire/client';
import { openTcpStream } from '@gatehouse/tunnel/sessions/tcp-stream';
import { createConnection } from 'mysql2';
import { expect, vi } from 'vitest';
import { makeRole } from '../apps/app-world.ts';
import { type IdentityGateway, PASSWORD as OWN_PASSWORD, startIdentityGateway } from '../identity-gateway.ts';
import { join, newJoinToken, startAgent, tunnelUrl } from '../test-agent.ts';
import type { TestBrowser } from '../test-browser.ts';
import { EditorPage } from './editor-page.ts';
import type { ClientPair } from './native-world.ts';
import { PlainPostgres } from './plain-postgres.ts';
import { type SecureMariadb, startSecureMariadb } from './secure-mariadb.ts';
import { PASSWORD, type SecurePostgres, startSecurePostgres } from './secure-postgres.ts';
import { makeTestAuthority } from './test-authority.ts';

const CLUSTER = { clusterId: 'localhost' };
/** Dialled by the gateway, by an agent, and one of MariaDB. */
export const DATABASES = ['shop', 'far', 'stock'] as const;
export type DoorDatabase = (typeof DATABASES)[number];
/** At every server. */
const USER = 'by_scram';

/** What is said alike to each protocol's server. */
export interface Sayings {
  /** Runs until it is cancelled; the mark stands in its text. */
  sleep(mark: string): string;
  makeTable(name: string): string;
}

const POSTGRES: Sayings = {
  sleep: (mark) => `select pg_sleep(600) /* ${mark} */`,
  makeTable: (name) => `create table "${name}" ()`,
};
const MYSQL: Sayings = {
  sleep: (mark) => `select sleep(600) /* ${mark} */`,
  makeTable: (name) => `create table \`${name}\` (a int)`,
};

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

export interface Entered {
  run(sql: string): Promise<unknown>;
  /** Settles when it is over, however. */
  over: Promise<unknown>;
  /** What the page was told last of what it waits for; programs wait for nobody. */
  flow?(): string | undefined;
  drop(): void;
}

export interface DbDoor {
  database: DoorDatabase;
  says: Sayings;
  /** Others can watch: where a role asks for them it waits, and is frozen without them. */
  waits?: true;
  /** Throws why nobody was let in. */
  open(world: DoorWorld, who: DoorPerson, wanted?: Wanted): Promise<Entered>;
}

const web: DbDoor = {
  database: 'shop',
  says: POSTGRES,
  waits: true,
  async open({ origin }, { browser }, wanted) {
    return await openPage({ origin, who: browser, name: 'shop', ...wanted });
  },
};

const tunnel: DbDoor = {
  database: 'shop',
  says: POSTGRES,
  open: async (world, { token }, wanted) => await dial(world, token, 'shop', wanted),
};

const native: DbDoor = {
  database: 'shop',
  says: POSTGRES,
  open: async (world, who, wanted) => await connectNative(world, who, 'shop', wanted),
};

export const DB_DOORS: Readonly<Record<string, DbDoor>> = {
  'web editor': web,
  tunnel,
  'native TLS': native,
  'web editor through an agent': {
    ...web,
    database: 'far',
    open: async ({ origin }, { browser }, wanted) => await openPage({ origin, who: browser, name: 'far', ...wanted }),
  },
  'tunnel through an agent': {
    ...tunnel,
    database: 'far',
    open: async (world, { token }, wanted) => await dial(world, token, 'far', wanted),
  },
  'native TLS through an agent': {
    ...native,
    database: 'far',
    open: async (world, who, wanted) => await connectNative(world, who, 'far', wanted),
  },
  'native MySQL': {
    database: 'stock',
    says: MYSQL,
    open: async (world, who, wanted) => await connectMysql(world, who, wanted),
  },
};

async function openPage(options: ConstructorParameters<typeof EditorPage>[0]): Promise<Entered> {
  const page = new EditorPage(options);
  const over = page.closing;
  const flow = () => page.heard.findLast((reply) => reply.type === 'flow')?.flow;
  await page.settled(() => flow() === 'waiting' || page.heard.some(({ type }) => type === 'ready'));
  return { run: (sql) => page.run(sql), over, flow, drop: () => page.socket.terminate() };
}

async function dial({ origin }: DoorWorld, token: string, name: DoorDatabase, wanted: Wanted = {}): Promise<Entered> {
  const { dbUser = USER, dbName = '' } = wanted;
  const query = { dbUser, dbName };
  return await speak(
    await openTcpStream({ origin, token, door: DB_TCP_SOCKET, ...CLUSTER, name, query, userAgent: 'test' }),
  );
}

async function connectNative(world: DoorWorld, who: DoorPerson, name: DoorDatabase, wanted?: Wanted): Promise<Entered> {
  // What the certificate was not made for has to be asked for first.
  const pair = wanted ? await certify(who.browser, name, wanted) : who.certificates[name];
  const { port, ca } = world;
  const socket = connectTls({
    host: '127.0.0.1',
    port,
    ca,
    servername: 'localhost',
    ALPNProtocols: ['postgresql'],
    ...pair,
  });
  await once(socket, 'secureConnect');
  return await speak(socket);
}

async function connectMysql({ ca, mysqlPort }: DoorWorld, who: DoorPerson, wanted?: Wanted): Promise<Entered> {
  const pair = wanted ? await certify(who.browser, 'stock', wanted) : who.certificates.stock;
  const client = createConnection({ host: '127.0.0.1', port: mysqlPort, user: 'anybody', ssl: { ca, ...pair } });
  const { promise: over, resolve } = Promise.withResolvers<void>();
  client.on('error', () => {});
  // Typed as what it speaks through alone.
  (client as unknown as { stream: Duplex }).stream.on('close', () => resolve());
  await new Promise<void>((done, failed) => client.connect((error) => (error ? failed(error) : done())));
  const run = (sql: string) =>
    new Promise((done, failed) => client.query(sql, (error, rows) => (error ? failed(error) : done(rows))));
  return { run, over, drop: () => client.destroy() };
}

async function speak(stream: Duplex): Promise<Entered> {
  const client = await PlainPostgres.open(stream);
  return { run: (sql) => client.run(sql), over: client.over, drop: () => client.drop() };
}

async function certify(who: TestBrowser, name: string, { dbUser = USER, dbName }: Wanted = {}): Promise<ClientPair> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = publicKey.export({ format: 'pem', type: 'spki' }).toString();
  const body = { publicKey: pem, dbUser, ...(dbName === undefined ? {} : { dbName }) };
  const { certificate } = await call(who.send, dbTrustRoutes.certify, { params: { ...CLUSTER, name }, body });
  return { cert: certificate, key: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString() };
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
  /** What the roles of people allow, as the document of a role has it. */
  allow: string;
  person(options?: string): Promise<DoorPerson>;
  setRole(role: string, spec: string, metadata?: string): Promise<unknown>;
  change(name: DoorDatabase, body: object): Promise<unknown>;
  setSecret(name: DoorDatabase): Promise<unknown>;
  /** Where the record leads: the same server, by another name of it. */
  address(name: DoorDatabase, host: string): string;
  close(): Promise<void>;
}

/** The servers behind all doors have the same database and the same user, so that one role lets people in by each. */
export interface DoorServers {
  postgres: SecurePostgres;
  mariadb: SecureMariadb;
}

export async function startDoorServers(): Promise<DoorServers> {
  const postgres = await startSecurePostgres();
  const password = `'${PASSWORD.replaceAll("'", "''")}'`;
  const mariadb = await startSecureMariadb(`
    create database ${postgres.database};
    create user ${USER}@'127.0.0.1' identified via mysql_native_password using password(${password});
    grant all on *.* to ${USER}@'127.0.0.1';`);
  return { postgres, mariadb };
}

export async function startDoorWorld({ postgres, mariadb }: DoorServers): Promise<DoorWorld> {
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
      body: { password: PASSWORD },
    });
  const serverOf = (name: DoorDatabase) => (name === 'stock' ? mariadb : postgres);
  const address = (name: DoorDatabase, host: string) => `${host}:${serverOf(name).port}`;
  for (const name of DATABASES) {
    const body = {
      ...{ name, protocol: name === 'stock' ? ('mysql' as const) : ('postgres' as const) },
      ...{ uri: address(name, 'localhost'), signIn: 'password' as const },
      ...{ tls: { ca: serverOf(name).ca }, database: postgres.database, labels: [{ name: 'env', value: 'dev' }] },
      ...(name === 'far' ? { through: ['edge'] } : {}),
    };
    await call(admin.send, databaseRoutes.add, { params: CLUSTER, body });
    await setSecret(name);
  }
  await gateway.dbDoors.mysqlDoor?.listen({ host: '127.0.0.1', port: 0 });
  const mysqlPort = gateway.dbDoors.mysqlDoor?.port() ?? 0;
  const allow = `db_labels: {env: dev}, db_users: [${USER}], db_names: [${postgres.database}]`;
  let people = 0;
  return {
    ...{ gateway, admin, port, mysqlPort, ca, allow, setSecret, address },
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
