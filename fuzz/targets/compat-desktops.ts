/** Clients of the wire reference that lie: at desktops that the gateway draws for them, and at recordings of those. */
import { setTimeout as sleep } from 'node:timers/promises';
import { desktopRoutes } from '@gatehouse/contract/kinds/desktop/desktops';
import { recordingRoutes } from '@gatehouse/contract/recordings/recordings';
import { call } from '@gatehouse/contract/wire/client';
import { startRdpHost } from '@gatehouse/testkit/desktop/rdp-host';
import { WebSocket } from 'ws';
import type { Random } from '../random.ts';
import type { FuzzTarget } from '../target.ts';
import { LABELS, type Victim } from '../victim.ts';

const CLUSTER = { clusterId: '-current-' };
const BASE = '/v1/webapi/sites/-current-';
/** Until it is drawn; a client that is refused is closed before. */
const MAX_WAIT_MS = 4_000;
const NOBODYS = '00000000-0000-4000-8000-000000000000';

const text = (type: string, said: string) => {
  const bytes = Buffer.from(said);
  return Buffer.from(`${type}${bytes.length.toString(16).padStart(8, '0')}${bytes.toString('hex')}`, 'hex');
};
const MESSAGES = [
  Buffer.from('030000000a00000014', 'hex'),
  Buffer.from('03ffffffffffffffff', 'hex'),
  Buffer.from('040001040000', 'hex'),
  Buffer.from('050000001e01050000001e00', 'hex'),
  Buffer.from('050000e04b01', 'hex'),
  Buffer.from('0800ff8808010078', 'hex'),
  Buffer.from('010000032000000258', 'hex'),
  text('06', 'copied'),
  text('06', 'x'.repeat(20_000)),
  text('07', 'ann'),
  text('0a6e', '{"id":"YQ"}'),
  text('0b0000000000000002', 'documents'),
  Buffer.from('0600ffffff', 'hex'),
];
const ACTIONS = [
  '{"action":"play/pause"}',
  '{"action":"speed","speed":16}',
  '{"action":"speed","speed":-1e300}',
  '{"action":"speed","speed":1e999}',
  '{"action":"rewind"}',
  '[[[[[[[[',
];

export const compatDesktops: FuzzTarget = {
  name: 'compat-desktops',
  what: 'messages',
  secure: false,
  throwers: 6,
  async prepare(victim, random) {
    const own = random.fork();
    const host = await startRdpHost({ garble: (bytes) => (own.chance(0.005) ? own.mutate(bytes) : bytes) });
    const body = { name: 'drawn', addr: host.addr, labels: LABELS, certificate: { pin: host.pin } };
    await call(victim.owner, desktopRoutes.add, { params: CLUSTER, body });
    const params = { ...CLUSTER, name: 'drawn', login: 'fuzz' };
    await call(victim.owner, desktopRoutes.setPassword, { params, body: { password: 'fuzz' } });
    let isOver = false;
    const serve = async () => {
      while (!isOver) {
        const session = await host.next();
        void sleep(own.below(6_000)).then(() => session.end());
      }
    };
    void serve();
    let played = [NOBODYS];
    return {
      async throwOnce(chance) {
        if (chance.chance(0.05)) played = [NOBODYS, ...(await recordedSids(victim))];
        return chance.chance(0.3) ? await watch(victim, chance.pick(played), chance) : await work(victim, chance);
      },
      async close() {
        isOver = true;
        await host.stop();
      },
    };
  },
};

async function recordedSids({ ann }: Victim): Promise<string[]> {
  const query = { limit: 20, kind: 'desktop' } as never;
  const { recordings } = await call(ann.send, recordingRoutes.list, { params: CLUSTER, query });
  return recordings.map(({ sid }) => sid);
}

async function work(victim: Victim, chance: Random): Promise<number> {
  const side = () => chance.pick(['800', '8192', '9000', '0', '-1', 'x', '1', '600', '600', '800', '800']);
  const socket = open(victim, `/desktops/drawn/connect?username=fuzz&width=${side()}&height=${side()}`);
  await opened(socket);
  // Most say something before there is a picture, which nobody hears; some wait for it.
  if (chance.chance(0.3)) await drawn(socket);
  if (chance.chance(0.1)) socket.pause();
  let thrown = 0;
  for (let left = chance.below(80); left > 0 && socket.readyState === WebSocket.OPEN; left -= 1) {
    const message = chance.chance(0.95) ? chance.pick(MESSAGES) : chance.mutate(chance.pick(MESSAGES));
    const cut = chance.chance(0.2) ? chance.below(message.length) : message.length;
    for (const part of [message.subarray(0, cut), message.subarray(cut)]) socket.send(part, () => {});
    thrown += 1;
    if (chance.chance(0.2)) await sleep(chance.below(5));
  }
  return await leave(socket, chance, thrown);
}

async function watch(victim: Victim, sid: string, chance: Random): Promise<number> {
  const socket = open(victim, `/desktopplayback/${chance.chance(0.9) ? sid : encodeURIComponent(`${sid}/../x`)}?`);
  await opened(socket);
  if (chance.chance(0.1)) socket.pause();
  let thrown = 0;
  for (let left = chance.below(20); left > 0 && socket.readyState === WebSocket.OPEN; left -= 1) {
    const action = Buffer.from(chance.pick(chance.chance(0.9) ? ACTIONS.slice(0, 4) : ACTIONS));
    socket.send(chance.chance(0.97) ? action : chance.mutate(action), { binary: chance.chance(0.2) }, () => {});
    thrown += 1;
    await sleep(chance.below(20));
  }
  return await leave(socket, chance, thrown);
}

/** Some hang up, some are gone without a word, and some stay silent until they are cut off. */
async function leave(socket: WebSocket, chance: Random, thrown: number): Promise<number> {
  if (chance.chance(0.5)) socket.close(1000);
  if (chance.chance(0.3)) await sleep(chance.below(500));
  socket.terminate();
  return thrown + 1;
}

function open({ origin, port, ann }: Victim, path: string): WebSocket {
  const headers = { host: new URL(origin).host, origin, cookie: ann.cookie };
  const socket = new WebSocket(`ws://127.0.0.1:${port}${BASE}${path}&access_token=${ann.token}`, { headers });
  socket.on('error', () => {});
  return socket;
}

const opened = (socket: WebSocket) =>
  new Promise<void>((resolve) => {
    for (const event of ['open', 'close', 'error']) socket.once(event, () => resolve());
  });

async function drawn(socket: WebSocket): Promise<void> {
  const told = new Promise<void>((resolve) => {
    for (const event of ['message', 'close']) socket.once(event, () => resolve());
  });
  await Promise.race([told, sleep(MAX_WAIT_MS)]);
}
