import { expect, test } from 'vitest';
import { ByteGrammar } from '../../../../platform/std/byte-grammar.ts';
import { type ClipboardTransfer, DesktopFailure, type DesktopSize } from '../desktop-link.ts';
import { ACTION, extendedMessage, packText, TEXT } from './extended-clipboard.ts';
import { hostMessages } from './host-messages.ts';
import { VncPage } from './vnc-page.ts';
import { answerChallenge } from './vnc-password.ts';

const u16 = (...values: readonly number[]) => Buffer.concat(values.map((value) => Buffer.of(value >> 8, value & 0xff)));
const u32 = (value: number) => u16(value >>> 16, value & 0xffff);

function host({ mayCopy = true, size = { width: 100, height: 80 } } = {}) {
  const rights = { mayCopy };
  const passed: Buffer[] = [];
  const unkept: Buffer[] = [];
  const copied: ClipboardTransfer[] = [];
  const sizes: DesktopSize[] = [];
  const pointers: Buffer[] = [];
  /** Where somebody could begin to read, by how much has passed then. */
  const between: number[] = [];
  const sum = () => Buffer.concat(passed).length;
  const grammar: ByteGrammar = new ByteGrammar(
    hostMessages({
      between: () => {
        if (passed.length > 0 || between.length > 0) grammar.settle();
        between.push(sum());
      },
      begins: () => {},
      updated: () => {},
      pointer: (rectangle) => void pointers.push(rectangle),
      putUnkept: (bytes) => {
        grammar.settle();
        unkept.push(bytes);
      },
      size: () => size,
      sized: (each) => void sizes.push(each),
      mayCopy: () => rights.mayCopy,
      isHeard: () => true,
      copied: (transfer) => void copied.push(transfer),
      extended: () => {},
    }),
    (bytes) => passed.push(Buffer.from(bytes)),
  );
  return {
    push: (bytes: Buffer) => grammar.push(bytes),
    all: () => Buffer.concat(passed),
    unkept,
    copied,
    sizes,
    pointers,
    between,
    rights,
  };
}

const rectangle = (encoding: number, width: number, height: number, body: Buffer, x = 0, y = 0) =>
  Buffer.concat([u16(x, y, width, height), u32(encoding >>> 0), body]);
const update = (...rectangles: readonly Buffer[]) =>
  Buffer.concat([Buffer.of(0, 0), u16(rectangles.length), ...rectangles]);
const cutText = (text: Buffer) => Buffer.concat([Buffer.of(3, 0, 0, 0), u32(text.length), text]);

const RAW = rectangle(0, 10, 5, Buffer.alloc(200, 7));
const COPY = rectangle(1, 10, 5, u16(3, 4));
const RRE = rectangle(2, 10, 5, Buffer.concat([u32(2), Buffer.alloc(4 + 24)]));
const HEXTILE = rectangle(
  5,
  20,
  5,
  // One tile with a background and two coloured parts, one without anything compressed.
  Buffer.concat([
    Buffer.of(2 | 8 | 16),
    Buffer.alloc(4),
    Buffer.of(2),
    Buffer.alloc(12),
    Buffer.of(1),
    Buffer.alloc(4 * 5 * 4),
  ]),
);
const CURSOR = rectangle(-239, 9, 3, Buffer.alloc(9 * 3 * 4 + 2 * 3));
const SCREENS = rectangle(-308, 200, 150, Buffer.concat([Buffer.of(2, 0, 0, 0), Buffer.alloc(32)]));
const PICTURES = Buffer.concat([update(RAW, COPY, RRE, HEXTILE, CURSOR), Buffer.of(2), update(SCREENS)]);

test('pictures pass as they are, wherever the pieces of the stream end', () => {
  const whole = host();
  whole.push(PICTURES);
  const bytewise = host();
  for (const byte of PICTURES) bytewise.push(Buffer.of(byte));

  expect(whole.all()).toEqual(PICTURES);
  expect(bytewise.all()).toEqual(PICTURES);
  expect(whole.sizes).toEqual([{ width: 200, height: 150 }]);
  for (const each of [whole, bytewise]) expect(each.pointers).toEqual([CURSOR]);
});

test('whoever begins between two messages reads whole messages from there on', () => {
  const { push, between } = host();
  const [first, second] = [update(RAW, COPY), update(HEXTILE)];
  push(Buffer.concat([first, Buffer.of(2), second]));

  expect(between).toEqual([0, first.length, first.length + 1, first.length + 1 + second.length]);
});

