import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { startXvnc, type TestXvnc } from '@gatehouse/testkit/desktop/xvnc';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { ClipboardTransfer, DesktopLink } from '../desktop-link.ts';
import { ENCODING } from './encodings.ts';
import { openVnc, type VncTerms } from './open-vnc.ts';

const BLUE = [0x2e, 0x5b, 0x88];
let plain: TestXvnc;
let secure: TestXvnc;
let unlocked: TestXvnc;
const links: DesktopLink[] = [];

beforeAll(async () => {
  [plain, secure, unlocked] = await Promise.all([startXvnc(), startXvnc('X509Vnc'), startXvnc('None')]);
}, 120_000);

afterEach(() => {
  for (const link of links.splice(0)) link.close();
});

afterAll(async () => {
  await Promise.all([plain, secure, unlocked].map((each) => each?.stop()));
});

async function open(host: TestXvnc, more: Partial<VncTerms> = {}): Promise<DesktopLink> {
  const socket = connect(host.port, '127.0.0.1');
  await once(socket, 'connect');
  const terms: VncTerms = {
    ...{ user: 'ann', domain: '', password: host.password, serverName: 'desk.test', width: 1024, height: 768 },
    ...{ scale: 100, keyboard: 0, clipboard: true, drives: false, mayBePlain: false, checkCertificate: () => {} },
    ...more,
  };
  const link = await openVnc(socket, terms, AbortSignal.timeout(30_000));
  links.push(link);
  return link;
}

const u16 = (...values: readonly number[]) => Buffer.concat(values.map((value) => Buffer.of(value >> 8, value & 0xff)));
const i32 = (...values: readonly number[]) =>
  Buffer.concat(values.map((value) => u16((value >>> 16) & 0xffff, value & 0xffff)));
const askFor = (isNew: boolean, width = 1024, height = 768) =>
  Buffer.concat([Buffer.of(3, isNew ? 0 : 1), u16(0, 0, width, height)]);
const named = (...encodings: readonly number[]) =>
  Buffer.concat([Buffer.of(2, 0), u16(encodings.length), i32(...encodings)]);

/** Says what the client of a page says, and holds what it hears. */
function view(
  link: DesktopLink,
  { mayType = (): boolean => true, encodings = [ENCODING.raw] as readonly number[] } = {},
) {
  const heard: Buffer[] = [];
  const kept: Buffer[] = [];
  link.onPicture((bytes, each) => {
    heard.push(Buffer.from(bytes));
    if (each) kept.push(Buffer.from(each));
  });
  const send = (bytes: Buffer) => link.fromPage(bytes, 'driver', mayType());
  send(Buffer.concat([Buffer.from('RFB 003.008\n'), Buffer.of(1, 1)]));
  send(Buffer.concat([Buffer.alloc(4), Buffer.alloc(16)]));
  send(named(...encodings));
  send(askFor(true));
  return { heard: () => Buffer.concat(heard), kept: () => Buffer.concat(kept), send };
}

const BEHIND_INIT = 12 + 2 + 4 + 24;
/** Of the last point of the first picture, which is sent as it is. */
const lastPoint = (heard: Buffer) => {
  const name = heard.length > BEHIND_INIT ? heard.readUInt32BE(BEHIND_INIT - 4) : 0;
  const end = BEHIND_INIT + name + 16 + 1024 * 768 * 4;
  return heard.length < end ? undefined : [...heard.subarray(end - 4, end - 1)];
};
const onDisplay = (host: TestXvnc, ...words: readonly string[]) =>
  execFileSync(words[0]!, words.slice(1), { env: { ...process.env, DISPLAY: host.display }, encoding: 'utf8' });

test('a host is signed in to by the gateway, and the page hears of no sign-in', async () => {
  const page = view(await open(plain));

  await expect.poll(() => lastPoint(page.heard())).toEqual(BLUE);
  expect(page.heard().subarray(0, 18)).toEqual(
    Buffer.concat([Buffer.from('RFB 003.008\n'), Buffer.of(1, 1), Buffer.alloc(4)]),
  );
  expect(page.kept()).toEqual(page.heard());
});

test('a wrong password is told as that', async () => {
  await expect(open(plain, { password: 'wrong' })).rejects.toMatchObject({ step: 'sign_in', code: 'wrong_password' });
});

