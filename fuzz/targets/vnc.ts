/** Hosts of VNC that lie, and pages that do: greetings, pictures, sizes, pointers and texts, broken. */
import { setTimeout as sleep } from 'node:timers/promises';
import { desktopRoutes } from '@gatehouse/contract/kinds/desktop/desktops';
import { DESKTOP_SOCKET, PICTURE_FRAME } from '@gatehouse/contract/sessions/desktop-frames';
import { call } from '@gatehouse/contract/wire/client';
import { extendedMessage, packText } from '@gatehouse/gateway/kinds/desktop/engine/rfb/extended-clipboard';
import {
  startVncHost,
  type VncHostSession,
  type VncPart,
  vncCutText,
  vncInit,
  vncUpdate,
} from '@gatehouse/testkit/desktop/vnc-host';
import { WebSocket } from 'ws';
import type { Random } from '../random.ts';
import type { FuzzTarget } from '../target.ts';
import { LABELS, type Victim } from '../victim.ts';

const CLUSTER = { clusterId: '-current-' };
const SIZE = { width: 320, height: 200 };
/** The other's words are broken from its first one on, now and then. */
const HOSTS = ['vnc-sound', 'vnc-broken'] as const;
const MAX_WAIT_MS = 3_000;
const GREETING = [Buffer.from('RFB 003.008\n'), Buffer.of(1), Buffer.of(1)] as const;

const at = (x: number, y: number, encoding: number, body: Buffer, width = 16, height = 16): VncPart => ({
  ...{ x, y, width, height, encoding, body },
});
const PARTS: readonly VncPart[] = [
  at(0, 0, 0, Buffer.alloc(16 * 16 * 4, 5)),
  at(32, 16, 1, Buffer.from([0, 8, 0, 8])),
  at(64, 64, 2, Buffer.concat([Buffer.of(0, 0, 0, 2), Buffer.alloc(4 + 24, 1)])),
  at(100, 100, 5, Buffer.concat([Buffer.of(2 | 4 | 8), Buffer.alloc(8, 3), Buffer.of(2, 0, 0x11, 0x22, 0x33)])),
  at(0, 0, 5, Buffer.concat([Buffer.of(1), Buffer.alloc(1024, 9)])),
  at(4, 4, -239, Buffer.alloc(16 * 16 * 4 + 32, 255)),
  at(0, 0, -308, Buffer.from([1, 0, 0, 0, ...Buffer.alloc(16)]), 320, 200),
  at(0, 0, -223, Buffer.alloc(0), 320, 200),
];
const GIVES = 1 << 28;
const EXTENDED = [24, 25, 26, 27, 27, 28].map((bit) => (1 << bit) | 1);
const key = (isDown: number) => Buffer.from([4, isDown, 0, 0, 0, 0, 0, 0x61]);
const SAID: readonly Buffer[] = [
  Buffer.from([3, 1, 0, 0, 0, 0, 1, 64, 0, 200]),
  Buffer.from([3, 0, 0, 0, 0, 0, 1, 64, 0, 200]),
  ...[key(1), key(0)],
  Buffer.from([5, 1, 0, 20, 0, 20]),
  Buffer.from([5, 0, 0, 20, 0, 20]),
  Buffer.from([6, 0, 0, 0, 0, 0, 0, 4, 0x61, 0x62, 0x63, 0x64]),
  Buffer.from([2, 0, 0, 1, 0, 0, 0, 0]),
  extendedMessage(6, GIVES | 1, packText('copied')),
  Buffer.from([251, 0, 1, 64, 0, 200, 1, 0, ...Buffer.alloc(16)]),
];

