import { expect, test } from 'vitest';
import { DesktopFailure } from '../desktop-link.ts';
import { BitmapFragments } from './fragments.ts';
import { remoteFxHeaders, remoteFxPrimer } from './remotefx.ts';
import { FRAGMENT, fastUpdates, RdpTracker, UPDATE } from './tracker.ts';

const WIDTH = 1_000;

function fast(code: number, fragment: number, data: Buffer): Buffer {
  const length = 6 + data.length;
  const head = Buffer.from([0, 0x80 | (length >> 8), length & 0xff, (fragment << 4) | code, 0, 0]);
  head.writeUInt16LE(data.length, 4);
  return Buffer.concat([head, data]);
}

/** One rectangle of 30×10 whose bitmap is as wide as `width` says. */
function bitmap(x: number, width: number, bytes = 40): Buffer {
  const data = Buffer.alloc(22 + bytes, 0xaa);
  for (const [at, value] of [1, 1, x, 5, x + 29, 14, width, 10, 16, 0, bytes].entries())
    data.writeUInt16LE(value, at * 2);
  return data;
}

const rectangle = (update: Buffer) => [4, 6, 8, 10].map((at) => update.readUInt16LE(at));

test('a padded bitmap gets a rectangle of its own width, inside of the desktop', () => {
  const fragments = new BitmapFragments();
  const at = (x: number, width: number) =>
    rectangle(fastUpdates(fragments.push(fast(UPDATE.bitmap, FRAGMENT.single, bitmap(x, width)), WIDTH)[0]!)[0]!.data);

  expect(at(100, 32)).toEqual([100, 5, 131, 14]);
  expect(at(100, 30)).toEqual([100, 5, 129, 14]);
  expect(at(970, 32)).toEqual([968, 5, 999, 14]);
});

test('one that comes in several messages is held, mended, and goes on in as many', () => {
  const fragments = new BitmapFragments();
  const whole = bitmap(100, 32, 300);
  const [a, b, c] = [whole.subarray(0, 7), whole.subarray(7, 100), whole.subarray(100)];

  expect(fragments.push(fast(UPDATE.bitmap, FRAGMENT.first, a), WIDTH)).toEqual([]);
  expect(fragments.push(fast(UPDATE.bitmap, FRAGMENT.next, b), WIDTH)).toEqual([]);
  const given = fragments.push(fast(UPDATE.bitmap, FRAGMENT.last, c), WIDTH);

  expect(given).toHaveLength(3);
  const joined = Buffer.concat(given.map((message) => fastUpdates(message)[0]!.data));
  expect(rectangle(joined)).toEqual([100, 5, 131, 14]);
  expect(joined.subarray(22)).toEqual(whole.subarray(22));
});

test('another update in the middle lets what is held go as it is', () => {
  const fragments = new BitmapFragments();
  const first = fast(UPDATE.bitmap, FRAGMENT.first, bitmap(100, 32));
  const other = fast(3, FRAGMENT.single, Buffer.alloc(0));

  fragments.push(first, WIDTH);
  expect(fragments.push(other, WIDTH)).toEqual([first, other]);
  const stray = fast(UPDATE.bitmap, FRAGMENT.last, Buffer.alloc(4));
  expect(fragments.push(stray, WIDTH)).toEqual([stray]);
});

test('an update that never ends is refused before it takes the memory', () => {
  const fragments = new BitmapFragments();
  const piece = Buffer.alloc(32_000);
  fragments.push(fast(UPDATE.bitmap, FRAGMENT.first, piece), WIDTH);

  expect(() => {
    for (let count = 0; count < 600; count += 1) fragments.push(fast(UPDATE.bitmap, FRAGMENT.next, piece), WIDTH);
  }).toThrow('larger than any screen');
});

test('a broken bitmap, cut or changed anywhere, fails in words or is drawn', () => {
  const sound = fast(UPDATE.bitmap, FRAGMENT.single, bitmap(100, 32));
  for (let at = 3; at < sound.length; at += 1)
    for (const value of [0, 0x7f, 0xff]) {
      const other = Buffer.from(sound);
      other[at] = value;
      try {
        new BitmapFragments().push(other, WIDTH);
      } catch (error) {
        expect(error).toBeInstanceOf(DesktopFailure);
      }
    }
});

test('compressed updates are refused', () => {
  expect(() => fastUpdates(Buffer.from([0, 0x80, 6, 0x81, 0, 0]))).toThrow('compressed');
});

test('headers of RemoteFX are kept for who begins later, and told with nothing drawn', () => {
  const block = (type: number, length: number) => {
    const bytes = Buffer.alloc(length, 1);
    bytes.writeUInt16LE(type, 0);
    bytes.writeUInt32LE(length, 2);
    return bytes;
  };
  const sync = Buffer.from([0xc0, 0xcc, 12, 0, 0, 0, 0xca, 0xac, 0xcc, 0xca, 0, 1]);
  const headers = Buffer.concat([sync, block(0xccc1, 10), block(0xccc2, 12), block(0xccc3, 13)]);
  const update = Buffer.concat([Buffer.alloc(22), headers, Buffer.alloc(50)]);
  const tracker = new RdpTracker();
  tracker.see(fast(UPDATE.surface, FRAGMENT.first, update));

  expect(tracker.headers).toEqual(headers);
  expect(tracker.isInFragment).toBe(true);
  const primer = remoteFxPrimer(headers);
  expect(remoteFxHeaders(fastUpdates(primer)[0]!.data)).toEqual(headers);
  for (let length = 22; length < 22 + headers.length; length += 1)
    expect(remoteFxHeaders(update.subarray(0, length))).toBeUndefined();
});

test('fragments without bytes are not held without end', () => {
  const fragments = new BitmapFragments();
  fragments.push(fast(UPDATE.bitmap, FRAGMENT.first, Buffer.alloc(4)), WIDTH);
  const empty = fast(UPDATE.bitmap, FRAGMENT.next, Buffer.alloc(0));
  const flood = () => {
    for (let left = 20_000; left > 0; left -= 1) fragments.push(empty, WIDTH);
  };

  expect(flood).toThrow('larger than any screen');
});
