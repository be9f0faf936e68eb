/** The doors of programs that come to databases with TLS of their own, for the suite of lives of sessions. */
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { dbTrustRoutes } from '@gatehouse/contract/kinds/db/db-trust';
import { call } from '@gatehouse/contract/wire/client';
import { deserialize, serialize } from 'bson';
import { SQLSERVER_ALPN } from '../../src/kinds/db/door-tls.ts';
import { CAN, OFFERED_TO_ALL } from '../../src/kinds/db/engine/mysql/capabilities.ts';
import { packet } from '../../src/kinds/db/engine/mysql/packets.ts';
import { command } from '../../src/kinds/db/engine/redis/resp.ts';
import { PlainSqlserver } from '../db/plain-sqlserver.ts';
import { startStillMysql, startStillRedis } from '../db/still-databases.ts';
import { postgresHello } from '../db/still-postgres.ts';
import { startStubMongodb } from '../db/stub-mongodb.ts';
import { startStubSqlserver } from '../db/stub-sqlserver.ts';
import type { TestAuthority } from '../db/test-authority.ts';
import type { IdentityGateway } from '../identity-gateway.ts';
import type { TestBrowser } from '../test-browser.ts';

const CLUSTER = { clusterId: 'localhost' };
const OP_MSG = 2013;
/** Beside the database of PostgreSQL, which is there anyway. */
export const NATIVE_DBS = {
  postgres: 'shop',
  mysql: 'orders',
  redis: 'cache',
  mongodb: 'papers',
  sqlserver: 'sales',
} as const;
export type NativeDb = keyof typeof NATIVE_DBS;

export interface NativeDbDoors {
  open(protocol: NativeDb, who: TestBrowser): Promise<TLSSocket>;
  close(): void;
}

