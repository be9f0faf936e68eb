/** Hosts that lie and pages that do, in the middle of sessions with desktops: handshakes, pictures, clipboards and channels, broken. */
import { setTimeout as sleep } from 'node:timers/promises';
import { desktopRoutes } from '@gatehouse/contract/kinds/desktop/desktops';
import { call } from '@gatehouse/contract/wire/client';
import { CHANNELS, openBarePage } from '@gatehouse/gateway/testing/desktop/bare-page';
import { type HostSession, startRdpHost } from '@gatehouse/testkit/desktop/rdp-host';
import type { Random } from '../random.ts';
import type { FuzzTarget } from '../target.ts';
import { LABELS, type Victim } from '../victim.ts';

const CLUSTER = { clusterId: '-current-' };
/** What they say is sound until the desktop is drawn; the other's is broken from its first word on, now and then. */
const HOSTS = ['sound', 'broken'] as const;
const MAX_WAIT_MS = 3_000;

const u32 = (...values: readonly number[]) => {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [at, value] of values.entries()) bytes.writeUInt32LE(value, 4 * at);
  return bytes;
};
const u16 = (...values: readonly number[]) => Buffer.from(Uint16Array.from(values).buffer);
/** Of a channel: whole, in one piece. */
const chunk = (message: Buffer) => Buffer.concat([u32(message.length, 3), message]);
const bitmap = Buffer.concat([u16(1, 1, 10, 10, 39, 19, 32, 10, 32, 0, 1_280), Buffer.alloc(1_280, 7)]);
const DISPLAY = Buffer.from('Microsoft::Windows::RDS::DisplayControl\0');
const FORMATS = Buffer.concat([u32(13), Buffer.from('\0', 'utf16le'), u32(0xc0de), Buffer.from('PNG\0', 'utf16le')]);
const clip = (type: number, flags: number, body = Buffer.alloc(0)) =>
  Buffer.concat([u16(type, flags), u32(body.length), body]);
const CLIPBOARD = [
  clip(1, 0),
  clip(2, 0, FORMATS),
  clip(3, 1),
  clip(4, 0, u32(13)),
  clip(5, 1, Buffer.alloc(300, 65)),
  clip(7, 0, Buffer.concat([u16(1, 0, 1, 12), u32(2, 2)])),
  clip(8, 0, Buffer.alloc(24)),
];
const DYNAMIC = [
  Buffer.concat([Buffer.from([0x10, 5]), DISPLAY]),
  Buffer.concat([Buffer.from([0x11, 5, 0]), Buffer.from('other\0')]),
  Buffer.from([0x50, 0, 2, 0]),
  Buffer.from([0x30, 5, 5, 0, 0, 0, 20, 0, 0, 0]),
  Buffer.from([0x40, 5]),
];
const drive = (type: number, ...parts: readonly Buffer[]) => Buffer.concat([u16(0x4472, type), ...parts]);
/** A request of the first drive: its file, which one it is, what it wants. */
const request = (major: number, body: Buffer) => drive(0x4952, u32(1, 1, 7, major, 1), body);
const NAME = Buffer.from('\\a.txt\0', 'utf16le');
const DRIVES = [
  drive(0x496e, u16(1, 13), u32(9)),
  drive(0x5350, u16(1, 0, 1, 44), u32(2, 0, 0), u16(1, 13), u32(0, 0, 7, 0, 0, 0)),
  drive(0x4343, u16(1, 13), u32(9)),
  drive(0x554c),
  drive(0x6472, u32(1, 0)),
  request(0, Buffer.concat([Buffer.alloc(20), u32(3, 0, NAME.length), NAME])),
  request(2, Buffer.alloc(32)),
  request(3, Buffer.concat([u32(65_536, 0, 0), Buffer.alloc(20)])),
  request(4, Buffer.concat([u32(5, 0, 0), Buffer.alloc(20), Buffer.from('hello')])),
  request(5, Buffer.concat([u32(5, 0), Buffer.alloc(24)])),
  request(6, Buffer.concat([u32(13, 1), Buffer.alloc(24), Buffer.of(1)])),
  request(12, Buffer.concat([u32(3), Buffer.of(1), u32(NAME.length), Buffer.alloc(23), NAME])),
];
const SOUND = [
  Buffer.concat([Buffer.of(7, 0, 20, 0), Buffer.alloc(20)]),
  // Agreed upon, and then played in two messages.
  Buffer.concat([
    Buffer.concat([Buffer.of(7, 0, 38, 0), Buffer.alloc(14), Buffer.of(1, 0, 0, 5, 0, 0)]),
    Buffer.from([1, 0, 2, 0, 0x44, 0xac, 0, 0, 0x10, 0xb1, 2, 0, 4, 0, 16, 0, 0, 0]),
  ]),
  Buffer.from([6, 0, 4, 0, 1, 0, 2, 0]),
  Buffer.from([2, 0, 16, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 2, 3, 4]),
  Buffer.alloc(8),
];
/** What a page says about its folder: that it shares one, and answers that nobody may have asked for. */
const FOLDER = [
  Buffer.from([2, 11, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 4, ...Buffer.from('Docs')]),
  Buffer.from([2, 18, 0, 0, 0, 1, 0, 0, 0, 0]),
  Buffer.from([2, 20, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 65, 66]),
  Buffer.from([2, 26, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]),
];
/** Updates in the short form: code and fragment beside what they hold. */
const UPDATES = [
  [1, 0, bitmap],
  [1, 2, bitmap.subarray(0, 700)],
  [1, 3, bitmap.subarray(700, 900)],
  [1, 1, bitmap.subarray(900)],
  [4, 0, u16(4, 1, 9, 0)],
  [4, 0, Buffer.concat([u16(1, 0, 0, 1, 1), Buffer.from('c0cc0c000000caaccccac1cc0a00000001c00001', 'hex')])],
  [3, 0, Buffer.alloc(0)],
] as const;
const DATAS = [2, 27, 31, 34, 38, 40, 41, 47, 54] as const;
const INPUTS = [
  Buffer.from([0x04, 0x04, 0x00, 30]),
  Buffer.from([0x04, 0x09, 0x20, 0, 0x08, 10, 0, 20, 0]),
  Buffer.from([0x30, 14, ...Buffer.alloc(12, 0x60)]),
];

