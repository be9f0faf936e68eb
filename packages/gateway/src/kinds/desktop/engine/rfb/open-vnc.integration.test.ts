import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { startXvnc, type TestXvnc } from '@gatehouse/testkit/desktop/xvnc';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { keyEvent, packedText, pointerEvent, VncScreen } from '../../../../../testing/desktop/vnc-screen.ts';
import type { ClipboardTransfer, LinkPage, PagedLink } from '../desktop-link.ts';
import { openVnc, type VncTerms } from './open-vnc.ts';

const BLUE = [0x2e, 0x5b, 0x88];
let plain: TestXvnc;
let secure: TestXvnc;
let unlocked: TestXvnc;
const links: PagedLink[] = [];

beforeAll(async () => {
  [plain, secure, unlocked] = await Promise.all([startXvnc(), startXvnc('X509Vnc'), startXvnc('None')]);
});

afterEach(() => {
  for (const link of links.splice(0)) link.close();
});

afterAll(async () => {
  await Promise.all([plain, secure, unlocked].map((each) => each?.stop()));
});

async function open(host: TestXvnc, more: Partial<VncTerms> = {}): Promise<PagedLink> {
  const socket = connect(host.port, '127.0.0.1');
  await once(socket, 'connect');
  const terms: VncTerms = {
    ...{ user: 'ann', domain: '', password: host.password, serverName: 'desk.test', width: 1024, height: 768 },
    ...{
      scale: 100,
      keyboard: 0,
      clipboard: true,
      drives: false,
      mayBePlain: false,
      mustBeSecure: false,
      checkCertificate: () => undefined,
    },
    ...more,
  };
  const link = await openVnc(socket, terms, AbortSignal.timeout(30_000));
  links.push(link);
  return link;
}

/** A page, what its client draws, and what a recording would keep. */
function view(link: PagedLink, { mayType = (): boolean => true, from = 'driver' as 'driver' | 'peer' } = {}) {
  const kept: Buffer[] = [];
  link.onPicture((_, each) => each && kept.push(Buffer.from(each)));
  let early: Buffer[] | undefined = [];
  const heard: Buffer[] = [];
  const page: LinkPage = link.openPage((bytes) => {
    heard.push(Buffer.from(bytes));
    if (early) early.push(bytes);
    else screen.hear(bytes);
  });
  const send = (bytes: Buffer) => page.hear(bytes, from, mayType());
  const screen = new VncScreen(send);
  const waiting = early;
  early = undefined;
  for (const bytes of waiting) screen.hear(bytes);
  return { screen, send, page, heard: () => Buffer.concat(heard), kept: () => Buffer.concat(kept) };
}

const isBlue = ({ screen }: { screen: VncScreen }) => screen.size.width > 0 && screen.at(1023, 767);
const onDisplay = (host: TestXvnc, ...words: readonly string[]) =>
  execFileSync(words[0]!, words.slice(1), { env: { ...process.env, DISPLAY: host.display }, encoding: 'utf8' });

test('a host is signed in to by the gateway, and the page hears of no sign-in', async () => {
  const page = view(await open(plain));

  await expect.poll(() => isBlue(page)).toEqual(BLUE);
  expect(page.heard().subarray(0, 18)).toEqual(
    Buffer.concat([Buffer.from('RFB 003.008\n'), Buffer.of(1, 1), Buffer.alloc(4)]),
  );
});

test('a wrong password is told as that', async () => {
  await expect(open(plain, { password: 'wrong' })).rejects.toMatchObject({ step: 'sign_in', code: 'wrong_password' });
});

test('a host that lets in whoever comes is refused without TLS, unless nobody else is on the way', async () => {
  await expect(open(unlocked)).rejects.toMatchObject({ step: 'protocol', code: 'plain_security' });
  const page = view(await open(unlocked, { mayBePlain: true }));

  await expect.poll(() => isBlue(page)).toEqual(BLUE);
});

test('without a password one is asked for, and a host that is known by its certificate must have TLS', async () => {
  await expect(open(plain, { password: '' })).rejects.toMatchObject({ step: 'sign_in', code: 'no_password' });
  await expect(open(plain, { mustBeSecure: true })).rejects.toMatchObject({ step: 'protocol', code: 'plain_security' });
});

test('TLS is spoken where the host has it, and its certificate asked about before the password is used', async () => {
  const seen: Buffer[] = [];
  const page = view(await open(secure, { checkCertificate: (leaf) => void seen.push(leaf) }));

  await expect.poll(() => isBlue(page)).toEqual(BLUE);
  expect(seen).toEqual([new X509Certificate(secure.certificate).raw]);
  const refused = open(secure, {
    checkCertificate: () => {
      throw new Error('not the one that was pinned');
    },
  });
  await expect(refused).rejects.toThrow('not the one that was pinned');
});