export async function startNativeDbDoors(
  gateway: IdentityGateway,
  admin: TestBrowser,
  { server: pair, ca }: TestAuthority,
): Promise<NativeDbDoors> {
  const { native, mysqlDoor } = gateway.dbDoors;
  if (!native || !mysqlDoor) throw new Error('a gateway without doors for programs');
  const [mysql, redis, mongodb, sqlserver] = await Promise.all([
    startStillMysql(),
    startStillRedis(pair),
    startStubMongodb({ app: 'x' }),
    startStubSqlserver({ app: 'x' }),
  ]);
  const add = async (name: string, body: object) => {
    const shared = { name, signIn: 'password', labels: [{ name: 'env', value: 'dev' }] };
    await call(admin.send, databaseRoutes.add, { params: CLUSTER, body: { ...shared, ...body } as never });
    const params = { ...CLUSTER, name, dbUser: 'app' };
    await call(admin.send, databaseRoutes.setSecret, { params, body: { password: 'x' } });
  };
  await add('orders', { protocol: 'mysql', uri: `127.0.0.1:${mysql.port}`, tls: { mode: 'off' }, database: 'shop' });
  await add('cache', { protocol: 'redis', uri: `localhost:${redis.port}`, tls: { ca }, database: '0' });
  const papers = { uri: `localhost:${mongodb.port}`, tls: { ca: mongodb.ca }, database: 'shop' };
  await add('papers', { protocol: 'mongodb', ...papers });
  const sales = { uri: `localhost:${sqlserver.port}`, tls: { ca: sqlserver.ca }, database: 'shop' };
  await add('sales', { protocol: 'sqlserver', ...sales });
  // The public port of this gateway has no TLS: what it would hand on comes by ports of their own.
  const sockets = new Set<Socket>();
  const handedOn = async (hello?: Parameters<typeof native.secure>[1]) => {
    const server = createServer((socket) => {
      sockets.add(socket.on('error', () => {}));
      native.secure(socket, hello);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return server;
  };
  const byRequest = await handedOn();
  const byName = await handedOn({ host: 'cache.db.localhost', protocols: [] });
  const byOtherName = await handedOn({ host: 'papers.db.localhost', protocols: [] });
  const bySaying = await handedOn({ host: 'localhost', protocols: [SQLSERVER_ALPN] });
  await mysqlDoor.listen({ host: '127.0.0.1', port: 0 });
  const portOf = (server: typeof byRequest) => (server.address() as AddressInfo).port;
  const ports = {
    ...{ postgres: portOf(byRequest), redis: portOf(byName), mongodb: portOf(byOtherName) },
    sqlserver: portOf(bySaying),
    mysql: mysqlDoor.port() ?? 0,
  };

  return {
    async open(protocol, who) {
      const certified = await certify(who, NATIVE_DBS[protocol]);
      const bare = await dialled(ports[protocol], protocol === 'mysql');
      const says = protocol === 'sqlserver' ? { ALPNProtocols: [SQLSERVER_ALPN] } : {};
      const socket = connectTls({ socket: bare, ...certified, ...says, rejectUnauthorized: false });
      socket.on('error', () => {});
      await once(socket, 'secureConnect');
      await SAID[protocol](socket);
      return socket.resume();
    },
    close() {
      for (const socket of sockets) socket.destroy();
      for (const each of [byRequest, byName, byOtherName, bySaying, mysql, redis]) each.close();
      void sqlserver.stop();
      void mongodb.stop();
    },
  };
}

async function certify(who: TestBrowser, name: string): Promise<{ cert: string; key: string }> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = publicKey.export({ format: 'pem', type: 'spki' }).toString();
  const body = { publicKey: pem, dbUser: 'app', dbName: name === 'cache' ? '0' : 'shop' };
  const { certificate } = await call(who.send, dbTrustRoutes.certify, { params: { ...CLUSTER, name }, body });
  return { cert: certificate, key: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString() };
}

/** Where the server speaks first, up to where TLS begins. */
async function dialled(port: number, isGreeted: boolean): Promise<Socket> {
  const { connect } = await import('node:net');
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  if (!isGreeted) return socket;
  await once(socket, 'data');
  socket.pause();
  socket.write(packet(1, mysqlHead()));
  return socket;
}

function mysqlHead(): Buffer {
  const head = Buffer.alloc(32);
  head.writeUInt32LE((OFFERED_TO_ALL.basic & ~CAN.connectAttributes & ~CAN.connectWithDb) | CAN.ssl, 0);
  return head;
}

/** What a program says until it is in; throws where it is not let in. */
const SAID: Readonly<Record<NativeDb, (socket: TLSSocket) => Promise<void>>> = {
  postgres: (socket) => answered(socket, postgresHello('app'), 'R'.charCodeAt(0)),
  mysql: (socket) => answered(socket, packet(2, mysqlHead(), 'app', Buffer.of(0), 'mysql_native_password'), 0, 4),
  redis: (socket) => answered(socket, command('PING'), '+'.charCodeAt(0)),
  mongodb: async (socket) => {
    const body = Buffer.concat([Buffer.alloc(5), serialize({ hello: 1, $db: 'admin' })]);
    const head = Buffer.alloc(16);
    head.writeUInt32LE(head.length + body.length, 0);
    head.writeUInt32LE(OP_MSG, 12);
    const reply = await replyTo(socket, Buffer.concat([head, body]));
    if (reply.length > 21 && deserialize(reply.subarray(21)).ok === 1) return;
    socket.destroy();
    throw new Error(`nobody was let in: ${reply.toString('latin1')}`);
  },
  sqlserver: async (socket) => void (await PlainSqlserver.open(socket)),
};

async function replyTo(socket: TLSSocket, said: Buffer): Promise<Buffer> {
  socket.write(said);
  const closed = once(socket, 'close').then(() => [Buffer.alloc(0)]);
  const [piece] = (await Promise.race([once(socket, 'data'), closed])) as [Buffer];
  return piece;
}

async function answered(socket: TLSSocket, said: Buffer, wanted: number, at = 0): Promise<void> {
  const piece = await replyTo(socket, said);
  if (piece[at] === wanted) return;
  socket.destroy();
  throw new Error(`nobody was let in: ${piece.toString('latin1')}`);
}