export const vnc: FuzzTarget = {
  name: 'vnc',
  what: 'messages',
  secure: false,
  throwers: 6,
  async prepare(victim, random) {
    let messages = 0;
    const count = () => {
      messages += 1;
    };
    const own = random.fork();
    const hosts = await Promise.all([
      startVncHost(),
      startVncHost({ garble: (bytes) => (own.chance(0.05) ? own.mutate(bytes) : bytes) }),
    ]);
    let isOver = false;
    for (const [number, host] of hosts.entries()) {
      host.init = vncInit(SIZE.width, SIZE.height);
      const name = HOSTS[number]!;
      const body = { name, addr: host.addr, protocol: 'vnc' as const, labels: LABELS };
      await call(victim.owner, desktopRoutes.add, { params: CLUSTER, body });
      const params = { ...CLUSTER, name, login: 'fuzz' };
      await call(victim.owner, desktopRoutes.setPassword, { params, body: { password: 'fuzz' } });
      const serve = async () => {
        while (!isOver) void lie(await host.next(), own.fork(), count);
      };
      void serve();
    }
    return {
      async throwOnce(chance) {
        const before = messages;
        const page = openPage(victim, chance.pick(HOSTS), chance);
        await Promise.race([page.greeted, sleep(MAX_WAIT_MS)]);
        for (let left = chance.below(60); left > 0 && page.socket.readyState === page.socket.OPEN; left -= 1) {
          page.send(anything(chance.pick(SAID), chance));
          count();
          if (chance.chance(0.2)) await sleep(chance.below(5));
        }
        if (chance.chance(0.8) && page.socket.readyState === page.socket.OPEN)
          page.socket.send(JSON.stringify({ type: 'end' }), () => {});
        await sleep(chance.below(20));
        page.socket.terminate();
        return messages - before;
      },
      async close() {
        isOver = true;
        for (const host of hosts) await host.stop();
      },
    };
  },
};

/** Answers the greeting, mostly soundly. */
function openPage({ origin, port, ann }: Victim, desktop: string, chance: Random) {
  const path = DESKTOP_SOCKET.replace(':clusterId', '-current-');
  const headers = { host: new URL(origin).host, origin, cookie: ann.cookie };
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers });
  const send = (bytes: Buffer): void => {
    if (socket.readyState === WebSocket.OPEN) socket.send(Buffer.concat([Buffer.of(PICTURE_FRAME), bytes]));
  };
  socket.on('error', () => {});
  socket.on('open', () => {
    const more = { scale: 100, keyboard: 0, request: crypto.randomUUID() };
    socket.send(JSON.stringify({ type: 'hello', token: ann.token }));
    socket.send(JSON.stringify({ type: 'open', desktop, login: 'fuzz', ...SIZE, ...more }));
    if (chance.chance(0.05)) socket.pause();
  });
  const greeted = new Promise<void>((resolve) => {
    socket.once('close', () => resolve());
    let step = 0;
    socket.on('message', (_data: Buffer, isBinary: boolean) => {
      if (!isBinary) return;
      const answer = GREETING[step];
      step += 1;
      if (answer) send(anything(answer, chance));
      else resolve();
    });
  });
  return { socket, send, greeted };
}

async function lie(session: VncHostSession, random: Random, count: () => void): Promise<void> {
  for (let left = random.below(60); left > 0; left -= 1) {
    const how = random.below(6);
    if (how < 4) {
      const parts = Array.from({ length: 1 + random.below(4) }, () => random.pick(PARTS));
      session.send(anything(vncUpdate(...parts), random));
    } else if (how === 4) {
      const text = random.bytes(random.below(300));
      session.send(vncCutText(text, random.chance(0.95) ? text.length : random.below(2 ** 32)));
    } else if (random.chance(0.5)) session.send(anything(extended(random.pick(EXTENDED), random), random));
    else session.send(Buffer.of(2));
    count();
    if (random.chance(0.3)) await sleep(random.below(4));
  }
  if (random.chance(0.7)) session.end();
}

/** Of the newer form of the clipboard: what it can, has, wants and gives. */
function extended(flags: number, random: Random): Buffer {
  const data = (flags & GIVES) === 0 ? Buffer.alloc(4) : packText('x'.repeat(random.below(2_000)));
  return extendedMessage(3, flags, data);
}

/** Mostly sound: what is broken ends a session, and what stands behind it is never heard. */
function anything(sound: Buffer, random: Random): Buffer {
  return random.chance(0.97) ? sound : random.mutate(sound);
}
