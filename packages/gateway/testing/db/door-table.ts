/** Every door to a database, with what its programs say there. A new door is a new row, and is held to every control. */
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { DB_STREAM, DB_TCP_SOCKET } from '@gatehouse/contract/kinds/db/databases';
import { openStraightStream } from '@gatehouse/tunnel/sessions/straight-stream';
import { openTcpStream } from '@gatehouse/tunnel/sessions/tcp-stream';
import { createConnection } from 'mysql2';
import { SQLSERVER_ALPN } from '../../src/kinds/db/door-tls.ts';
import {
  CLUSTER,
  certify,
  type DoorDatabase,
  type DoorPerson,
  type DoorWorld,
  USER,
  type Wanted,
} from './door-world.ts';
import { EditorPage } from './editor-page.ts';
import { PlainMongodb } from './plain-mongodb.ts';
import { PlainPostgres } from './plain-postgres.ts';
import { PlainRedis } from './plain-redis.ts';
import { PlainSqlserver } from './plain-sqlserver.ts';

/** What is said to each protocol's server. */
export interface Sayings {
  /** Runs until it is cancelled; where its text may have one, the mark stands in it. */
  sleep(mark: string): string;
  read: string;
  /** Writes, or would. */
  write(name: string): string;
  /** A database that no role here gives. */
  elsewhere: string;
}

const USUAL = { read: 'select 1', elsewhere: 'template1' };
const POSTGRES: Sayings = {
  ...USUAL,
  sleep: (mark) => `select pg_sleep(600) /* ${mark} */`,
  write: (name) => `create table "${name}" ()`,
};
const MYSQL: Sayings = {
  ...USUAL,
  sleep: (mark) => `select sleep(600) /* ${mark} */`,
  write: (name) => `create table \`${name}\` (a int)`,
};
const REDIS: Sayings = {
  sleep: (mark) => `XREAD BLOCK 0 STREAMS ${mark} $`,
  read: 'DBSIZE',
  write: (name) => `SET ${name.replaceAll(' ', '-')} 1`,
  elsewhere: '7',
};
const MONGODB: Sayings = {
  ...USUAL,
  sleep: (mark) => JSON.stringify({ sleep: mark }),
  read: JSON.stringify({ find: 'orders' }),
  write: (name) => JSON.stringify({ insert: name, documents: [{ n: 1 }] }),
};
const SQLSERVER: Sayings = {
  ...USUAL,
  sleep: (mark) => `waitfor delay '0:10' /* ${mark} */`,
  write: (name) => `create table [${name}] (a int)`,
};

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

const web = (database: DoorDatabase): DbDoor => ({
  ...{ database, says: POSTGRES, waits: true },
  async open({ origin }, { browser }, wanted) {
    return await openPage({ origin, who: browser, name: database, ...wanted });
  },
});

const tunnel = (database: DoorDatabase, open: typeof openTcpStream = openTcpStream): DbDoor => ({
  ...{ database, says: POSTGRES },
  async open({ origin }, { token }, { dbUser = USER, dbName = '' } = {}) {
    const door = open === openTcpStream ? DB_TCP_SOCKET : DB_STREAM;
    const query = { dbUser, dbName };
    return await speak(await open({ origin, token, door, ...CLUSTER, name: database, query, userAgent: 'test' }));
  },
});

/** Without the websocket that the command line falls back on. */
async function straight(options: Parameters<typeof openTcpStream>[0]): Promise<Duplex> {
  const stream = await openStraightStream(options);
  if (!stream) throw new Error('no stream is spoken there');
  return stream;
}

/** By the certificate of `db login`, at the public port. */
function native(
  database: DoorDatabase,
  says: Sayings,
  hello: { servername?: string; ALPNProtocols?: string[] },
  enter: (socket: TLSSocket, world: DoorWorld) => Promise<Entered>,
): DbDoor {
  return {
    ...{ database, says },
    async open(world, who, wanted) {
      // What the certificate was not made for has to be asked for first.
      const pair = wanted ? await certify(who.browser, database, wanted) : who.certificates[database];
      const { port, ca } = world;
      const socket = connectTls({ host: '127.0.0.1', port, ca, servername: 'localhost', ...hello, ...pair });
      await once(socket, 'secureConnect');
      return await enter(socket, world);
    },
  };
}

const POSTGRES_HELLO = { ALPNProtocols: ['postgresql'] };

export const DB_DOORS: Readonly<Record<string, DbDoor>> = {
  'web editor': web('shop'),
  tunnel: tunnel('shop'),
  'tunnel without frames': tunnel('shop', straight),
  'native TLS': native('shop', POSTGRES, POSTGRES_HELLO, speak),
  'web editor through an agent': web('far'),
  'tunnel through an agent': tunnel('far'),
  'tunnel without frames through an agent': tunnel('far', straight),
  'native TLS through an agent': native('far', POSTGRES, POSTGRES_HELLO, speak),
  'native MySQL': {
    ...{ database: 'stock', says: MYSQL },
    open: async (world, who, wanted) => await connectMysql(world, who, wanted),
  },
  'native Redis': native('cache', REDIS, { servername: 'cache.db.localhost' }, async (socket) =>
    entered(await PlainRedis.open(socket)),
  ),
  'native MongoDB': native('papers', MONGODB, { servername: 'papers.db.localhost' }, async (socket, { database }) =>
    entered(await PlainMongodb.open(socket, database)),
  ),
  'native SQL Server': native('sales', SQLSERVER, { ALPNProtocols: [SQLSERVER_ALPN] }, async (socket) =>
    entered(await PlainSqlserver.open(socket)),
  ),
};

async function openPage(options: ConstructorParameters<typeof EditorPage>[0]): Promise<Entered> {
  const page = new EditorPage(options);
  const over = page.closing;
  const flow = () => page.heard.findLast((reply) => reply.type === 'flow')?.flow;
  await page.settled(() => flow() === 'waiting' || page.heard.some(({ type }) => type === 'ready'));
  return { run: (sql) => page.run(sql), over, flow, drop: () => page.socket.terminate() };
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
  return entered(await PlainPostgres.open(stream));
}

function entered(client: Entered): Entered {
  return { run: (sql) => client.run(sql), over: client.over, drop: () => client.drop() };
}
