/** A host at the channel of drives: what it says is written here by hand, the folder is one in memory. */
import { MAX_LISTED_FILES } from '@gatehouse/contract/sessions/directory-messages';
import { beforeEach, expect, test, vi } from 'vitest';
import { MemoryFolder } from '../../../../../../testing/desktop/memory-folder.ts';
import { DesktopFailure } from '../../desktop-link.ts';
import type { FileUse } from '../../shared-folder.ts';
import { ChannelReader, channelChunks } from '../static-channel.ts';
import { DriveChannel, MAX_DRIVE_MESSAGE_BYTES } from './drive-channel.ts';
import { DRIVE, driveMessage, MAJOR, STATUS, u16s, u32s, u64, wide } from './drive-messages.ts';

let sent: Buffer[];
let failures: unknown[];
let uses: FileUse[];
let taken: boolean[];
let mayPass: boolean;
let drained: Promise<void> | undefined;
let folder: MemoryFolder;
let channel: DriveChannel;
let takeAway: () => void;
let completions: number;
let turn: Promise<void>;

const say = (message: Buffer): void => {
  const reader = new ChannelReader(MAX_DRIVE_MESSAGE_BYTES);
  const whole = channelChunks(message).map((chunk) => reader.push(chunk));
  channel.hear(whole.at(-1)!);
};
const share = (name = 'Documents') =>
  channel.add({
    ...{ name, folder },
    mayPass: () => mayPass,
    onTaken: (isTaken) => taken.push(isTaken),
    turn: () => turn,
    onUse: (use) => uses.push(use),
  });
const ANNOUNCE = driveMessage(DRIVE.hostAnnounce, u16s(1, 13), u32s(77));
const capabilities = (extended: number) =>
  driveMessage(
    DRIVE.hostCapabilities,
    u16s(1, 0),
    u16s(1, 44),
    u32s(2, 0, 0),
    u16s(1, 13),
    u32s(0, 0, extended, 0, 0, 0),
  );
const CONFIRM = driveMessage(DRIVE.clientId, u16s(1, 13), u32s(77));
const LOGGED_ON = driveMessage(DRIVE.loggedOn);
const typesOf = (messages: readonly Buffer[]) => messages.map((message) => message.readUInt16LE(2));

beforeEach(() => {
  [sent, failures, uses, taken, mayPass, drained, completions] = [[], [], [], [], true, undefined, 0];
  turn = Promise.resolve();
  folder = new MemoryFolder();
  folder.files.set('a.txt', Buffer.from('hello'));
  folder.files.set('sub', undefined);
  folder.files.set('sub/b.txt', Buffer.from('inside'));
  channel = new DriveChannel({
    send: (message) => sent.push(message),
    drained: () => drained,
    failed: (error) => failures.push(error),
  });
  takeAway = share();
  for (const message of [ANNOUNCE, capabilities(7), CONFIRM, LOGGED_ON]) say(message);
});

function request(major: number, file: number, body: Buffer, minor = 0, device = 1): number {
  completions += 1;
  say(driveMessage(DRIVE.request, u32s(device, file, completions, major, minor), body));
  return completions;
}

async function answerTo(id: number): Promise<{ status: number; body: Buffer }> {
  for (let turns = 0; turns < 1_000; turns += 1) {
    const found = sent.find((each) => each.readUInt16LE(2) === DRIVE.completion && each.readUInt32LE(8) === id);
    if (found) return { status: found.readUInt32LE(12), body: found.subarray(16) };
    await new Promise(setImmediate);
  }
  throw new Error('not answered');
}

const ask = (...args: Parameters<typeof request>) => answerTo(request(...args));
const createBody = (path: string, disposition = 1, options = 0) => {
  const name = wide(`${path}\0`);
  return Buffer.concat([Buffer.alloc(20), u32s(disposition, options, name.length), name]);
};
const open = async (path: string, disposition = 1, options = 0) => {
  const { status, body } = await ask(MAJOR.create, 0, createBody(path, disposition, options));
  return { status, file: body.readUInt32LE(0), outcome: body[4] };
};
const readBody = (length: number, offset: bigint) => Buffer.concat([u32s(length), u64(offset), Buffer.alloc(20)]);
const writeBody = (bytes: Buffer, offset: bigint) =>
  Buffer.concat([u32s(bytes.length), u64(offset), Buffer.alloc(20), bytes]);
