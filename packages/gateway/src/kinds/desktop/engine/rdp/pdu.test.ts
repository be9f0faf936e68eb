import { expect, test, vi } from 'vitest';
import { DesktopFailure } from '../desktop-link.ts';
import { FieldReader } from '../field-reader.ts';
import { confirmActive } from './confirm-active.ts';
import { writeConnectInitial } from './connect-initial.ts';
import { DynamicChannels } from './dynamic-channels.ts';
import {
  connectInitial,
  connectResponse,
  gccBlock,
  hostChannels,
  readChannelNames,
  readConnectInitial,
  readConnectResponse,
  readHostChannels,
} from './gcc.ts';
import { readInput } from './input.ts';
import {
  attachedUser,
  channelPdu,
  clientShareData,
  DATA,
  describe,
  joinConfirm,
  joinedChannel,
  joinRequest,
  PduSplitter,
  pduLength,
  SHARE,
  sealed,
  shareHeader,
} from './pdu.ts';
import { ChannelReader, channelChunks } from './static-channel.ts';
import { RdpTracker } from './tracker.ts';

const CORE = { width: 1280, height: 800, scale: 150, keyboard: 0x407 };
const FAST = Buffer.from([0x00, 0x06, 0x03, 0x01, 0x00, 0xff]);

/** Whoever reads it throws in words, or takes it; nothing else. */
function survives(run: () => unknown): void {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(DesktopFailure);
  }
}

/** Each cut, and each byte changed. */
function* broken(sound: Buffer): Generator<Buffer> {
  for (let length = 0; length < sound.length; length += 1) yield Buffer.from(sound.subarray(0, length));
  for (let at = 0; at < sound.length; at += 1)
    for (const value of [0x00, 0x7f, 0x80, 0xff, sound[at]! ^ 1]) {
      const other = Buffer.from(sound);
      other[at] = value;
      yield other;
    }
}

test('a stream is cut into the same messages, wherever its pieces end', () => {
  const messages = [channelPdu('host', 1002, 1003, Buffer.alloc(300, 1)), FAST, joinConfirm(1005, 1004), FAST];
  const stream = Buffer.concat(messages);
  const splitter = new PduSplitter();

  const found = [...stream].flatMap((byte) => splitter.push(Buffer.of(byte)));

  expect(found).toEqual(messages);
  expect(new PduSplitter().push(stream)).toEqual(messages);
});

test('twelve events of a client begin with the byte that DER begins with, and are events', () => {
  const pdu = Buffer.concat([Buffer.from([0x30, 2 + 12 * 2]), ...Array.from({ length: 12 }, () => Buffer.of(0, 30))]);

  expect(pduLength(pdu)).toBe(pdu.length);
  expect(readInput(pdu, 0).events).toBe(12);
});

test.each([
  ['shorter than its header', [3, 0, 0, 7, 2, 0xf0, 0x80]],
  ['neither of the two forms', [1, 0, 0]],
  ['the old security', [0xc0, 9]],
  ['shorter than its header', [0, 2]],
])('a message is refused for being %s', (words, bytes) => {
  expect(() => pduLength(Buffer.from(bytes))).toThrow(words);
});

test('a message of a channel says whose it is, and is as long as it says', () => {
  const pdu = channelPdu('client', 1005, 1004, Buffer.alloc(200));

  expect(describe(pdu)).toEqual({ kind: 'data', channel: 1004, offset: 15 });
  expect(joinedChannel(joinRequest(1005, 1003), 'join_request')).toBe(1003);
  const longer = Buffer.concat([pdu, Buffer.of(0)]);
  expect(() => describe(longer)).toThrow('not as long as it says');
});

test('a number that no user can have is refused', () => {
  expect(attachedUser(sealed(Buffer.from([0, 0, 0, 0, 0, 0, 0, 0x2e, 0, 0, 4])))).toBe(1005);
  expect(() => attachedUser(sealed(Buffer.from([0, 0, 0, 0, 0, 0, 0, 0x2e, 0, 0xff, 0xff])))).toThrow(
    'no user can have',
  );
});

test('the share of a message is read, and compression refused', () => {
  const pdu = clientShareData(1005, 1003, 7, DATA.frameAcknowledge, Buffer.alloc(4));

  expect(shareHeader(pdu, 14)).toEqual({ type: SHARE.data, data: DATA.frameAcknowledge, body: 32 });
  pdu[14 + 15] = 0x20;
  expect(() => shareHeader(pdu, 14)).toThrow('compressed');
});

