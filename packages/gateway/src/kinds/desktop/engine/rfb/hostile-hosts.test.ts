/** Hosts of VNC that lie, break off or never end: each fails in words, and holds nothing. */
import { randomBytes } from 'node:crypto';
import { Duplex } from 'node:stream';
import { deflateSync } from 'node:zlib';
import { vncCutText, vncInit, vncUpdate } from '@gatehouse/testkit/desktop/vnc-host';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ByteGrammar, type Grammar } from '../../../../platform/std/byte-grammar.ts';
import { type DesktopEnd, DesktopFailure } from '../desktop-link.ts';
import { ACTION, extendedMessage, packText, TEXT } from './extended-clipboard.ts';
import { openVnc } from './open-vnc.ts';

const OPENING = [Buffer.from('RFB 003.008\n'), Buffer.of(1, 2), Buffer.alloc(16, 7), Buffer.alloc(4)] as const;
const PICTURES = [
  vncUpdate({ encoding: 0, width: 8, height: 4, body: Buffer.alloc(128, 9) }),
  vncUpdate({ encoding: 2, width: 8, height: 4, body: Buffer.concat([Buffer.of(0, 0, 0, 1), Buffer.alloc(16)]) }),
  vncUpdate({ encoding: 5, width: 8, height: 4, body: Buffer.of(2 | 8, 1, 2, 3, 4, 1, 0, 0) }),
  vncUpdate({ encoding: -239, width: 2, height: 2, body: Buffer.alloc(18) }),
  vncUpdate({ encoding: -308, width: 16, height: 8, body: Buffer.from([1, 0, 0, 0, ...Buffer.alloc(16)]) }),
  vncCutText(Buffer.from('copied')),
  Buffer.of(2),
] as const;
const SCRIPT = Buffer.concat([...OPENING, vncInit(16, 8), ...PICTURES]);

const TERMS = {
  ...{ user: '', domain: '', password: 'secret', serverName: '', width: 16, height: 8, scale: 100, keyboard: 0 },
  ...{ clipboard: true, drives: false, mayBePlain: false, mustBeSecure: false, checkCertificate: () => undefined },
};

/** Says all of it, whatever it hears, and goes. Why it was not opened, or how it ended. */
async function said(script: Buffer): Promise<string> {
  const stream = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  stream.push(script);
  stream.push(null);
  try {
    const link = await openVnc(stream, TERMS, AbortSignal.timeout(20_000));
    return await new Promise<string>((resolve) => link.onEnd(({ message }: DesktopEnd) => resolve(message)));
  } catch (error) {
    expect(error).toBeInstanceOf(DesktopFailure);
    return (error as Error).message;
  }
}

test('cut off at any byte, a host is one that closed the connection', async () => {
  for (let at = 0; at <= SCRIPT.length; at += 1)
    expect([at, await said(SCRIPT.subarray(0, at))]).toEqual([at, 'the host closed the connection']);
});

test('with any byte changed, it is refused or ends in words', async () => {
  for (let at = 0; at < SCRIPT.length; at += 1) {
    const changed = Buffer.from(SCRIPT);
    changed[at] = SCRIPT[at] === 0xff ? 0 : 0xff;
    expect(await said(changed)).toMatch(/\bhost\b|VNC|desktop/);
  }
});

const after = (...messages: readonly Buffer[]) => Buffer.concat([...OPENING, vncInit(16, 8), ...messages]);
const opening = (init: Buffer) => Buffer.concat([...OPENING, init]);
const screens = (width: number, height: number) =>
  vncUpdate({ encoding: -308, width, height, body: Buffer.from([0, 0, 0, 0]) });

test.each([
  ['a name of four gigabytes', opening(vncInit(16, 8, 'x', 0xffffffff)), 'a name that is no name'],
  ['no size', opening(vncInit(0, 8)), '0×8 points'],
  ['a desktop of four billion points', opening(vncInit(65_535, 65_535)), '65535×65535 points'],
  ['one that no page could hold', opening(vncInit(16_384, 16_384)), '16384×16384 points'],
  ['the same later', after(screens(16_000, 16_000)), '16000×16000 points'],
  ['a rectangle that begins outside', after(vncUpdate({ encoding: 0, x: 16, width: 1, height: 1 })), 'lies outside'],
  ['one that ends outside', after(vncUpdate({ encoding: 5, y: 4, width: 1, height: 5 })), 'lies outside'],
  ['an unknown encoding', after(vncUpdate({ encoding: 7, width: 1, height: 1 })), 'an encoding that nobody asked for'],
  [
    'more parts than points',
    after(vncUpdate({ encoding: 2, width: 2, height: 2, body: Buffer.from('ffffffff', 'hex') })),
    'more parts than points',
  ],
  ['another message', after(Buffer.of(77)), 'what nobody asked for'],
])('%s is told as that', async (_what, script, words) => {
  expect(await said(script)).toContain(words);
});

test('a text of four gigabytes is neither held nor passed on, and what came before it was drawn', async () => {
  const drawn: Buffer[] = [];
  const stream = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  stream.push(after(PICTURES[0], vncCutText(Buffer.alloc(1024), 0x7fffffff)));
  const link = await openVnc(stream, TERMS, AbortSignal.timeout(20_000));
  link.onPicture((bytes) => drawn.push(Buffer.from(bytes)));
  const piece = Buffer.alloc(1024 * 1024);
  const before = process.memoryUsage().arrayBuffers;
  for (let left = 100; left > 0; left -= 1) stream.emit('data', piece);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20 * piece.length);
  expect(Buffer.concat(drawn).length).toBeLessThanOrEqual(PICTURES[0].length);
  link.close();
});

