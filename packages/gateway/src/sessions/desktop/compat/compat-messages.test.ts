import { expect, test } from 'vitest';
import {
  CompatMessageError,
  CompatMessages,
  encodeButton,
  encodeChallenge,
  encodeClipboard,
  encodeMove,
  encodeNotification,
  encodeScreen,
  encodeTile,
} from './compat-messages.ts';

const hex = (bytes: Buffer) => bytes.toString('hex');

test('what is sent is laid out as clients read it', () => {
  expect(hex(encodeScreen({ width: 800, height: 600 }))).toBe('010000032000000258');
  expect(hex(encodeTile({ left: 64, top: 128, width: 64, height: 32, png: Buffer.from('png') }))).toBe(
    '1b000000030000004000000080000000800000' + '00a0706e67',
  );
  expect(hex(encodeMove(5, 70_000))).toBe('030000000500011170');
  expect(hex(encodeButton(2, true))).toBe('040201');
  expect(hex(encodeClipboard('ä'))).toBe('0600000002c3a4');
  expect(hex(encodeChallenge({}))).toBe('0a6e000000027b7d');
  expect(hex(encodeNotification('no', 'error'))).toBe('1c000000026e6f02');
});

/** A directory is announced; then an answer of each kind. */
const FILE = '00000000000003e8' + '0000000000000005' + '00000000' + '00' + '00000003612f62';
const FILES = [
  '0b000000000000000200000003646f63',
  `0e0000000100000000${FILE}`,
  `100000000200000000${FILE}`,
  '120000000300000001',
  '140000000400000000000000056279746573',
  '16000000050000000000000005',
  '180000000600000001',
  `1a000000070000000000000003${FILE}${FILE}${FILE}`,
  '1a000000080000000200000000',
].map((text) => Buffer.from(text, 'hex'));

const SAID = Buffer.concat([
  Buffer.from('010000032000000258', 'hex'),
  Buffer.from('07000000016e', 'hex'),
  encodeMove(10, 20),
  encodeButton(1, false),
  Buffer.from('050000e04b01', 'hex'),
  Buffer.from('0800ff88', 'hex'),
  Buffer.from('08010078', 'hex'),
  encodeClipboard('größe'),
  encodeChallenge({ a: 1 }),
  ...FILES,
]);
const HEARD = [
  { type: 'move', x: 10, y: 20 },
  { type: 'button', button: 1, isDown: false },
  { type: 'key', scanCode: 0xe04b, isDown: true },
  { type: 'wheel', isVertical: true, delta: -120 },
  { type: 'wheel', isVertical: false, delta: 120 },
  { type: 'clipboard', text: 'größe' },
  { type: 'factor', answer: Buffer.from('{"a":1}') },
  ...FILES.map((bytes) => ({ type: 'files', bytes })),
];

test.each([1, 2, 3, 7, 1_000])('messages are the same in parts of %i bytes', (size) => {
  const messages = new CompatMessages();
  const heard = [];
  for (let at = 0; at < SAID.length; at += size) heard.push(...messages.push(SAID.subarray(at, at + size)));
  expect(heard).toEqual(HEARD);
});

test('what is no message, or too long, is refused before it is kept', () => {
  const push = (text: string) => [...new CompatMessages().push(Buffer.from(text, 'hex'))];
  expect(() => push('00')).toThrow(CompatMessageError);
  expect(() => push('1b00000001')).toThrow('message 27 is not known here');
  expect(() => push('040301')).toThrow('no mouse has a button 3');
  expect(() => push('0600100001')).toThrow('longer than 1048576 bytes');
  expect(push('0600100000')).toEqual([]);
  expect(() => push('1a000000010000000000002711')).toThrow('more than 10000 files are listed at once');
  expect(() => push(`1a000000010000000000000002${'00'.repeat(21)}00200000`)).toThrow('a list of files is longer');
  expect(push('1a000000010000000000002710')).toEqual([]);
});

test('a long message that comes byte by byte is put together once', () => {
  const messages = new CompatMessages();
  const said = encodeClipboard('x'.repeat(200_000));
  const before = process.threadCpuUsage();
  let heard = 0;
  for (const byte of said)
    for (const each of messages.push(Buffer.from([byte]))) heard += each.type === 'clipboard' ? 1 : 0;
  expect(heard).toBe(1);
  // Put together at each byte it would be 20 GB.
  expect(process.threadCpuUsage(before).user / 1_000).toBeLessThan(2_000);
});

test('a long list of files that comes in crumbs is gone through a few times', () => {
  const messages = new CompatMessages();
  const head = Buffer.alloc(25);
  head.writeUInt32BE(40, 21);
  const count = 10_000;
  const said = Buffer.concat([
    Buffer.from(`1a0000000100000000${count.toString(16).padStart(8, '0')}`, 'hex'),
    ...Array.from({ length: count }, () => Buffer.concat([head, Buffer.alloc(40, 'x')])),
  ]);
  const before = process.threadCpuUsage();
  const heard = [];
  for (let at = 0; at < said.length; at += 65) heard.push(...messages.push(said.subarray(at, at + 65)));
  expect(heard).toEqual([{ type: 'files', bytes: said }]);
  // For each file anew it would be fifty million steps, and as many copies of what came so far.
  expect(process.threadCpuUsage(before).user / 1_000).toBeLessThan(2_000);
});
