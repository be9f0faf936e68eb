/** Databases that lie and clients that do, in the middle of sessions through the gateway: each protocol's messages, broken. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { DB_TCP_SOCKET, databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import type { DbProtocol } from '@gatehouse/contract/kinds/db/db-address';
import { call } from '@gatehouse/contract/wire/client';
import { openTcpStream } from '@gatehouse/tunnel/sessions/tcp-stream';
import { type DbScript, MONGODB, MYSQL, POSTGRES, REDIS } from '../db-scripts.ts';
import type { Random } from '../random.ts';
import type { FuzzTarget } from '../target.ts';
import { LABELS } from '../victim.ts';

const CLUSTER = { clusterId: '-current-' };
const DB_USER = 'fuzz';
const SCRIPTS: readonly [DbProtocol, DbScript][] = [
  ['postgres', POSTGRES],
  ['mysql', MYSQL],
  ['redis', REDIS],
  ['mongodb', MONGODB],
];

export const databases: FuzzTarget = {
  name: 'databases',
  what: 'pieces',
  secure: false,
  throwers: 16,
  async prepare({ owner, ann, port }, random) {
    let pieces = 0;
    const count = () => {
      pieces += 1;
    };
    const own = random.fork();
    const servers = SCRIPTS.map(([, script]) =>
      createServer((socket) => void lie(socket, script, own.fork(), count)).listen(0, '127.0.0.1'),
    );
    for (const [at, [protocol]] of SCRIPTS.entries()) {
      const server = servers[at]!;
      if (!server.listening) await once(server, 'listening');
      const uri = `127.0.0.1:${(server.address() as AddressInfo).port}`;
      const labels = Object.entries(LABELS).map(([name, value]) => ({ name, value }));
      const tls = { mode: 'off' as const };
      const body = { name: protocol, protocol, uri, labels, tls, signIn: 'password' as const, database: '0' };
      await call(owner, databaseRoutes.add, { params: CLUSTER, body });
      const params = { ...CLUSTER, name: protocol, dbUser: DB_USER };
      await call(owner, databaseRoutes.setSecret, { params, body: { password: 'fuzz' } });
    }
    const { token } = await call(ann.send, apiTokenRoutes.create, { body: { name: 'fuzz', scope: 'all' } });
    return {
      async throwOnce(random) {
        const before = pieces;
        const [name, script] = random.pick(SCRIPTS);
        await use({ origin: `http://127.0.0.1:${port}`, token, name }, script, random, count);
        return pieces - before;
      },
      async close() {
        for (const server of servers) server.close();
      },
    };
  },
};

/** Lets whoever comes in, as its protocol has it or nearly so, and then says what no server says. */
async function lie(socket: Socket, script: DbScript, random: Random, count: () => void): Promise<void> {
  socket.on('error', () => {});
  socket.resume();
  const isSound = random.chance(0.8);
  for (const step of script.welcome) {
    if (step === 'hear') await Promise.race([once(socket, 'data').catch(() => {}), sleep(500)]);
    else socket.write(isSound ? step : random.mutate(step));
    count();
  }
  for (let n = random.below(30); n > 0 && !socket.destroyed; n--) {
    socket.write(anything(script.answers, random));
    count();
    await sleep(random.below(4));
  }
  if (random.chance(0.5)) socket.end();
  else socket.resetAndDestroy();
}

async function use(
  { origin, token, name }: { origin: string; token: string; name: string },
  { hello, requests }: DbScript,
  random: Random,
  count: () => void,
): Promise<void> {
  const options = { origin, token, door: DB_TCP_SOCKET, ...CLUSTER, name, userAgent: 'fuzz' };
  const stream = await openTcpStream({ ...options, query: { dbUser: DB_USER, dbName: '' } }).catch(() => undefined);
  if (!stream) return;
  stream.on('error', () => {});
  // Some read nothing of what comes.
  if (random.chance(0.9)) stream.resume();
  for (const step of hello) {
    if (step === 'hear') await sleep(random.below(20));
    else stream.write(random.chance(0.9) ? step : random.mutate(step));
    count();
  }
  for (let n = random.below(30); n > 0 && !stream.destroyed; n--) {
    stream.write(anything(requests, random));
    count();
    await sleep(random.below(4));
  }
  await sleep(random.below(50));
  if (random.chance(0.5)) stream.end();
  await sleep(random.below(20));
  stream.destroy();
}

/** Sound, broken, cut in two, several at once, or no message at all. */
function anything(from: readonly Buffer[], random: Random): Buffer {
  const one = random.pick(from);
  const how = random.below(10);
  if (how < 4) return one;
  if (how < 7) return random.mutate(one);
  if (how === 7) return one.subarray(0, random.below(one.length));
  if (how === 8) return Buffer.concat([one, random.pick(from), random.mutate(random.pick(from))]);
  return random.bytes(random.below(2_000));
}