test('a table of colours, at which the client of a page would stop, goes nowhere', () => {
  const { push, all } = host();
  push(Buffer.concat([Buffer.of(1, 0), u16(0, 2), Buffer.alloc(12), update(COPY)]));

  expect(all()).toEqual(update(COPY));
});

test('a text of the clipboard passes by right, and no recording keeps it', () => {
  const { push, all, unkept, copied } = host();
  const text = cutText(Buffer.from('copied'));
  push(Buffer.concat([update(COPY), text, update(RAW)]));

  expect(all()).toEqual(Buffer.concat([update(COPY), update(RAW)]));
  expect(unkept).toEqual([text]);
  expect(copied).toEqual([{ direction: 'receive', length: 6 }]);
});

test('without the right, or longer than may be, it is passed over and told', () => {
  const refused = host({ mayCopy: false });
  refused.push(Buffer.concat([cutText(Buffer.from('copied')), update(COPY)]));
  const long = host();
  long.push(Buffer.concat([cutText(Buffer.alloc(1024 * 1024 + 1)), update(COPY)]));

  for (const { all, unkept } of [refused, long]) expect([all(), unkept]).toEqual([update(COPY), []]);
  expect(refused.copied).toEqual([{ direction: 'receive', length: 6, refused: 'the clipboard is not allowed here' }]);
  expect(long.copied[0]).toMatchObject({ refused: 'more than 1 MiB is not copied' });
});

test.each([
  ['outside of the desktop', update(rectangle(0, 10, 10, Buffer.alloc(0), 95, 0))],
  ['that nobody asked for', update(rectangle(16, 10, 10, Buffer.alloc(0)))],
  ['more parts than points', update(rectangle(2, 10, 10, u32(101)))],
  ['nobody asked for', Buffer.of(150)],
  ['0×5 points', update(rectangle(-223, 0, 5, Buffer.alloc(0)))],
  ['65535×5 points', update(rectangle(-223, 65_535, 5, Buffer.alloc(0)))],
])('a host that says what is %s is refused', (words, bytes) => {
  expect(() => host().push(bytes)).toThrow(words);
});

test('a picture of any size is passed on piece by piece, and none of it is held', () => {
  const { push, all } = host({ size: { width: 16_384, height: 16_384 } });
  push(update(rectangle(0, 16_384, 16_384, Buffer.alloc(0))));
  const before = all().length;
  push(Buffer.alloc(10_000));

  expect(all().length).toBe(before + 10_000);
});

const VERSION = Buffer.from('RFB 003.008\n');
const GREETING = Buffer.concat([VERSION, Buffer.of(1, 1)]);

function page() {
  const heard: Buffer[] = [];
  const told: Buffer[] = [];
  const copied: ClipboardTransfer[] = [];
  const pointers: number[][] = [];
  const said: string[] = [];
  const texts: string[] = [];
  const rights = { mayCopy: true, mayPass: true };
  const opened: VncPage = new VncPage({
    show: (bytes) => void told.push(bytes),
    serverInit: () => Buffer.from('init'),
    toHost: (bytes) => void heard.push(Buffer.from(bytes)),
    greeted: () => void said.push('greeted'),
    asked: () => void said.push('asked'),
    closed: () => void said.push('closed'),
    mayPass: () => rights.mayPass,
    mayCopy: () => rights.mayCopy,
    copied: (transfer) => void copied.push(transfer),
    copy: (text) => void texts.push(text),
    pointed: (...where) => void pointers.push(where),
  });
  const push = (bytes: Buffer, mayType = true, from: 'driver' | 'peer' = 'driver') => opened.hear(bytes, from, mayType);
  return { push, close: () => opened.close(), heard, told, copied, pointers, said, texts, rights };
}

test('a page hears RFB 3.8 without a sign-in, and its handshake goes nowhere', () => {
  const { push, heard, told, said } = page();
  for (const byte of GREETING) push(Buffer.of(byte));

  expect(told).toEqual([VERSION, Buffer.of(1, 1), Buffer.alloc(4), Buffer.from('init')]);
  expect(heard).toEqual([]);
  expect(said).toEqual(['greeted']);
});

const key = (symbol: number, isDown: boolean) => Buffer.concat([Buffer.of(4, isDown ? 1 : 0, 0, 0), u32(symbol)]);
const KEY = key(0x61, true);
const POINTER = Buffer.concat([Buffer.of(5, 1 | 4), u16(30, 40)]);