const infoBody = (form: number, set: Buffer = Buffer.alloc(0)) =>
  Buffer.concat([u32s(form, set.length), Buffer.alloc(24), set]);
const listBody = (form: number, path: string, isFirst = true) => {
  const name = wide(isFirst ? `${path}\0` : '');
  return Buffer.concat([u32s(form), Buffer.of(isFirst ? 1 : 0), u32s(name.length), Buffer.alloc(23), name]);
};

test('the host is greeted, and offered what is shared once somebody has signed in there', () => {
  expect(typesOf(sent)).toEqual([DRIVE.clientId, DRIVE.clientName, DRIVE.clientCapabilities, DRIVE.deviceList]);
  expect(sent[0]!.readUInt32LE(8)).toBe(77);
  const offered = sent[3]!;
  expect(offered.readUInt32LE(4)).toBe(1);
  expect(offered.readUInt32LE(8)).toBe(8);
  expect(offered.toString('latin1', 16, 23)).toBe('DOCUMEN');
  expect(offered.toString('utf16le', 28)).toBe('Documents\0');

  say(driveMessage(DRIVE.deviceReply, u32s(1, 0)));
  say(driveMessage(DRIVE.deviceReply, u32s(1, 5)));
  say(driveMessage(DRIVE.deviceReply, u32s(9, 0)));
  expect(taken).toEqual([true]);
});

test('a host that never says that somebody signed in is offered it at once; what comes later is offered then', () => {
  sent.length = 0;
  for (const message of [ANNOUNCE, capabilities(1), CONFIRM]) say(message);
  expect(typesOf(sent).at(-1)).toBe(DRIVE.deviceList);
  const end = share('Other');
  expect(sent.at(-1)!.readUInt32LE(12)).toBe(2);
  end();
  end();
  expect(typesOf(sent).slice(-2)).toEqual([DRIVE.deviceList, DRIVE.deviceRemove]);
});

test('files are read, written and made, and each use is told', async () => {
  const { file } = await open('\\a.txt');
  const read = await ask(MAJOR.read, file, readBody(3, 1n));
  expect([read.status, read.body.toString('latin1', 4)]).toEqual([STATUS.ok, 'ell']);
  expect((await ask(MAJOR.write, file, writeBody(Buffer.from('HE'), 0n))).body.readUInt32LE(0)).toBe(2);
  expect((await ask(MAJOR.close, file, Buffer.alloc(32))).status).toBe(STATUS.ok);
  expect(folder.files.get('a.txt')?.toString()).toBe('HEllo');

  const made = await open('\\sub\\new.txt', 2);
  expect([made.status, made.outcome]).toEqual([STATUS.ok, 0]);
  expect(folder.files.has('sub/new.txt')).toBe(true);
  expect(uses).toEqual([
    { what: 'read', path: 'a.txt', offset: 1, length: 3 },
    { what: 'write', path: 'a.txt', offset: 0, length: 2 },
  ]);
});

test.each([
  ['\\a.txt', 2, 0, STATUS.nameCollision],
  ['\\none', 1, 0, STATUS.noSuchFile],
  ['\\none', 4, 0, STATUS.noSuchFile],
  ['\\a.txt', 1, 1, STATUS.notDirectory],
  ['\\sub', 1, 0x40, STATUS.isDirectory],
  ['\\sub', 5, 0, STATUS.isDirectory],
  ['\\sub\\..\\a.txt', 1, 0, STATUS.nameInvalid],
  ['\\..', 1, 0, STATUS.nameInvalid],
  ['\\nul', 3, 0, STATUS.nameInvalid],
])('%s, wanted by %d with %d, is not opened', async (path, disposition, options, status) => {
  const before = new Map(folder.files);
  expect((await open(path, disposition, options)).status).toBe(status);
  expect(folder.files).toEqual(before);
});

test('a file that is opened to be overwritten is empty, and one that goes with its last use is gone', async () => {
  const { file, outcome } = await open('\\a.txt', 5, 0x1000);
  expect(outcome).toBe(3);
  expect(folder.files.get('a.txt')).toEqual(Buffer.alloc(0));
  await ask(MAJOR.close, file, Buffer.alloc(32));
  expect(folder.files.has('a.txt')).toBe(false);
});

