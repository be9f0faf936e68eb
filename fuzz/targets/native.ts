/** Strangers, and somebody with a certificate, at the doors of programs of databases: the first bytes of the public port, what comes inside TLS, and the port of MySQL. */
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ConnectionOptions, connect as connectTls, TLSSocket } from 'node:tls';
import { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { dbTrustRoutes } from '@gatehouse/contract/kinds/db/db-trust';
import { call } from '@gatehouse/contract/wire/client';
import { ODD_NUMBERS, type Random } from '../random.ts';
import type { FuzzTarget } from '../target.ts';
import { LABELS, type Victim } from '../victim.ts';

const CLUSTER = { clusterId: '-current-' };
const NAME = 'native';
const DB_USER = 'fuzz';
/** As long as an answer is waited for: most of what is thrown is closed at once. */
const PATIENCE_MS = 60;
/** Of PostgreSQL: for TLS, for GSS, to cancel, and without either. */
const REQUESTS = ['0000000804d2162f', '0000000804d21630', '0000001004d2162e0000000100000002', '0000000800030000'].map(
  (hex) => Buffer.from(hex, 'hex'),
);
/** Of MySQL: protocol 4.1 with TLS, and nothing else. */
const TLS_REQUEST = Buffer.concat([Buffer.from('20000001000a', 'hex'), Buffer.alloc(30)]);
const PING = Buffer.from('*1\r\n$4\r\nPING\r\n');
const OPS = [2013, 2004, 2012, 1];

type Write = (to: Socket, bytes: Buffer) => void;

interface Arms {
  victim: Victim;
  hellos: readonly Buffer[];
  own: { cert: string; key: string };
}

export const native: FuzzTarget = {
  name: 'native',
  what: 'pieces',
  secure: true,
  throwers: 24,
  async prepare(victim) {
    const named = { servername: `${NAME}.db.${victim.host}` };
    const spoken = { servername: victim.host, ALPNProtocols: ['postgresql'] };
    const arms = { victim, hellos: [await helloOf(named), await helloOf(spoken)], own: await certified(victim) };
    await requireDoor(arms);
    return { throwOnce: (random) => throwOnce(arms, random), close: async () => {} };
  },
};

/** For a database that nobody listens at: whoever is let in hears that, in its own words. */
async function certified({ owner, ann }: Victim): Promise<Arms['own']> {
  const labels = Object.entries(LABELS).map(([name, value]) => ({ name, value }));
  const facts = { protocol: 'redis' as const, uri: '127.0.0.1:1', tls: { mode: 'off' as const }, database: '0' };
  await call(owner, databaseRoutes.add, {
    params: CLUSTER,
    body: { name: NAME, labels, ...facts, signIn: 'password' },
  });
  const params = { ...CLUSTER, name: NAME };
  await call(owner, databaseRoutes.setSecret, { params: { ...params, dbUser: DB_USER }, body: { password: 'fuzz' } });
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const body = { publicKey: publicKey.export({ format: 'pem', type: 'spki' }).toString(), dbUser: DB_USER };
  const { certificate } = await call(ann.send, dbTrustRoutes.certify, { params, body });
  return { cert: certificate, key: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString() };
}

/** Elsewhere than at the door, all that is thrown would be no request of HTTP. */
async function requireDoor({ victim, own }: Arms): Promise<void> {
  const socket = tlsTo(victim, { servername: `${NAME}.db.${victim.host}`, ...own });
  socket.write(PING);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  if (!answer.toString('latin1').startsWith('-')) throw new Error(`no door of Redis, which answers ${answer}`);
}

function tlsTo({ port, ca }: Victim, options: ConnectionOptions): TLSSocket {
  const from = { socket: connect(port, '127.0.0.1'), ca, checkServerIdentity: () => undefined };
  return connectTls({ ...from, ...options });
}

/** What a client says first that means to speak TLS so. */
async function helloOf(options: { servername: string; ALPNProtocols?: string[] }): Promise<Buffer> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connectTls({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', ...options });
  client.on('error', () => {});
  const [socket] = (await once(server, 'connection')) as [Socket];
  const [hello] = (await once(socket, 'data')) as [Buffer];
  client.destroy();
  socket.destroy();
  server.close();
  return hello;
}

async function throwOnce(arms: Arms, random: Random): Promise<number> {
  let pieces = 0;
  const socket = random.pick([atPublicPort, atMysql, insideTls])(arms, random, (to, bytes) => {
    pieces += 1;
    to.write(bytes);
  });
  socket.on('error', () => {});
  socket.resume();
  await Promise.race([once(socket, 'close').catch(() => {}), sleep(PATIENCE_MS)]);
  if (random.chance(0.3) && !(socket instanceof TLSSocket)) socket.resetAndDestroy();
  else socket.destroy();
  return pieces;
}

function atPublicPort({ victim, hellos }: Arms, random: Random, write: Write): Socket {
  const socket = connect(victim.port, '127.0.0.1');
  const first = random.pick([...hellos, ...REQUESTS]);
  write(socket, random.chance(0.8) ? random.mutate(first) : first);
  if (random.chance(0.5)) write(socket, random.pick([...hellos, random.bytes(40)]));
  if (random.chance(0.2)) socket.end();
  return socket;
}

function atMysql({ victim, hellos }: Arms, random: Random, write: Write): Socket {
  const socket = connect(victim.mysqlPort, '127.0.0.1');
  const behind = random.mutate(random.pick(hellos));
  write(socket, random.chance(0.5) ? random.mutate(TLS_REQUEST) : TLS_REQUEST);
  if (random.chance(0.5)) write(socket, behind);
  return socket;
}

function insideTls({ victim, own }: Arms, random: Random, write: Write): Socket {
  const servername = random.pick([NAME, 'other']);
  const to = random.chance(0.6)
    ? { servername: `${servername}.db.${victim.host}` }
    : { servername: victim.host, ALPNProtocols: ['postgresql'] };
  const socket = tlsTo(victim, { ...to, ...(random.chance(0.6) ? own : {}) });
  socket.on('secureConnect', () => {
    for (let left = 1 + random.below(3); left > 0; left -= 1) write(socket, said(random));
  });
  return socket;
}

/** As one of the protocols, or as none. */
function said(random: Random): Buffer {
  const bytes = random.bytes(40 + random.below(200));
  const number = random.pick(ODD_NUMBERS);
  const kind = random.below(4);
  if (kind === 0) return random.mutate(PING);
  if (kind === 1) bytes.writeUInt32BE(number > 0xffff_ffff ? 0 : number, 0);
  if (kind === 2) {
    bytes.writeUInt32LE(random.chance(0.5) ? bytes.length : Math.min(number, 0xffff_ffff), 0);
    bytes.writeInt32LE(random.pick(OPS), 12);
  }
  return bytes;
}