test('what we say first holds the size, the layout, the security and the channels', () => {
  const pdu = writeConnectInitial(CORE, 2, ['drdynvc']);
  const blocks = readConnectInitial(pdu);
  const [core] = blocks;

  expect(readChannelNames(blocks)).toEqual(['drdynvc']);
  expect([core!.body.readUInt16LE(4), core!.body.readUInt16LE(6)]).toEqual([1280, 800]);
  expect(core!.body.readUInt32LE(12)).toBe(0x407);
  expect(core!.body.readUInt32LE(208)).toBe(2);
  expect([core!.body.readUInt32LE(222), core!.body.readUInt32LE(226)]).toEqual([150, 140]);
});

test("the host's channels come back as they were put", () => {
  const pdu = connectResponse([
    gccBlock(0x0c01, Buffer.alloc(8)),
    hostChannels({ io: 1003, ids: [1004, 0xf001, 1006] }),
  ]);

  expect(describe(pdu)).toEqual({ kind: 'connect_response' });
  expect(readHostChannels(readConnectResponse(pdu))).toEqual({ io: 1003, ids: [1004, 0xf001, 1006] });
});

test('no broken message of either side does more than fail in words', () => {
  const sound = [
    writeConnectInitial(CORE, 2, ['cliprdr', 'drdynvc']),
    connectInitial([]),
    connectResponse([gccBlock(0x0c01, Buffer.alloc(8)), hostChannels({ io: 1003, ids: [1004] })]),
    demandActive(1024, 768),
    joinConfirm(1005, 1004),
    FAST,
  ];
  for (const pdu of sound.flatMap((each) => [...broken(each)])) {
    survives(() => {
      for (const whole of new PduSplitter().push(pdu)) {
        const tracker = new RdpTracker();
        tracker.ioChannel = 1003;
        tracker.see(whole);
        if (describe(whole).kind === 'connect_initial') readChannelNames(readConnectInitial(whole));
      }
    });
  }
});

function demandActive(width: number, height: number): Buffer {
  const capability = Buffer.alloc(28);
  capability.writeUInt16LE(2, 0);
  capability.writeUInt16LE(28, 2);
  capability.writeUInt16LE(width, 12);
  capability.writeUInt16LE(height, 14);
  const body = Buffer.alloc(22);
  body.writeUInt16LE(0x11, 2);
  body.writeUInt32LE(0x10003, 6);
  body.writeUInt16LE(4, 10);
  body.write('RDP', 14);
  body.writeUInt16LE(1, 18);
  return channelPdu('host', 1002, 1003, body, capability);
}

test('the size of the desktop is known by its description, and none is taken that no screen has', () => {
  const tracker = new RdpTracker();
  tracker.ioChannel = 1003;
  tracker.see(demandActive(1280, 720));

  expect(tracker).toMatchObject({ size: { width: 1280, height: 720 }, shareId: 0x10003, isActive: false });
  expect(() => tracker.see(demandActive(9000, 720))).toThrow('9000×720');
  expect(() => tracker.see(demandActive(0, 720))).toThrow('0×720');
});

test('the pointer is known by the events of the page, and keys are told nobody', () => {
  const pdu = Buffer.from([3 << 2, 17, 0x00, 30, 0x20, 0x00, 0x08, 10, 0, 20, 0, 0x20, 0x00, 0x90, 11, 0, 21]);
  const longer = Buffer.concat([pdu, Buffer.of(0)]);
  longer[1] = 18;

  expect(readInput(longer, 0)).toEqual({ events: 3, pointer: { x: 11, y: 21, buttons: 1 } });
  expect(() => readInput(pdu, 0)).toThrow('cut short');
  for (const each of broken(longer)) if (each.length > 2) survives(() => readInput(each, 0));
});

test('a wheel says nothing of where the pointer is', () => {
  expect(readInput(Buffer.from([1 << 2, 9, 0x20, 0x78, 0x02, 0, 0, 0, 0]), 5).pointer).toBeUndefined();
});

