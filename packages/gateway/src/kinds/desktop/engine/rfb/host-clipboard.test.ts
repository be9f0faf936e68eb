/** The clipboard of a host that has the newer form: who tells whom, what is asked for and how often, and what is not unpacked. */
import { deflateSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import type { ClipboardTransfer } from '../desktop-link.ts';
import { ACTION, extendedMessage, packText, TEXT, unpackText } from './extended-clipboard.ts';
import { HostClipboard } from './host-clipboard.ts';

const CAPS = ACTION.caps | ACTION.notify | ACTION.provide | ACTION.request | TEXT;
const ASKED = extendedMessage(6, ACTION.request | TEXT);
const NONE = Buffer.alloc(0);
const GREETING = 'Grüße, 日本\nand 🙂';

function clipboard(rights = { mayCopy: true }) {
  const told: Buffer[] = [];
  const shown: Buffer[] = [];
  const copied: ClipboardTransfer[] = [];
  const host = new HostClipboard({
    toHost: (bytes) => void told.push(bytes),
    toPages: (bytes) => void shown.push(bytes),
    mayCopy: () => rights.mayCopy,
    copied: (transfer) => void copied.push(transfer),
  });
  return { host, told, shown, copied, rights };
}

test('a text of the host is asked for when it has one, and passed on in any letters', () => {
  const { host, told, shown, copied } = clipboard();
  host.heard(CAPS, Buffer.alloc(4));
  host.heard(ACTION.provide | TEXT, packText('unasked'));
  expect(shown).toEqual([]);
  host.heard(ACTION.notify | TEXT, NONE);
  expect(told.at(-1)).toEqual(ASKED);
  host.heard(ACTION.provide | TEXT, packText(GREETING));

  expect(shown.map((message) => [message[0], unpackText(message.subarray(12))])).toEqual([[3, GREETING]]);
  expect(copied).toEqual([{ direction: 'receive', length: Buffer.byteLength(GREETING) }]);
});

test('a text of a page is told of, and given whenever the host asks', () => {
  const { host, told, rights } = clipboard();
  host.heard(CAPS, Buffer.alloc(4));
  host.copy(GREETING);
  expect(told.at(-1)).toEqual(extendedMessage(6, ACTION.notify | TEXT));
  for (const _ of [1, 2]) {
    host.heard(ACTION.request | TEXT, NONE);
    expect(unpackText(told.at(-1)?.subarray(12) ?? NONE)).toBe(GREETING);
  }
  rights.mayCopy = false;
  const before = told.length;
  host.heard(ACTION.request | TEXT, NONE);
  host.heard(ACTION.notify | TEXT, NONE);
  expect(told).toHaveLength(before);
});

test('a host that never said it knows the newer form gets the letters of western Europe', () => {
  const { host, told } = clipboard();
  host.copy('é日');
  expect(told).toEqual([Buffer.from([6, 0, 0, 0, 0, 0, 0, 2, 0xe9, 0x3f])]);
});

test('however often it has something new, it is asked four times a second', () => {
  vi.useFakeTimers();
  try {
    const { host, told } = clipboard();
    for (let times = 0; times < 50; times += 1) host.heard(ACTION.notify | TEXT, NONE);
    expect(told).toEqual([ASKED]);
    vi.advanceTimersByTime(260);
    expect(told).toEqual([ASKED, ASKED]);
    host.close();
  } finally {
    vi.useRealTimers();
  }
});

test('what unpacks to more than may be copied, or to no text, is refused and not unpacked further', () => {
  const { host, shown, copied } = clipboard();
  host.heard(ACTION.notify | TEXT, NONE);
  const bomb = deflateSync(Buffer.alloc(64 * 1024 * 1024));
  host.heard(ACTION.provide | TEXT, bomb);
  expect(copied).toEqual([{ direction: 'receive', length: bomb.length, refused: 'more than 1 MiB is not copied' }]);
  expect([unpackText(Buffer.from('no text')), unpackText(deflateSync(Buffer.from([0, 0, 0, 9, 65])))]).toEqual([
    undefined,
    undefined,
  ]);
  expect(shown).toEqual([]);
});