test('the pointer moves while one may type, and only then; a key that is held is let go of when the page leaves', async () => {
  let mayType = false;
  const link = await open(plain);
  const pointers: number[][] = [];
  link.onPointer((...where) => void pointers.push(where));
  const { send, page } = view(link, { mayType: () => mayType });
  send(pointerEvent(11, 12));
  mayType = true;
  send(pointerEvent(321, 234));

  await expect.poll(() => onDisplay(plain, 'xdotool', 'getmouselocation')).toContain('x:321 y:234');
  expect(pointers).toEqual([[321, 234, 0]]);
  send(pointerEvent(300, 200, 1));
  send(keyEvent(0x61, true));
  page.close();
  expect(() => send(pointerEvent(1, 1))).not.toThrow();
});

test('pages that come at any time show the same, bit for bit, and so does what was kept from a beginning on', async () => {
  const link = await open(plain);
  const first = view(link);
  await expect.poll(() => isBlue(first)).toEqual(BLUE);
  onDisplay(plain, 'xsetroot', '-mod', '3', '5', '-fg', 'red', '-bg', 'green');
  await expect.poll(() => isBlue(first)).not.toEqual(BLUE);
  const second = view(link, { from: 'peer', mayType: () => false });
  await expect.poll(() => second.screen.hash()).toBe(first.screen.hash());
  // It is told the shape of the pointer too, which the host says only when it changes.
  expect(second.screen.pointers).toBeGreaterThan(0);

  const played = new VncScreen(() => {});
  played.hear(link.greeting());
  const third = view(link);
  await expect.poll(() => third.screen.hash()).toBe(first.screen.hash());
  played.hear(third.kept());
  expect(played.hash()).toBe(first.screen.hash());
  first.page.close();
  onDisplay(plain, 'xsetroot', '-solid', '#2e5b88');
  await expect.poll(() => isBlue(second)).toEqual(BLUE);
  expect(isBlue(first)).not.toEqual(BLUE);
});

test('while no page is shown anything the gateway asks by itself, unless nobody looks', async () => {
  const link = await open(plain);
  const only = view(link);
  await expect.poll(() => isBlue(only)).toEqual(BLUE);
  only.page.close();
  const before = only.kept().length;
  onDisplay(plain, 'xsetroot', '-solid', '#445566');
  await expect.poll(() => only.kept().length).toBeGreaterThan(before);
  onDisplay(plain, 'xsetroot', '-solid', '#2e5b88');
});

test('another size is asked for, and every page follows it', async () => {
  const link = await open(plain);
  const sizes: unknown[] = [];
  const ends: unknown[] = [];
  link.onSize((size) => void sizes.push(size));
  link.onEnd((why) => void ends.push(why));
  const [page, other] = [view(link), view(link)];
  await expect.poll(() => isBlue(page)).toEqual(BLUE);
  link.resize({ width: 1200, height: 700, scale: 100 });

  for (const { screen } of [page, other]) await expect.poll(() => screen.size).toEqual({ width: 1200, height: 700 });
  expect([sizes, ends, link.size]).toEqual([[{ width: 1200, height: 700 }], [], { width: 1200, height: 700 }]);
  link.resize({ width: 1024, height: 768, scale: 100 });
  await expect.poll(() => page.screen.size).toEqual({ width: 1024, height: 768 });
});

test('texts are copied by right, told with their length, and in no recording', async () => {
  const transfers: ClipboardTransfer[] = [];
  const link = await open(secure);
  link.onClipboard((transfer) => void transfers.push(transfer));
  const page = view(link);
  await expect.poll(() => isBlue(page)).toEqual(BLUE);
  page.send(packedText('from-the-page: Grüße, 日本 🙂'));
  await expect
    .poll(() => {
      try {
        return onDisplay(secure, 'timeout', '2', 'xclip', '-o', '-selection', 'clipboard');
      } catch {
        return '';
      }
    })
    .toBe('from-the-page: Grüße, 日本 🙂');
  onDisplay(secure, 'sh', '-c', 'printf "from-the-host: 日本 🙂" | xclip -i -selection clipboard >/dev/null 2>&1');
  await expect.poll(() => page.screen.texts).toContain('from-the-host: 日本 🙂');

  expect(page.kept().includes('from-the-host')).toBe(false);
  expect(transfers).toContainEqual({ direction: 'send', length: Buffer.byteLength('from-the-page: Grüße, 日本 🙂') });
  expect(transfers).toContainEqual({ direction: 'receive', length: Buffer.byteLength('from-the-host: 日本 🙂') });
  link.allowClipboard(false);
  page.send(packedText('from-the-page'));
  expect(transfers.at(-1)).toMatchObject({ direction: 'send', refused: expect.stringContaining('not allowed') });
});