test('a host that lets in whoever comes is refused without TLS, unless nobody else is on the way', async () => {
  await expect(open(unlocked)).rejects.toMatchObject({ step: 'protocol', code: 'plain_security' });
  const page = view(await open(unlocked, { mayBePlain: true }));

  await expect.poll(() => lastPoint(page.heard())).toEqual(BLUE);
});

test('TLS is spoken where the host has it, and its certificate asked about before the password is used', async () => {
  const seen: Buffer[] = [];
  const page = view(await open(secure, { checkCertificate: (leaf) => void seen.push(leaf) }));

  await expect.poll(() => lastPoint(page.heard())).toEqual(BLUE);
  expect(seen).toEqual([new X509Certificate(secure.certificate).raw]);
  const refused = open(secure, {
    checkCertificate: () => {
      throw new Error('not the one that was pinned');
    },
  });
  await expect(refused).rejects.toThrow('not the one that was pinned');
});

test('the pointer moves while one may type, and only then', async () => {
  let mayType = false;
  const link = await open(plain);
  const pointers: number[][] = [];
  link.onPointer((...where) => void pointers.push(where));
  const { send } = view(link, { mayType: () => mayType });
  send(Buffer.concat([Buffer.of(5, 0), u16(11, 12)]));
  mayType = true;
  send(Buffer.concat([Buffer.of(5, 0), u16(321, 234)]));

  await expect.poll(() => onDisplay(plain, 'xdotool', 'getmouselocation')).toContain('x:321 y:234');
  expect(pointers).toEqual([[321, 234, 0]]);
});

test('pictures in tiles, the pointer, copies and another size are followed without an end', async () => {
  const link = await open(plain);
  const sizes: unknown[] = [];
  const ends: unknown[] = [];
  link.onSize((size) => void sizes.push(size));
  link.onEnd((why) => void ends.push(why));
  const wanted = [
    ENCODING.hextile,
    ENCODING.copyRect,
    ENCODING.cursor,
    ENCODING.extendedDesktopSize,
    ENCODING.lastRect,
  ];
  const page = view(link, { encodings: wanted });
  /** As clients do: what the host says first, of its pointer and its screens, was an answer as well. */
  const heardAgain = () => {
    page.send(askFor(false));
    return page.heard().length;
  };
  await expect.poll(heardAgain).toBeGreaterThan(1_000);
  const before = page.heard().length;
  onDisplay(plain, 'xsetroot', '-mod', '3', '5', '-fg', 'red', '-bg', 'green');
  await expect.poll(heardAgain).toBeGreaterThan(before + 10_000);

  link.resize({ width: 1200, height: 700, scale: 100 });
  await expect.poll(() => [heardAgain(), ...sizes].slice(1)).toEqual([{ width: 1200, height: 700 }]);
  page.send(askFor(true, 1200, 700));
  onDisplay(plain, 'xsetroot', '-solid', '#2e5b88');
  expect(ends).toEqual([]);
  expect(link.size).toEqual({ width: 1200, height: 700 });
});

test('texts are copied by right, told with their length, and in no recording', async () => {
  const transfers: ClipboardTransfer[] = [];
  const link = await open(secure);
  link.onClipboard((transfer) => void transfers.push(transfer));
  const page = view(link);
  await expect.poll(() => lastPoint(page.heard())).toEqual(BLUE);
  const text = Buffer.from('from-the-page');
  page.send(Buffer.concat([Buffer.of(6, 0, 0, 0), i32(text.length), text]));
  await expect
    .poll(() => {
      try {
        return onDisplay(secure, 'timeout', '2', 'xclip', '-o', '-selection', 'clipboard');
      } catch {
        return '';
      }
    })
    .toBe('from-the-page');
  onDisplay(secure, 'sh', '-c', 'printf from-the-host | xclip -i -selection clipboard >/dev/null 2>&1');
  await expect.poll(() => page.heard().includes('from-the-host')).toBe(true);

  expect(page.kept().includes('from-the-host')).toBe(false);
  expect(transfers).toContainEqual({ direction: 'send', length: 13 });
  expect(transfers).toContainEqual({ direction: 'receive', length: 13 });
  link.allowClipboard(false);
  page.send(Buffer.concat([Buffer.of(6, 0, 0, 0), i32(text.length), text]));
  expect(transfers.at(-1)).toMatchObject({ direction: 'send', refused: expect.stringContaining('not allowed') });
});
