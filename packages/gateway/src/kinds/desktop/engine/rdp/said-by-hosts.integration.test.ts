import { once } from 'node:events';
import { connect } from 'node:net';
import { type HostSession, type RdpHost, startRdpHost } from '@gatehouse/testkit/desktop/rdp-host';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { WasmPage } from '../../../../../testing/desktop/wasm-page.ts';
import type { DesktopEnd, SharedLink } from '../desktop-link.ts';
import { FolderFailure, type SharedFolder } from '../shared-folder.ts';
import { DRIVE, driveMessage, MAJOR, u16s, u32s, wide } from './drive/drive-messages.ts';
import { openRdp } from './open-rdp.ts';
import { describe } from './pdu.ts';
import { ChannelReader, channelChunks } from './static-channel.ts';

const TERMS = { user: 'ann', domain: 'CORP', password: 'pw-5ecret', serverName: 'host.test', width: 1024, height: 768 };
let host: RdpHost;
const links: SharedLink[] = [];
const pages: WasmPage[] = [];

beforeAll(async () => {
  host = await startRdpHost();
});

afterEach(async () => {
  for (const link of links.splice(0)) link.close();
  for (const page of pages.splice(0)) await page.close();
});

afterAll(async () => {
  await host.stop();
});

async function open(at = host.port, drives = false) {
  const socket = connect(at, '127.0.0.1');
  await once(socket, 'connect');
  let leaf = Buffer.alloc(0);
  const link = await openRdp(
    socket,
    {
      ...TERMS,
      scale: 100,
      keyboard: 0x407,
      clipboard: true,
      drives,
      checkCertificate: (shown) => {
        leaf = shown as Buffer<ArrayBuffer>;
      },
    },
    AbortSignal.timeout(20_000),
  );
  links.push(link);
  const ends: DesktopEnd[] = [];
  const passed: Buffer[] = [];
  const kept: Buffer[] = [];
  link.onEnd((why) => void ends.push(why));
  link.onPicture((pdu, each) => {
    passed.push(pdu);
    if (each) kept.push(each);
  });
  return { link, leaf, ends, passed, kept };
}

async function view(drives = false) {
  const opened = await open(host.port, drives);
  const page = await WasmPage.load();
  pages.push(page);
  page.open(opened.link, opened.leaf);
  const session = await host.next();
  await expect.poll(() => page.ended ?? page.isConnected).toBe(true);
  return { ...opened, page, session };
}

const u32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};

/** Of 32 bits a pixel, in one colour, whose rows are padded to `padded`. */
function bitmap(x: number, y: number, width: number, height: number, padded: number): Buffer {
  const pixels = Buffer.alloc(padded * height * 4);
  for (let at = 0; at < pixels.length; at += 4) pixels.writeUInt32LE(0x00_20_80_e0, at);
  const head = Buffer.alloc(22);
  const fields = [1, 1, x, y, x + width - 1, y + height - 1, padded, height, 32, 0, pixels.length];
  for (const [at, value] of fields.entries()) head.writeUInt16LE(value, at * 2);
  return Buffer.concat([head, pixels]);
}

test('who signs in is told the host by the gateway, and the page’s own word reaches nobody', async () => {
  const { session, page } = await view();

  expect(session.info.includes(Buffer.from('CORP\0ann\0pw-5ecret\0', 'utf16le'))).toBe(true);
  expect(session.info.includes(Buffer.from('nobody', 'utf16le'))).toBe(false);
  expect([...session.channels.keys()].toSorted()).toEqual(['cliprdr', 'drdynvc', 'rdpsnd']);
  expect(page.ended).toBeUndefined();
});

test('padded bitmaps in several messages are drawn as they are, at the edge too', async () => {
  const { session, page } = await view();
  const whole = bitmap(994, 700, 30, 68, 32);
  session.sendUpdate(1, 2, whole.subarray(0, 3_000));
  session.sendUpdate(1, 3, whole.subarray(3_000, 6_000));
  session.sendUpdate(1, 1, whole.subarray(6_000));

  await expect.poll(() => page.colourAt(1000, 767)).toEqual([0x20, 0x80, 0xe0]);
  expect(await page.colourAt(1023, 700)).toEqual([0x20, 0x80, 0xe0]);
  expect(await page.colourAt(980, 700)).not.toEqual([0x20, 0x80, 0xe0]);
  expect(page.ended).toBeUndefined();
});