test('a folder is listed one by one, without names that are none', async () => {
  folder.files.set('..', Buffer.alloc(0));
  folder.files.set('a\\b', Buffer.alloc(0));
  const { file } = await open('\\', 1, 1);
  const names: string[] = [];
  let answer = await ask(MAJOR.directory, file, listBody(3, '\\*'), 1);
  while (answer.status === STATUS.ok) {
    names.push(answer.body.toString('utf16le', 4 + 93));
    answer = await ask(MAJOR.directory, file, listBody(3, '', false), 1);
  }
  expect(names).toEqual(['a.txt', 'sub']);
  expect(answer.status).toBe(STATUS.noMoreFiles);
  expect((await ask(MAJOR.directory, file, listBody(1, '\\x*'), 1)).status).toBe(STATUS.noSuchFile);
  expect((await ask(MAJOR.directory, file, listBody(99, '\\*'), 1)).status).toBe(STATUS.notSupported);
});

test('each form of what is told of a file and the drive is as long as the protocol has it', async () => {
  const { file } = await open('\\a.txt');
  const lengths = new Map<number, number>();
  for (const form of [4, 5, 35])
    lengths.set(form, (await ask(MAJOR.queryInfo, file, infoBody(form))).body.readUInt32LE(0));
  expect([...lengths.values()]).toEqual([36, 22, 8]);
  const volume: number[] = [];
  for (const form of [1, 3, 4, 5, 7])
    volume.push((await ask(MAJOR.queryVolume, file, infoBody(form))).body.readUInt32LE(0));
  expect(volume).toEqual([17 + 18, 24, 8, 12 + 10, 32]);
  expect((await ask(MAJOR.queryInfo, file, infoBody(77))).status).toBe(STATUS.notSupported);
});

test('a file is renamed inside of the folder alone, and a folder that holds something is not deleted', async () => {
  const { file } = await open('\\a.txt');
  const rename = (to: string, isForced = 0) => {
    const name = wide(to);
    return infoBody(10, Buffer.concat([Buffer.of(isForced, 0), u32s(name.length), name]));
  };
  expect((await ask(MAJOR.setInfo, file, rename('\\..\\x'))).status).toBe(STATUS.nameInvalid);
  expect((await ask(MAJOR.setInfo, file, rename('\\sub\\b.txt'))).status).toBe(STATUS.nameCollision);
  expect((await ask(MAJOR.setInfo, file, rename('\\sub\\b.txt', 1))).status).toBe(STATUS.ok);
  expect(folder.files.get('sub/b.txt')?.toString()).toBe('hello');
  const sub = await open('\\sub', 1, 1);
  expect((await ask(MAJOR.setInfo, sub.file, infoBody(13, Buffer.of(1)))).status).toBe(STATUS.notEmpty);
  const root = await open('\\', 1, 1);
  expect((await ask(MAJOR.setInfo, root.file, infoBody(13, Buffer.of(1)))).status).toBe(STATUS.accessDenied);
});

test('a file is cut to nothing, grows by what is written, and is not cut in its middle', async () => {
  const { file } = await open('\\a.txt');
  const end = (size: bigint) => ask(MAJOR.setInfo, file, infoBody(20, u64(size)));
  expect((await end(100n)).status).toBe(STATUS.ok);
  expect((await end(2n)).status).toBe(STATUS.notSupported);
  expect((await end(0n)).status).toBe(STATUS.ok);
  expect(folder.files.get('a.txt')).toEqual(Buffer.alloc(0));
});

test('what the host means in its order is done in its order, however long the folder takes', async () => {
  const { file } = await open('\\a.txt');
  const { promise, resolve } = Promise.withResolvers<void>();
  folder.gate = promise;
  request(MAJOR.write, file, writeBody(Buffer.from('1'), 0n));
  const last = request(MAJOR.write, file, writeBody(Buffer.from('2'), 0n));
  folder.gate = Promise.resolve();
  resolve();
  await answerTo(last);
  expect(folder.files.get('a.txt')?.toString()).toBe('2ello');
});

test('requests to nothing are answered and change nothing: no such drive, file or request', async () => {
  expect((await ask(MAJOR.read, 1, readBody(1, 0n), 0, 9)).status).toBe(STATUS.disconnected);
  expect((await ask(MAJOR.read, 99, readBody(1, 0n))).status).toBe(STATUS.invalidHandle);
  expect((await ask(MAJOR.close, 99, Buffer.alloc(32))).status).toBe(STATUS.invalidHandle);
  expect((await ask(MAJOR.deviceControl, 1, Buffer.alloc(32))).status).toBe(STATUS.notSupported);
  expect((await ask(0xffff, 1, Buffer.alloc(0))).status).toBe(STATUS.notSupported);
});

