import { inflateSync } from 'node:zlib';
import { beforeEach, expect, test } from 'vitest';
import { symbolOf, symbolOfKey } from './key-symbols.ts';
import { RfbChannel } from './rfb-channel.ts';
import { RfbInput } from './rfb-input.ts';

let sent: number[][] = [];
beforeEach(() => {
  sent = [];
});
const input = () => new RfbInput((message) => sent.push([...message]));
const key = (symbol: number, isDown: boolean) => [
  4,
  isDown ? 1 : 0,
  0,
  0,
  0,
  symbol >> 16,
  (symbol >> 8) & 255,
  symbol & 255,
];
const pointer = (mask: number, x: number, y: number) => [5, mask, x >> 8, x & 255, y >> 8, y & 255];

test('a key goes as what it writes here, and comes up as what went down', () => {
  const keys = input();
  // Where an American keyboard has its Y.
  keys.act({ is: 'key', scancode: 0x15, isDown: true, written: 'Z' });
  keys.act({ is: 'key', scancode: 0x15, isDown: false });
  keys.act({ is: 'key', scancode: 0x15, isDown: false });

  expect(sent).toEqual([key(0x5a, true), key(0x5a, false)]);
});

test('a key that repeats as another leaves none pressed', () => {
  const keys = input();
  keys.act({ is: 'key', scancode: 0x1e, isDown: true, written: 'a' });
  keys.act({ is: 'key', scancode: 0x1e, isDown: true, written: 'A' });
  keys.releaseAll();

  expect(sent).toEqual([key(0x61, true), key(0x61, false), key(0x41, true), key(0x41, false)]);
});

test('combinations of the menu have no letter, and go as an American keyboard has them', () => {
  expect([0x1d, 0x38, 0xe053, 0x2f, 0x3b, 0xe038].map((each) => symbolOfKey(each, undefined))).toEqual([
    ...[0xffe3, 0xffe9, 0xffff, 0x76, 0xffbe, 0xfe03],
  ]);
  expect(symbolOfKey(0x0f, 'Tab')).toBe(0xff09);
  expect([symbolOfKey(0x4b, '4'), symbolOfKey(0x4b, 'ArrowLeft')]).toEqual([0xffb4, 0xff96]);
  expect(symbolOfKey(0xe020, 'AudioVolumeMute')).toBeUndefined();
});

test('letters of western Europe are themselves, all others are marked', () => {
  expect([...'aé€日'].map(symbolOf)).toEqual([0x61, 0xe9, 0x10020ac, 0x10065e5]);
});

test('buttons are held while the pointer moves, and a wheel is pressed once a notch', () => {
  const mouse = input();
  mouse.act({ is: 'move', x: 300, y: 40 });
  mouse.act({ is: 'button', button: 2, isDown: true });
  mouse.act({ is: 'move', x: 301, y: 40 });
  mouse.act({ is: 'button', button: 2, isDown: false });
  expect(sent).toEqual([pointer(0, 300, 40), pointer(4, 300, 40), pointer(4, 301, 40), pointer(0, 301, 40)]);

  sent = [];
  mouse.act({ is: 'wheel', isVertical: true, amount: -60 });
  expect(sent).toEqual([]);
  mouse.act({ is: 'wheel', isVertical: true, amount: -60 });
  mouse.act({ is: 'wheel', isVertical: false, amount: 120 });
  expect(sent.map(([, mask]) => mask)).toEqual([16, 0, 64, 0]);
});

test.each(['é\n日 🙂', '', 'long 日'.repeat(30_000)])('a text is copied in any letters', (text) => {
  input().copy(text);

  const message = Buffer.from(sent[0] ?? []);
  expect([message[0], -message.readInt32BE(4), message.readUInt32BE(8)]).toEqual([6, message.length - 8, 0x10000001]);
  const bytes = inflateSync(message.subarray(12));
  expect(bytes.readUInt32BE(0)).toBe(bytes.length - 4);
  expect(bytes.toString('utf8', 4)).toBe(`${text.replaceAll('\n', '\r\n')}\0`);
});

test('the channel of the client passes bytes both ways until it is closed, and tells that later', async () => {
  const said: number[][] = [];
  const heard: number[][] = [];
  const channel = new RfbChannel({ onSend: (bytes) => said.push([...bytes]) });
  let closed = 0;
  channel.onmessage = ({ data }) => heard.push([...data]);
  channel.onclose = () => closed++;
  const queue = Uint8Array.of(1, 2);
  channel.send(queue);
  channel.push(Uint8Array.of(3));
  channel.close();
  expect(closed).toBe(0);
  await Promise.resolve();
  channel.close();
  channel.send(queue);
  channel.push(queue);

  expect({ said, heard, closed }).toEqual({ said: [[1, 2]], heard: [[3]], closed: 1 });
});