test('only display control is opened: what else a host offers is declined, and no page hears of it', () => {
  const channels = new DynamicChannels();
  const named = (id: number, name: string) => Buffer.concat([Buffer.of(0x10, id), Buffer.from(`${name}\0`)]);
  const display = named(7, 'Microsoft::Windows::RDS::DisplayControl');

  expect(channels.fromHost(named(3, 'Microsoft::Windows::RDS::Graphics'))).toEqual({
    toHost: Buffer.from([0x10, 3, 0x05, 0x40, 0x00, 0x80]),
  });
  expect(channels.fromPage(Buffer.from([0x30, 7, 1]), true)).toBeUndefined();
  expect(channels.fromHost(display)).toEqual({ toPage: display });
  expect(channels.fromPage(Buffer.from([0x30, 7, 1]), true)).toEqual(Buffer.from([0x30, 7, 1]));
  expect(channels.fromPage(Buffer.from([0x30, 7, 1]), false)).toBeUndefined();
  expect(channels.fromPage(Buffer.from([0x30, 3, 1]), true)).toBeUndefined();
  expect(channels.fromHost(Buffer.from([0x30, 3, 1]))).toEqual({});
  for (const each of broken(display)) survives(() => channels.fromHost(each));
});

test('pieces of a channel become one message, and of one that is too long only its beginning is held', () => {
  const message = Buffer.alloc(5_000, 7);
  const reader = new ChannelReader(6_000);
  const small = new ChannelReader(4_000);
  const chunks = channelChunks(message);

  expect(chunks).toHaveLength(4);
  expect(chunks.map((chunk) => reader.push(chunk)).at(-1)).toEqual({ length: 5_000, bytes: message });
  expect(chunks.map((chunk) => small.push(chunk)).at(-1)).toEqual({ length: 5_000, bytes: message.subarray(0, 64) });
  expect(() => reader.push(chunks[1]!)).toThrow('without having begun');
  reader.push(chunks[0]!);
  expect(() => reader.push(chunks[3]!)).toThrow('shorter than it says');
});

test('a message of a channel in pieces of a byte and of none takes no more memory than it has bytes', () => {
  const reader = new ChannelReader(6_000);
  const chunk = (flags: number, bytes: string) => {
    const head = Buffer.alloc(8);
    head.writeUInt32LE(3, 0);
    head.writeUInt32LE(flags, 4);
    return Buffer.concat([head, Buffer.from(bytes)]);
  };
  const concat = vi.spyOn(Buffer, 'concat');
  reader.push(chunk(1, 'a'));
  const empty = chunk(0, '');
  concat.mockClear();
  for (let left = 50_000; left > 0; left -= 1) reader.push(empty);
  reader.push(chunk(0, 'b'));
  const whole = reader.push(chunk(2, 'c'));
  const joined = concat.mock.calls.map(([pieces]) => pieces.length);
  concat.mockRestore();

  expect(whole).toEqual({ length: 3, bytes: Buffer.from('abc') });
  expect(Math.max(...joined)).toBeLessThan(10);
});

test('what the client can is the same for every page, and as long as it says', () => {
  const body = confirmActive(1007, 0x10001, { width: 1280, height: 720 }, 0x407);
  const reader = new FieldReader(body, 'it', 16 + 8 + 4);
  const found = new Map<number, Buffer>();
  while (reader.left > 0) {
    const type = reader.u16();
    found.set(type, reader.take(reader.u16() - 4));
  }

  expect(body.readUInt16LE(0)).toBe(body.length);
  expect(found.size).toBe(body[24]);
  expect([found.get(2)!.readUInt16LE(8), found.get(2)!.readUInt16LE(10)]).toEqual([1280, 720]);
  expect(found.get(3)!.subarray(32, 64)).toEqual(Buffer.alloc(32));
  expect([3, 16, 29].map((type) => found.get(type)!.length)).toEqual([84, 48, 61]);
});

test('a page that comes later is offered display control again, and the host hears no second answer', () => {
  const channels = new DynamicChannels();
  const capabilities = Buffer.from([0x50, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  const offer = Buffer.concat([Buffer.of(0x10, 7), Buffer.from('Microsoft::Windows::RDS::DisplayControl\0')]);
  const first = Buffer.from([0x30, 7, 5, 0, 0, 0]);
  for (const message of [capabilities, offer, first]) channels.fromHost(message);
  const [can, taken] = [Buffer.from([0x50, 0, 2, 0]), Buffer.from([0x10, 7, 0, 0, 0, 0])];

  expect([channels.fromPage(can, false), channels.fromPage(taken, false)]).toEqual([can, taken]);
  expect(channels.again()).toEqual([capabilities, offer, first]);
  expect([channels.fromPage(can, false), channels.fromPage(taken, false)]).toEqual([undefined, undefined]);
  channels.fromHost(Buffer.from([0x40, 7]));
  expect(channels.again()).toEqual([capabilities]);
});