test('keys and pointer pass while one may type; what pictures are made of is not for a page to say', () => {
  const { push, heard, pointers, said } = page();
  const encodings = Buffer.concat([Buffer.of(2, 0), u16(3), u32(16), u32(5), u32(-239 >>> 0)]);
  const request = Buffer.concat([Buffer.of(3, 1), u16(0, 0, 10, 10)]);
  push(Buffer.concat([GREETING, Buffer.alloc(20), encodings, request, KEY, POINTER]));

  expect(heard).toEqual([KEY, POINTER]);
  expect(pointers).toEqual([[30, 40, 3]]);
  expect(said).toEqual(['greeted', 'asked']);
  const looker = page();
  looker.push(Buffer.concat([GREETING, KEY, POINTER]), false);
  expect(looker.heard).toEqual([]);
});

test('what a page holds pressed is let go of when it may no longer type, and when it leaves', () => {
  const { push, close, heard, said } = page();
  push(Buffer.concat([GREETING, KEY, key(0x62, true), POINTER]));
  const before = heard.length;
  push(key(0x61, false), false);
  // Another's, or one that was never pressed.
  push(key(0x63, false), false);
  close();

  const released = Buffer.concat([Buffer.of(5, 0), u16(30, 40)]);
  expect(heard.slice(before)).toEqual([key(0x61, false), key(0x62, false), released]);
  expect(said.at(-1)).toBe('closed');
  push(KEY);
  expect(heard).toHaveLength(before + 3);
});

test('a text whose end comes after the right to copy was taken does not pass, in either direction', () => {
  const said = cutText(Buffer.from('copied'));
  const from = host();
  from.push(said.subarray(0, 10));
  from.rights.mayCopy = false;
  from.push(Buffer.concat([said.subarray(10), update(COPY)]));
  expect([from.all(), from.unkept]).toEqual([update(COPY), []]);
  expect(from.copied).toEqual([{ direction: 'receive', length: 6, refused: 'the clipboard is not allowed here' }]);

  const text = Buffer.concat([Buffer.of(6, 0, 0, 0), u32(4), Buffer.from('text')]);
  const [taken, frozen] = [page(), page()];
  for (const each of [taken, frozen]) each.push(Buffer.concat([GREETING, text.subarray(0, 9)]));
  taken.rights.mayCopy = false;
  taken.push(text.subarray(9));
  frozen.push(text.subarray(9), false);
  for (const { texts, copied } of [taken, frozen])
    expect([texts, copied]).toEqual([
      [],
      [{ direction: 'send', length: 4, refused: 'the clipboard is not allowed here' }],
    ]);
});

test("a text of the page passes by right, and only of the owner's page", () => {
  const text = Buffer.concat([Buffer.of(6, 0, 0, 0), u32(4), Buffer.from('text')]);
  const [allowed, refused, colleague] = [page(), page(), page()];
  refused.rights.mayCopy = false;
  for (const each of [allowed, refused]) each.push(Buffer.concat([GREETING, text, KEY]));
  const packed = extendedMessage(6, ACTION.provide | TEXT, packText('日本'));
  const long = extendedMessage(6, ACTION.provide | TEXT, packText('a'.repeat(1024 * 1024 + 1)));
  allowed.push(Buffer.concat([packed, long]));
  colleague.push(Buffer.concat([GREETING, text, KEY]), true, 'peer');

  expect([allowed.texts, allowed.heard]).toEqual([['text', '日本'], [KEY]]);
  expect(allowed.copied.map(({ length, refused: why }) => why ?? length)).toEqual([
    4,
    6,
    'more than 1 MiB is not copied',
  ]);
  expect(refused.heard).toEqual([KEY]);
  expect(refused.copied).toEqual([{ direction: 'send', length: 4, refused: 'the clipboard is not allowed here' }]);
  expect([colleague.heard, colleague.copied]).toEqual([[KEY], []]);
});

test('no broken message of either side does more than fail in words', () => {
  const survives = (run: () => void) => {
    try {
      run();
    } catch (error) {
      expect(error).toBeInstanceOf(DesktopFailure);
    }
  };
  const sound = Buffer.concat([GREETING, KEY, POINTER]);
  for (let at = 0; at < PICTURES.length; at += 1)
    for (const value of [0, 0x7f, 0xff]) {
      const [theirs, ours] = [Buffer.from(PICTURES), Buffer.from(sound)];
      theirs[at] = value;
      survives(() => host().push(theirs));
      if (at >= sound.length) continue;
      ours[at] = value;
      survives(() => page().push(ours));
    }
});

test('a challenge is answered by DES with the bits of the password from the other end', () => {
  // DES of a block of zeros under the key 0101010101010101, which is 80 in every byte from the other end.
  const password = Buffer.alloc(8, 0x80).toString('latin1');

  expect(answerChallenge(Buffer.alloc(16), password).toString('hex')).toBe('8ca64de9c1b123a7'.repeat(2));
});