test('a long message that comes byte by byte is copied a few times and not with each byte', () => {
  const LENGTH = 64 * 1024;
  let got = 0;
  function* grammar(): Grammar {
    for (;;) got += (yield { hold: LENGTH }).length;
  }
  const reader = new ByteGrammar(grammar(), () => {});
  const copy = Buffer.prototype.copy;
  let copied = 0;
  Buffer.prototype.copy = function counted(this: Buffer, ...args: Parameters<typeof copy>) {
    const count = copy.apply(this, args);
    copied += count;
    return count;
  } as typeof copy;
  try {
    for (let at = 0; at < LENGTH; at += 1) reader.push(Buffer.of(at & 0xff));
  } finally {
    Buffer.prototype.copy = copy;
  }
  expect(got).toBe(LENGTH);
  expect(copied).toBeLessThan(4 * LENGTH);
});

/** A host that is let in, and what it was told since. No time passes: how often something is let through grows with how long this machine takes. */
async function letIn() {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const told: Buffer[] = [];
  const stream = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      told.push(chunk);
      done();
    },
  });
  stream.push(after());
  const link = await openVnc(stream, TERMS, AbortSignal.timeout(20_000));
  const ends: string[] = [];
  link.onEnd(({ message }: DesktopEnd) => ends.push(message));
  return { link, told, ends, say: (bytes: Buffer) => void stream.emit('data', bytes) };
}

const extended = (flags: number, data?: Buffer) => extendedMessage(3, flags, data);

test('a text of a million zeros that ends otherwise holds nobody up', async () => {
  const { link, say } = await letIn();
  const shown: Buffer[] = [];
  link.onPicture((bytes, kept) => void (kept ?? shown.push(bytes)));
  const text = Buffer.concat([Buffer.alloc(1024 * 1024 - 64), Buffer.from('x')]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length);
  const before = process.threadCpuUsage();
  say(extended(ACTION.notify | TEXT));
  say(extended(ACTION.provide | TEXT, deflateSync(Buffer.concat([length, text]))));
  expect(shown).toHaveLength(1);
  expect(process.threadCpuUsage(before).user / 1_000).toBeLessThan(2_000);
  link.close();
});

test('a large text is given as often as hands paste, however often it is asked for', async () => {
  const { link, told, say } = await letIn();
  say(extended(ACTION.caps | TEXT, Buffer.alloc(4)));
  const page = link.openPage(() => {});
  page.hear(Buffer.concat([Buffer.from('RFB 003.008\n'), Buffer.of(1), Buffer.of(1)]), 'driver', true);
  page.hear(extendedMessage(6, ACTION.provide | TEXT, packText(randomBytes(300_000).toString('hex'))), 'driver', true);
  told.length = 0;
  say(Buffer.concat(Array.from({ length: 5_000 }, () => extended(ACTION.request | TEXT))));
  const given = told.filter(({ length }) => length > 100_000);
  expect(given.length).toBeGreaterThan(0);
  expect(given.length).toBeLessThan(20);
  link.close();
});

test('one that answers without end with nothing is asked no faster than anybody looks', async () => {
  const { link, told, say } = await letIn();
  say(Buffer.alloc(4 * 50_000));
  expect(told.filter(([type]) => type === 3).length).toBeLessThan(3);
  link.close();
});

test('one that changes its size without end is ended, and nothing of the rest is read', async () => {
  const { link, ends, say } = await letIn();
  const sizes: number[] = [];
  link.onSize(({ width }) => sizes.push(width));
  const part = (width: number) => ({ encoding: -223, width, height: 8 });
  say(vncUpdate(...Array.from({ length: 5_000 }, (_, at) => part(16 + (at % 2)))));
  expect(ends).toEqual(['the host sent what is no VNC: the desktop changes its size without end']);
  expect(sizes.length).toBeLessThan(50);
});

test('a pointer larger than any screen is refused: pages would hold all of it', async () => {
  const { ends, say } = await letIn();
  say(vncUpdate({ encoding: -239, width: 40_000, height: 40_000 }));
  expect(ends).toEqual(['the host sent what is no VNC: its pointer has 40000×40000 points']);
});

test.each([true, false])(
  'texts that come without end are passed over without a word (allowed: %s)',
  async (allowed) => {
    const { link, say } = await letIn();
    link.allowClipboard(allowed);
    let passed = 0;
    link.onClipboard(() => {
      passed += 1;
    });
    say(Buffer.concat(Array.from({ length: 8_000 }, () => vncCutText(Buffer.alloc(0)))));
    expect(passed).toBeGreaterThan(0);
    expect(passed).toBeLessThan(40);
    link.close();
  },
);

test('one that takes the connection and says nothing is given up, with what to look at', async () => {
  const stream = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  const opened = openVnc(stream, TERMS, AbortSignal.timeout(50));
  await expect(opened).rejects.toMatchObject({
    message: 'the host does not answer in time',
    next: expect.stringContaining('says nothing'),
  });
  expect(stream.destroyed).toBe(true);
});