test('giant requests are refused, and the next one is served', async () => {
  const { file } = await open('\\a.txt');
  expect((await ask(MAJOR.write, file, writeBody(Buffer.alloc(1024 * 1024 + 1), 0n))).status).toBe(
    STATUS.invalidParameter,
  );
  expect((await ask(MAJOR.write, file, writeBody(Buffer.alloc(2 * 1024 * 1024), 0n))).status).toBe(
    STATUS.invalidParameter,
  );
  expect((await ask(MAJOR.read, file, readBody(1, 2n ** 63n))).status).toBe(STATUS.invalidParameter);
  expect((await ask(MAJOR.read, file, readBody(0xffff_ffff, 0n))).body.readUInt32LE(0)).toBe(5);
});

test('no more is held than may be: open files, unanswered requests, bytes to be written', async () => {
  const opened = await Promise.all(Array.from({ length: 60 }, () => open('\\a.txt')));
  const { file } = opened[0]!;
  const { promise, resolve } = Promise.withResolvers<void>();
  folder.gate = promise;
  const piece = Buffer.alloc(1024 * 1024);
  const asked = Array.from({ length: 9 }, () => request(MAJOR.write, file, writeBody(piece, 0n)));
  expect((await answerTo(asked.at(-1)!)).status).toBe(STATUS.noResources);
  const many = Array.from({ length: 64 }, () => request(MAJOR.queryInfo, file, infoBody(4)));
  expect((await answerTo(many.at(-1)!)).status).toBe(STATUS.noResources);
  resolve();
  await answerTo(asked[0]!);
  for (let left = 196; left > 0; left -= 1) expect((await open('\\a.txt')).status).toBe(STATUS.ok);
  expect((await open('\\a.txt')).status).toBe(STATUS.tooManyOpen);
});

test('no more of lists is held than two of the longest', async () => {
  const entry = { name: 'x', isDirectory: false, size: 0, modified: 0, isEmpty: true };
  vi.spyOn(folder, 'list').mockResolvedValue(Array.from({ length: MAX_LISTED_FILES }, () => entry));
  const opened = await Promise.all([1, 2, 3].map(() => open('\\sub', 1, 1)));
  const begin = (at: number) => ask(MAJOR.directory, opened[at]!.file, listBody(1, '\\sub\\*'), 1);
  expect([(await begin(0)).status, (await begin(1)).status]).toEqual([STATUS.ok, STATUS.ok]);
  expect((await begin(2)).status).toBe(STATUS.tooManyOpen);
  expect((await begin(1)).status).toBe(STATUS.ok);
  await ask(MAJOR.close, opened[0]!.file, Buffer.alloc(32));
  expect((await begin(2)).status).toBe(STATUS.ok);
});

test('a read that waits its turn is not overtaken by what is written after it', async () => {
  const { file } = await open('\\a.txt');
  const { promise, resolve } = Promise.withResolvers<void>();
  drained = promise;
  const read = request(MAJOR.read, file, readBody(5, 0n));
  const written = request(MAJOR.write, file, writeBody(Buffer.from('HELLO'), 0n));
  await new Promise(setImmediate);
  drained = undefined;
  resolve();
  expect((await answerTo(read)).body.toString('latin1', 4)).toBe('hello');
  await answerTo(written);
  expect(folder.files.get('a.txt')?.toString()).toBe('HELLO');
});

test('reads wait until the host has taken what it asked for', async () => {
  const { file } = await open('\\a.txt');
  const { promise, resolve } = Promise.withResolvers<void>();
  drained = promise;
  const read = vi.spyOn(folder, 'read');
  const asked = Array.from({ length: 6 }, () => request(MAJOR.read, file, readBody(5, 0n)));
  await new Promise(setImmediate);
  expect(read).not.toHaveBeenCalled();
  drained = undefined;
  resolve();
  for (const id of asked) expect((await answerTo(id)).status).toBe(STATUS.ok);
});

test('while nothing may pass, nothing is read or written', async () => {
  const { file } = await open('\\a.txt');
  mayPass = false;
  expect((await ask(MAJOR.read, file, readBody(5, 0n))).status).toBe(STATUS.accessDenied);
  expect((await ask(MAJOR.write, file, writeBody(Buffer.from('x'), 0n))).status).toBe(STATUS.accessDenied);
  expect(folder.files.get('a.txt')?.toString()).toBe('hello');
});

