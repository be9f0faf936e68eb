/** Every door to a database, with one gateway and one PostgreSQL behind them. A new door is a new row, and is held to every control. */
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
import { expect, vi } from 'vitest';
import { makeRole } from '../apps/app-world.ts';
import { type IdentityGateway, PASSWORD as OWN_PASSWORD, startIdentityGateway } from '../identity-gateway.ts';
import { join, newJoinToken, startAgent, tunnelUrl } from '../test-agent.ts';
import type { TestBrowser } from '../test-browser.ts';
import { EditorPage } from './editor-page.ts';
import type { ClientPair } from './native-world.ts';
import { PlainPostgres } from './plain-postgres.ts';
import { PASSWORD, type SecurePostgres } from './secure-postgres.ts';
import { makeTestAuthority } from './test-authority.ts';

const CLUSTER = { clusterId: 'localhost' };
/** Dialled by the gateway, and by an agent. */
export const DATABASES = ['shop', 'far'] as const;
type Database = (typeof DATABASES)[number];

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
  database: Database;
  /** Others can watch: where a role asks for them it waits, and is frozen without them. */
  waits?: true;
  /** Throws why nobody was let in. */
  open(world: DoorWorld, who: DoorPerson, wanted?: Wanted): Promise<Entered>;
}

const web: DbDoor = {
  database: 'shop',
  waits: true,
  async open({ origin }, { browser }, wanted) {
    return await openPage({ origin, who: browser, name: 'shop', ...wanted });
  },
};

const tunnel: DbDoor = {
  database: 'shop',
  open: async (world, { token }, wanted) => await dial(world, token, 'shop', wanted),
};

const native: DbDoor = {
  database: 'shop',
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
};

async function openPage(options: ConstructorParameters<typeof EditorPage>[0]): Promise<Entered> {
  const page = new EditorPage(options);
  const over = page.closing;
  const flow = () => page.heard.findLast((reply) => reply.type === 'flow')?.flow;
  await page.settled(() => flow() === 'waiting' || page.heard.some(({ type }) => type === 'ready'));
  return { run: (sql) => page.run(sql), over, flow, drop: () => page.socket.terminate() };
}

async function dial({ origin }: DoorWorld, token: string, name: Database, wanted: Wanted = {}): Promise<Entered> {
  const { dbUser = 'by_scram', dbName = '' } = wanted;
  const query = { dbUser, dbName };
  return await speak(
    await openTcpStream({ origin, token, door: DB_TCP_SOCKET, ...CLUSTER, name, query, userAgent: 'test' }),
  );
}

async function connectNative(world: DoorWorld, who: DoorPerson, name: Database, wanted?: Wanted): Promise<Entered> {
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

async function speak(stream: Duplex): Promise<Entered> {
  const client = await PlainPostgres.open(stream);
  return { run: (sql) => client.run(sql), over: client.over, drop: () => client.drop() };
}

async function certify(
  who: TestBrowser,
  name: string,
  { dbUser = 'by_scram', dbName }: Wanted = {},
): Promise<ClientPair> {
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
  ca: string;
  /** Of the recordings. */
  folder: string;
  /** What the roles of people allow, as the document of a role has it. */
  allow: string;
  person(options?: string): Promise<DoorPerson>;
  setRole(role: string, spec: string, metadata?: string): Promise<unknown>;
  change(name: Database, body: object): Promise<unknown>;
  setSecret(name: Database): Promise<unknown>;
  close(): Promise<void>;
}

export async function startDoorWorld(postgres: SecurePostgres): Promise<DoorWorld> {
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
  const setSecret = (name: Database) =>
    call(admin.send, databaseRoutes.setSecret, {
      params: { ...CLUSTER, name, dbUser: 'by_scram' },
      body: { password: PASSWORD },
    });
  for (const name of DATABASES) {
    const body = {
      ...{ name, protocol: 'postgres' as const, uri: `localhost:${postgres.port}`, signIn: 'password' as const },
      ...{ tls: { ca: postgres.ca }, database: postgres.database, labels: [{ name: 'env', value: 'dev' }] },
      ...(name === 'far' ? { through: ['edge'] } : {}),
    };
    await call(admin.send, databaseRoutes.add, { params: CLUSTER, body });
    await setSecret(name);
  }
  const allow = `db_labels: {env: dev}, db_users: [by_scram], db_names: [${postgres.database}]`;
  let people = 0;
  return {
    ...{ gateway, admin, port, ca, allow, setSecret },
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