test('a desktop that is taken over is told as that, once, and the page is not told by an error of its own', async () => {
  const { session, ends, page } = await view();
  session.sendData(47, u32(5));
  session.sendRaw(Buffer.from([3, 0, 0, 9, 2, 0xf0, 0x80, 0x21, 0x80]));

  await expect.poll(() => ends).toHaveLength(1);
  expect(ends).toEqual([
    { cause: 'closed', message: 'the desktop was taken over by another connection', told: 'taken_over' },
  ]);
  await page.look();
  expect(page.ended).toBeUndefined();
});

test('what signs in again without a password reaches neither the page nor the recording', async () => {
  const { session, page, passed, kept } = await view();
  session.sendData(38, Buffer.concat([u32(3), Buffer.from('auto-reconnect-cookie')]));
  session.sendUpdate(1, 0, bitmap(0, 0, 16, 16, 16));
  await expect.poll(() => page.colourAt(8, 8)).toEqual([0x20, 0x80, 0xe0]);

  for (const all of [passed, kept]) expect(Buffer.concat(all).includes('auto-reconnect-cookie')).toBe(false);
});

test('a host that sends us on to another is not followed, and what it says of it reaches nobody', async () => {
  const { session, ends, passed } = await view();
  const redirection = Buffer.concat([Buffer.from([0, 0, 0x1a, 0, 0xea, 3, 0, 0]), Buffer.from('its-password')]);
  redirection.writeUInt16LE(redirection.length, 0);
  session.send(1003, redirection);

  await expect.poll(() => ends).toHaveLength(1);
  expect(ends[0]!.message).toContain('another machine');
  expect(Buffer.concat(passed).includes('its-password')).toBe(false);
});

test('newer graphics, and whatever else is offered, are declined by the gateway', async () => {
  const { session } = await view();
  const name = Buffer.from('Microsoft::Windows::RDS::Graphics\0');
  const create = Buffer.concat([Buffer.from([0x10, 9]), name]);
  session.send(session.channels.get('drdynvc')!, Buffer.concat([u32(create.length), u32(3), create]));

  const declined = Buffer.from([0x10, 9, 0x05, 0x40, 0x00, 0x80]);
  await expect.poll(() => session.heard.some((pdu) => pdu.subarray(-6).equals(declined))).toBe(true);
});

test('measuring of the network, and channels that nobody asked for, are passed over', async () => {
  const { session, page, ends } = await view();
  session.send(1008, Buffer.from([0, 0x10, 0, 0, 6, 0, 0, 0, 1, 0x10]));
  session.send(4_000, Buffer.alloc(100));
  session.sendUpdate(1, 0, bitmap(0, 0, 16, 16, 16));

  await expect.poll(() => page.colourAt(8, 8)).toEqual([0x20, 0x80, 0xe0]);
  expect(ends).toEqual([]);
});

test('pictures that no page says it has drawn are acknowledged by the gateway', async () => {
  const { link, leaf } = await open();
  const page = await WasmPage.load();
  pages.push(page);
  page.open(link, leaf);
  const session = await host.next();
  await page.close();
  session.sendUpdate(4, 0, Buffer.from([4, 0, 0, 0, 7, 0, 0, 0]));
  session.sendUpdate(4, 0, Buffer.from([4, 0, 1, 0, 7, 0, 0, 0]));

  const acknowledges = (pdu: Buffer) => pdu[0] === 3 && pdu[28] === 56 && pdu.subarray(-4).equals(u32(7));
  await expect.poll(() => session.heard.some(acknowledges)).toBe(true);
});

const HOSTILE: readonly [string, (session: HostSession) => void][] = [
  ['is no RDP at all', (session) => session.sendRaw(Buffer.from('HTTP/1.1 200 OK\r\n\r\n'))],
  ['is compressed', (session) => session.sendRaw(Buffer.from([0, 0x80, 8, 0x81, 2, 0, 0, 0]))],
  ['is cut short', (session) => session.sendUpdate(1, 0, bitmap(0, 0, 16, 16, 16).subarray(0, 50))],
  ['has no extent', (session) => session.sendUpdate(1, 0, bitmap(5, 0, 0, 16, 16))],
  [
    'is not as long as it says',
    (session) => session.sendRaw(Buffer.from([3, 0, 0, 16, 2, 0xf0, 0x80, 0x68, 0, 1, 3, 0xeb, 0x70, 9, 0, 0])),
  ],
  ['goes on without having begun', (session) => session.send(session.channels.get('cliprdr')!, Buffer.alloc(20))],
  ['is shorter than its header', (session) => session.sendRaw(Buffer.from([3, 0, 0, 2, 0, 0]))],
];