test('what a host waits for is answered once, before its drive is taken away; after that it asks in vain', async () => {
  const { file } = await open('\\a.txt');
  const { promise, resolve } = Promise.withResolvers<void>();
  folder.gate = promise;
  const late = request(MAJOR.read, file, readBody(5, 0n));
  takeAway();
  expect(typesOf(sent.slice(-2))).toEqual([DRIVE.completion, DRIVE.deviceRemove]);
  resolve();
  expect((await ask(MAJOR.read, file, readBody(5, 0n))).status).toBe(STATUS.disconnected);
  const answers = sent.filter((each) => each.readUInt16LE(2) === DRIVE.completion && each.readUInt32LE(8) === late);
  expect(answers.map((each) => each.readUInt32LE(12))).toEqual([STATUS.disconnected]);
});

test('a message cut at any byte is broken or passed over, and never more', async () => {
  const { file } = await open('\\a.txt');
  const whole = [
    ...[ANNOUNCE, capabilities(7), CONFIRM, driveMessage(DRIVE.deviceReply, u32s(1, 0))],
    ...[
      ...[
        createBody('\\a.txt'),
        readBody(1, 0n),
        writeBody(Buffer.from('xy'), 0n),
        infoBody(5),
        infoBody(13, Buffer.of(0)),
      ],
      listBody(3, '\\*'),
    ].map((body, at) => {
      const major = [MAJOR.create, MAJOR.read, MAJOR.write, MAJOR.queryInfo, MAJOR.setInfo, MAJOR.directory][at]!;
      return driveMessage(DRIVE.request, u32s(1, file, 5_000 + at, major, 1), body);
    }),
  ];
  for (const message of whole)
    for (let at = 0; at < message.length; at += 1) {
      try {
        say(message.subarray(0, at));
      } catch (error) {
        failures.push(error);
      }
    }
  await new Promise(setImmediate);
  expect(failures.length).toBeGreaterThan(100);
  expect(failures.filter((each) => !(each instanceof DesktopFailure))).toEqual([]);
  expect(folder.files.get('a.txt')?.toString()).toBe('hello');
});

test('a folder that gives or takes more than was asked is not believed', async () => {
  const { file } = await open('\\a.txt');
  vi.spyOn(folder, 'read').mockResolvedValue(Buffer.alloc(100));
  vi.spyOn(folder, 'write').mockResolvedValue(100);
  expect((await ask(MAJOR.read, file, readBody(5, 0n))).status).toBe(STATUS.failed);
  expect((await ask(MAJOR.write, file, writeBody(Buffer.from('x'), 0n))).status).toBe(STATUS.failed);
  expect(uses.map(({ error }) => error)).toEqual([
    'more was given than was asked for',
    'more was written than was given',
  ]);
});

test('a file is read and written when it is its turn, and others are opened meanwhile', async () => {
  const { file } = await open('a.txt');
  const gate = Promise.withResolvers<void>();
  turn = gate.promise;
  const reading = request(MAJOR.read, file, readBody(5, 0n));
  expect((await open('sub\\b.txt')).status).toBe(STATUS.ok);
  await new Promise(setImmediate);
  expect(uses).toEqual([]);
  gate.resolve();
  expect((await answerTo(reading)).body.subarray(4).toString()).toBe('hello');
  expect(uses).toMatchObject([{ what: 'read', path: 'a.txt' }]);
});

test('a folder that knows its room, other sizes and closed files is asked for them', async () => {
  const heard: unknown[] = [];
  Object.assign(folder, {
    room: () => ({ totalBytes: 8192 * 100, freeBytes: 8192 * 10 }),
    resize: async (path: string, size: number) => void heard.push([path, size]),
    settle: (path: string) => void heard.push(path),
  });
  const { file } = await open('a.txt', 5);
  expect((await ask(MAJOR.setInfo, file, infoBody(20, u64(3n)))).status).toBe(STATUS.ok);
  const { body } = await ask(MAJOR.queryVolume, file, infoBody(3));
  expect([body.readBigUInt64LE(4), body.readBigUInt64LE(12)]).toEqual([200n, 20n]);
  await ask(MAJOR.close, file, Buffer.alloc(32));
  expect(heard).toEqual([['a.txt', 0], ['a.txt', 3], 'a.txt']);
});
