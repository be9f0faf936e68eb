/** One connection of VNC and its pages: when whom the host is asked for what. The host is a stream that only notes what it is told. */
import { Duplex } from 'node:stream';
import { beforeEach, expect, test, vi } from 'vitest';
import { keyEvent, u16, VncScreen } from '../../../../../testing/desktop/vnc-screen.ts';
import { VncLink } from './vnc-link.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] });
  return () => vi.useRealTimers();
});

const SIZE = { width: 32, height: 16 };
const WHOLE = 'whole';
const MORE = 'more';

function connect() {
  const asked: string[] = [];
  const told: Buffer[] = [];
  const stream = new Duplex({
    read() {},
    write(chunk: Buffer, _, done) {
      told.push(chunk);
      if (chunk[0] === 3) asked.push(chunk[1] === 0 ? WHOLE : MORE);
      done();
    },
  });
  const terms = {
    ...{ user: '', domain: '', password: '', serverName: '', scale: 100, keyboard: 0, clipboard: true, drives: false },
    ...SIZE,
    checkCertificate: () => undefined,
  };
  const link = new VncLink(stream, terms, SIZE, Buffer.alloc(0));
  const say = (bytes: Buffer) => stream.emit('data', bytes);
  const look = () => {
    const shown: Buffer[] = [];
    let screen: VncScreen | undefined;
    const early: Buffer[] = [];
    const page = link.openPage((bytes) => {
      shown.push(Buffer.from(bytes));
      if (screen) screen.hear(bytes);
      else early.push(bytes);
    });
    screen = new VncScreen((bytes) => page.hear(bytes, 'driver', true));
    for (const bytes of early) screen.hear(bytes);
    return { page, screen, shown: () => Buffer.concat(shown) };
  };
  return { link, asked, told, say, look };
}

/** What a page says that answers the greeting, and then that it has drawn an update. */
const GREETED = Buffer.concat([Buffer.from('RFB 003.008\n'), Buffer.of(1, 1)]);
const DRAWN = Buffer.concat([Buffer.of(3, 1), u16(0, 0, SIZE.width, SIZE.height)]);

const raw = (colour: number, { width, height } = SIZE) =>
  Buffer.concat([Buffer.of(0, 0), u16(1, 0, 0, width, height, 0, 0), Buffer.alloc(width * height * 4, colour)]);

test('the host is told once how pictures are made, and asked for a whole one for each page that comes', () => {
  const { asked, told, say, look } = connect();
  expect(told.map(([type]) => type)).toEqual([0]);
  const first = look();
  expect(asked).toEqual([WHOLE]);
  say(raw(7));
  expect(asked).toEqual([WHOLE, MORE]);
  const second = look();
  expect(asked).toEqual([WHOLE, MORE, WHOLE]);
  say(raw(9));

  expect(second.screen.hash()).toBe(first.screen.hash());
  // Both have drawn it, and the host is asked once.
  expect(asked).toEqual([WHOLE, MORE, WHOLE, MORE]);
});

test('a page that comes in the middle of a message is shown the next one from its beginning', () => {
  const { say, look } = connect();
  look();
  const picture = raw(7);
  say(picture.subarray(0, 100));
  const { screen } = look();
  say(picture.subarray(100));
  expect(screen.updates).toBe(0);
  say(raw(9));

  expect([screen.updates, screen.at(0, 0)]).toEqual([1, [9, 9, 9]]);
});

test('one whose size changed while it was greeted is told the new one first', () => {
  const { say, look } = connect();
  look();
  const wider = Buffer.concat([Buffer.of(0, 0), u16(2, 0, 0, 40, 20, 0xffff, 0xff21), raw(7).subarray(4)]);
  say(wider.subarray(0, 6));
  const { screen } = look();
  expect(screen.size).toEqual(SIZE);
  say(wider.subarray(6));

  expect(screen.size).toEqual({ width: 40, height: 20 });
});

test('a recording can begin each minute in which something was drawn, just before a picture', () => {
  const { link, asked, say, look } = connect();
  const kept: string[] = [];
  link.onPicture((_, bytes) => bytes && kept.push(bytes.length > 100 ? 'picture' : 'part'));
  link.onBeginning(() => kept.push('beginning'));
  look();
  say(raw(7));
  const before = asked.length;
  vi.advanceTimersByTime(60_000);
  expect(asked.slice(before)).toEqual([WHOLE]);
  expect(kept).toEqual(['picture']);
  say(raw(7));
  expect(kept).toEqual(['picture', 'beginning', 'picture']);
  // Nothing has changed since.
  vi.advanceTimersByTime(120_000);
  expect(asked.slice(before)).toEqual([WHOLE, MORE]);
  link.close();
});

test('while no page is there the gateway asks, and for nobody it does not', () => {
  const { link, asked, say, look } = connect();
  const { page } = look();
  say(raw(7));
  page.close();
  say(raw(8));
  vi.advanceTimersByTime(50);
  expect(asked).toEqual([WHOLE, MORE, MORE]);
  link.suppressOutput(true);
  say(raw(9));
  expect(asked).toHaveLength(3);
  link.suppressOutput(false);
  expect(asked).toEqual([WHOLE, MORE, MORE, MORE]);
});

test('the host makes an update while a page draws the one before, and waits for a page that draws none', () => {
  const { link, asked, say } = connect();
  const page = link.openPage(() => {});
  page.hear(GREETED, 'driver', true);
  say(raw(7));
  expect(asked).toEqual([WHOLE, MORE]);
  say(raw(8));
  say(raw(9));
  expect(asked).toEqual([WHOLE, MORE]);

  // Three lie there: with the first drawn it is still too many.
  page.hear(DRAWN, 'driver', true);
  expect(asked).toEqual([WHOLE, MORE]);
  page.hear(DRAWN, 'driver', true);
  expect(asked).toEqual([WHOLE, MORE, MORE]);
  link.close();
});

test('of several pages the fastest is waited for', () => {
  const { link, asked, say, look } = connect();
  link.openPage(() => {}).hear(GREETED, 'peer', true);
  look();
  const before = asked.length;
  for (const colour of [7, 8, 9, 10]) say(raw(colour));
  expect(asked.slice(before)).toEqual([MORE, MORE, MORE, MORE]);
  link.close();
});

test('a page that types and asks for no picture is recorded all the same', () => {
  const { link, asked, told, say } = connect();
  const page = link.openPage(() => {});
  page.hear(GREETED, 'driver', true);
  for (const colour of [7, 8]) say(raw(colour));
  expect(asked).toEqual([WHOLE, MORE]);
  for (const symbol of [0x61, 0x62]) page.hear(keyEvent(symbol, true), 'driver', true);
  expect(told.filter(([type]) => type === 4)).toHaveLength(2);
  vi.advanceTimersByTime(1_000);
  expect(asked).toEqual([WHOLE, MORE, MORE]);
  link.close();
});