export const desktops: FuzzTarget = {
  name: 'desktops',
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
      startRdpHost(),
      startRdpHost({ garble: (bytes) => (own.chance(0.02) ? own.mutate(bytes) : bytes) }),
    ]);
    let isOver = false;
    for (const [at, host] of hosts.entries()) {
      const name = HOSTS[at]!;
      const body = { name, addr: host.addr, labels: LABELS, certificate: { pin: host.pin } };
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
        const isBroken = chance.chance(0.3);
        const target = { desktop: chance.pick(HOSTS), login: 'fuzz' };
        const page = openBarePage(tabOf(victim), target, {
          rests: chance.chance(0.05),
          change: (pdu) => {
            count();
            return isBroken && chance.chance(0.05) ? chance.mutate(pdu) : pdu;
          },
        });
        await Promise.race([page.drawn, sleep(MAX_WAIT_MS)]);
        for (let left = chance.below(40); left > 0 && page.socket.readyState === page.socket.OPEN; left -= 1) {
          const channel = chance.pick([CHANNELS.clipboard, CHANNELS.dynamic, CHANNELS.io]);
          if (chance.chance(0.1)) page.socket.send(anything(chance.pick(FOLDER), chance), () => {});
          else if (chance.chance(0.5)) page.send(anything(chance.pick(INPUTS), chance));
          else page.sendOn(channel, anything(chunk(chance.pick([...CLIPBOARD, ...DYNAMIC])), chance));
          count();
          if (chance.chance(0.2)) await sleep(chance.below(5));
        }
        // Some leave without a word: the session waits for them, as long as their role says.
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

function tabOf({ origin, port, ann }: Victim) {
  const headers = { host: new URL(origin).host, origin, cookie: ann.cookie };
  return { url: `ws://127.0.0.1:${port}/v1/webapi/sites/-current-/desktop`, headers, token: ann.token };
}

async function lie(session: HostSession, random: Random, count: () => void): Promise<void> {
  const { channels } = session;
  for (let left = random.below(60); left > 0; left -= 1) {
    const how = random.below(7);
    if (how === 0) session.send(channels.get('cliprdr') ?? 0, anything(chunk(random.pick(CLIPBOARD)), random));
    else if (how === 1) session.send(channels.get('drdynvc') ?? 0, anything(chunk(random.pick(DYNAMIC)), random));
    else if (how === 2) session.sendData(random.pick(DATAS), anything(random.chance(0.5) ? bitmap : u32(5), random));
    else if (how === 3) {
      const [code, fragment, data] = random.pick(UPDATES);
      session.sendUpdate(code, fragment, random.chance(0.95) ? data : random.mutate(data));
    } else if (how === 4) session.send(channels.get('rdpdr') ?? 0, anything(chunk(random.pick(DRIVES)), random));
    else if (how === 5) session.send(channels.get('rdpsnd') ?? 0, anything(chunk(random.pick(SOUND)), random));
    else if (random.chance(0.03)) session.sendRaw(random.bytes(random.below(2_000)));
    count();
    if (random.chance(0.3)) await sleep(random.below(4));
  }
  if (random.chance(0.7)) session.end();
}

/** Mostly sound: what is broken ends a session, and what stands behind it is never heard. */
function anything(sound: Buffer, random: Random): Buffer {
  return random.chance(0.97) ? sound : random.mutate(sound);
}
