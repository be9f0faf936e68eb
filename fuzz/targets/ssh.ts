/** Servers that speak SSH badly, while people open terminals and ask for host keys: nonsense before keys, lies after sign-in. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { nodeRoutes } from '@gatehouse/contract/kinds/node/nodes';
import { call } from '@gatehouse/contract/wire/client';
import ssh2, { type Connection, type ServerChannel } from 'ssh2';
import { ODD_NUMBERS, type Random } from '../random.ts';
import type { FuzzTarget } from '../target.ts';
import { openTerminal } from '../terminals.ts';
import { LABELS, type Victim } from '../victim.ts';

const BANNERS = [
  'SSH-2.0-x\r\n',
  'SSH-2.0-OpenSSH_9.2\r\n',
  'SSH-1.99-x\r\n',
  'SSH-1.5-x\r\n',
  'HTTP/1.1 400 Bad\r\n\r\n',
  'x\r\n'.repeat(50),
  '\r\n',
  'SSH-2.0-',
  '',
];
const CLUSTER = { clusterId: '-current-' };
const NAMES = ['nonsense', 'lying'] as const;

export const ssh: FuzzTarget = {
  name: 'ssh',
  what: 'pieces',
  secure: false,
  throwers: 20,
  async prepare(victim, random) {
    let pieces = 0;
    const count = () => {
      pieces += 1;
    };
    const own = random.fork();
    const key = ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 });
    const raw = createServer((socket) => void talkNonsense(socket, own.fork(), count));
    const lying = new ssh2.Server({ hostKeys: [key.private] }, (client) => lie(client, own.fork(), count));
    const ports = [await listening(raw), await listening(lying as unknown as Server)];
    for (const [at, name] of NAMES.entries()) {
      const body = { name, addr: `127.0.0.1:${ports[at]}`, labels: LABELS, hostKeys: [key.public] };
      await call(victim.owner, nodeRoutes.add, { params: CLUSTER, body: body as never });
    }
    return {
      async throwOnce(random) {
        const before = pieces;
        const name = random.chance(0.3) ? 'nonsense' : 'lying';
        if (random.chance(0.1)) await askForKeys(victim, name);
        else await lookAt(victim, name, random);
        return pieces - before;
      },
      async close() {
        raw.close();
        lying.close();
      },
    };
  },
};

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function askForKeys({ owner }: Victim, name: string): Promise<void> {
  const { items } = await call(owner, nodeRoutes.list, { params: CLUSTER, query: { search: name } as never });
  const id = items.find(({ hostname }) => hostname === name)?.id ?? '';
  await call(owner, nodeRoutes.readHostKeys, { params: { ...CLUSTER, id } }).catch(() => {});
}

async function lookAt(victim: Victim, server: string, random: Random): Promise<void> {
  const socket = openTerminal(victim, server, { rests: () => random.chance(0.2) });
  await Promise.race([once(socket, 'close').catch(() => {}), sleep(100 + random.below(2000))]);
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify({ type: 'end' }));
  await sleep(random.below(10));
  socket.terminate();
}

/** Before any key is agreed on: banners, packets with lengths of all sorts, and silence. */
async function talkNonsense(socket: Socket, random: Random, count: () => void): Promise<void> {
  socket.on('error', () => {});
  socket.resume();
  const banner = Buffer.from(random.pick(BANNERS), 'latin1');
  socket.write(random.chance(0.3) ? random.mutate(banner) : banner);
  for (let n = random.below(20); n > 0 && !socket.destroyed; n--) {
    count();
    const payload = random.bytes(random.below(600));
    const head = Buffer.alloc(5);
    head.writeUInt32BE(random.chance(0.7) ? payload.length + 1 : random.pick(ODD_NUMBERS) % 2 ** 32);
    head[4] = random.below(12);
    if (random.chance(0.6)) payload[0] = random.pick([1, 2, 3, 4, 20, 20, 21, 30, 31, 33, 50, 80, 90, 98]);
    socket.write(Buffer.concat([head, payload]));
    await sleep(random.below(5));
  }
  if (random.chance(0.5)) socket.end();
  else socket.resetAndDestroy();
}

/** Lets everybody in, and then does what no server should. */
function lie(client: Connection, random: Random, count: () => void): void {
  const attempt = (deed: () => void) => {
    count();
    try {
      deed();
    } catch {
      // The library itself refuses to say some things.
    }
  };
  client.on('error', () => {});
  client.on('authentication', (context) => {
    if (random.chance(0.9)) context.accept();
    else attempt(() => context.reject(['none', 'keyboard-interactive'] as never, true));
  });
  client.on('ready', () => {
    if (random.chance(0.2)) attempt(() => client.forwardOut('127.0.0.1', 1, '127.0.0.1', 2, () => {}));
    if (random.chance(0.2)) attempt(() => client.x11('127.0.0.1', 1, () => {}));
    if (random.chance(0.1)) attempt(() => client.rekey());
    if (random.chance(0.05)) attempt(() => client.end());
  });
  client.on('session', (accept) => {
    const session = accept();
    session.on('pty', (yes, no) => attempt(() => (random.chance(0.9) ? yes?.() : no?.())));
    session.on('env', (yes) => attempt(() => yes?.()));
    session.on('window-change', (yes) => attempt(() => yes?.()));
    session.on('shell', (yes) => void print(yes(), random, count));
    session.on('exec', (yes) => void print(yes(), random, count));
    session.on('subsystem', (yes) => void print(yes(), random, count));
  });
  if (random.chance(0.1)) setTimeout(() => client.end(), random.below(200));
}

async function print(channel: ServerChannel, random: Random, count: () => void): Promise<void> {
  channel.on('error', () => {});
  if (random.chance(0.8)) channel.resume();
  for (let n = random.below(40); n > 0 && !channel.destroyed; n--) {
    count();
    const bytes = random.bytes(random.below(random.chance(0.2) ? 40_000 : 300));
    const into = random.chance(0.8) ? channel : channel.stderr;
    if (!into.write(bytes)) await Promise.race([once(into, 'drain'), sleep(30)]).catch(() => {});
    if (random.chance(0.3)) await sleep(random.below(8));
  }
  if (random.chance(0.4)) channel.exit(random.pick(ODD_NUMBERS) % 2 ** 32);
  else if (random.chance(0.3)) channel.exit('TERM', random.chance(0.5), '\x1b[31m'.repeat(random.below(5000)));
  if (random.chance(0.7)) channel.close();
}