test('whatever a hostile host says ends its session in words, and nothing else', async () => {
  for (const [words, say] of HOSTILE) {
    const { link, leaf, ends } = await open();
    const page = await WasmPage.load();
    pages.push(page);
    page.open(link, leaf);
    say(await host.next());
    await expect.poll(() => ends).toHaveLength(1);
    expect(ends[0]!.cause, words).toBe('failed');
    expect(ends[0]!.message, words).toContain('no RDP');
  }
});

test('drives are spoken by the gateway itself: a host reads a file of a shared folder, sound stays silent, and no page hears of either', async () => {
  const { session, link, passed, page } = await view(true);
  expect([...session.channels.keys()].toSorted()).toEqual(['cliprdr', 'drdynvc', 'rdpdr', 'rdpsnd']);
  const [drives, sound] = [session.channels.get('rdpdr')!, session.channels.get('rdpsnd')!];
  const bytes = Buffer.alloc(5_000, 'a file ');
  const entry = { name: 'a.txt', isDirectory: false, size: bytes.length, modified: 0, isEmpty: false };
  const folder: Partial<SharedFolder> = {
    info: async (path) => {
      if (path !== 'a.txt') throw new FolderFailure('absent', 'it is not there');
      return entry;
    },
    read: async (_path, offset, length) => bytes.subarray(offset, offset + length),
  };
  let isTaken: boolean | undefined;
  link.share?.({
    ...{ name: 'Docs', folder: folder as SharedFolder, mayPass: () => true, onUse: () => {}, turn: async () => {} },
    onTaken: (taken) => {
      isTaken = taken;
    },
  });
  const before = passed.length;
  const say = (channel: number, message: Buffer) => {
    for (const chunk of channelChunks(message)) session.send(channel, chunk);
  };
  /** Whole messages that it was sent on a channel. */
  const said = (channel: number) => {
    const reader = new ChannelReader(1_000_000);
    return session.heard.flatMap((pdu) => {
      const described = describe(pdu);
      if (described.kind !== 'data' || described.channel !== channel) return [];
      const message = reader.push(pdu.subarray(described.offset));
      return message ? [message.bytes] : [];
    });
  };
  const types = () => said(drives).map((message) => message.readUInt16LE(2));
  say(drives, driveMessage(DRIVE.hostAnnounce, u16s(1, 13), u32s(7)));
  say(drives, driveMessage(DRIVE.clientId, u16s(1, 13), u32s(7)));
  await expect.poll(types).toContain(DRIVE.deviceList);
  say(drives, driveMessage(DRIVE.deviceReply, u32s(1, 0)));
  await expect.poll(() => isTaken).toBe(true);

  const name = wide('\\a.txt\0');
  say(
    drives,
    driveMessage(DRIVE.request, u32s(1, 0, 1, MAJOR.create, 0), Buffer.alloc(20), u32s(1, 0, name.length), name),
  );
  await expect.poll(types).toContain(DRIVE.completion);
  say(drives, driveMessage(DRIVE.request, u32s(1, 1, 2, MAJOR.read, 0), u32s(9_999, 0, 0), Buffer.alloc(20)));
  await expect.poll(() => types().filter((type) => type === DRIVE.completion).length).toBe(2);
  expect(said(drives).at(-1)!.subarray(20).equals(bytes)).toBe(true);

  say(sound, Buffer.concat([Buffer.of(7, 0, 20, 0), Buffer.alloc(20)]));
  await expect.poll(() => said(sound).map((message) => message[0])).toEqual([7]);
  expect(passed).toHaveLength(before);
  expect(page.ended).toBeUndefined();
});

test('a host that breaks a message about drives ends its own desktop, in words', async () => {
  const { session, link, ends } = await view(true);
  const folder = { info: async () => ({ name: '', isDirectory: true, size: 0, modified: 0, isEmpty: true }) };
  link.share?.({
    ...{ name: 'Docs', folder: folder as unknown as SharedFolder, mayPass: () => true },
    ...{ onUse: () => {}, onTaken: () => {}, turn: async () => {} },
  });
  for (const chunk of channelChunks(driveMessage(DRIVE.request, u32s(1, 0, 1, MAJOR.create, 0), u32s(1))))
    session.send(session.channels.get('rdpdr')!, chunk);
  await expect.poll(() => ends).toEqual([{ cause: 'failed', message: expect.stringContaining('no RDP') }]);
});
