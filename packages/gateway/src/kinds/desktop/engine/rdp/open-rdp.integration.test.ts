import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { startShadow, type TestShadow } from '@gatehouse/testkit/desktop/shadow';
import { startXrdp, type TestXrdp } from '@gatehouse/testkit/desktop/xrdp';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type PageOptions, WasmPage } from '../../../../../testing/desktop/wasm-page.ts';
import type { DesktopEnd, DesktopFailure, DesktopTerms, SharedLink } from '../desktop-link.ts';
import { openRdp, tryRdp } from './open-rdp.ts';

const BLUE = [0x2e, 0x5b, 0x88];
const NEAR = 12;
let xrdp: TestXrdp;
let shadow: TestShadow;
const links: SharedLink[] = [];
const pages: WasmPage[] = [];

beforeAll(async () => {
  [xrdp, shadow] = await Promise.all([startXrdp(), startShadow()]);
});

afterEach(async () => {
  for (const link of links.splice(0)) link.close();
  for (const page of pages.splice(0)) await page.close();
});

afterAll(async () => {
  await Promise.all([xrdp?.stop(), shadow?.stop()]);
});

const termsFor = (host: { user: string; password: string }, more: Partial<DesktopTerms> = {}): DesktopTerms => ({
  user: host.user,
  domain: '',
  password: host.password,
  serverName: 'desk.test',
  width: 1024,
  height: 768,
  scale: 100,
  keyboard: 0x409,
  clipboard: false,
  drives: false,
  checkCertificate: () => undefined,
  ...more,
});

async function dial(port: number) {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

const soon = () => AbortSignal.timeout(30_000);

async function open(host: TestXrdp | TestShadow, more: Partial<DesktopTerms> = {}) {
  const link = await openRdp(await dial(host.port), termsFor(host, more), soon());
  links.push(link);
  return link;
}

async function view(link: SharedLink, options: Pick<PageOptions, 'mayType' | 'onSaid'> = {}) {
  const page = await WasmPage.load();
  pages.push(page);
  page.open(link, new X509Certificate(xrdp.certificate).raw, options);
  await expect.poll(() => page.ended ?? page.isConnected, { timeout: 30_000 }).toBe(true);
  return page;
}

const isNear = (found: readonly number[], wanted: readonly number[]) =>
  found.every((value, at) => Math.abs(value - wanted[at]!) <= NEAR);

/** Whether the desktop is drawn there; why not, where its client has ended. */
const shows = async (page: WasmPage, x: number, y: number) => page.ended ?? isNear(await page.colourAt(x, y), BLUE);

test('a host with TLS is signed in to by the gateway, and its desktop is drawn', async () => {
  const kept: Buffer[] = [];
  const link = await open(xrdp);
  link.onPicture((_, each) => each && kept.push(each));
  const page = await view(link);

  await expect.poll(() => shows(page, 1000, 700)).toBe(true);
  expect(link.size).toEqual({ width: 1024, height: 768 });
  const recorded = Buffer.concat(kept);
  for (const secret of [xrdp.password, xrdp.user]) {
    expect(recorded.includes(secret)).toBe(false);
    expect(recorded.includes(Buffer.from(secret, 'utf16le'))).toBe(false);
  }
});

test('a host with Network Level Authentication is signed in to before a page is there', async () => {
  const seen: Buffer[] = [];
  const link = await open(shadow, { checkCertificate: (leaf) => void seen.push(leaf) });
  const page = await view(link);

  expect(seen).toHaveLength(1);
  await expect.poll(() => shows(page, 1000, 700)).toBe(true);
});

test('a wrong password is told as that, and holds nothing of it', async () => {
  const wrong = open(shadow, { password: 'Wr0ng-secret' });

  await expect(wrong).rejects.toMatchObject({ step: 'sign_in' });
  const error = (await wrong.catch((each: unknown) => each)) as DesktopFailure;
  expect(`${error.message} ${error.next} ${error.stack}`).not.toContain('Wr0ng-secret');
});

test('nothing is signed in to over a certificate that is not accepted', async () => {
  const refused = open(shadow, {
    checkCertificate: () => {
      throw new Error('not the one that was pinned');
    },
  });

  await expect(refused).rejects.toThrow('not the one that was pinned');
});

test('a trial tells what the host offers, its certificate, and each step', async () => {
  const steps: string[] = [];
  const tls = await tryRdp(await dial(xrdp.port), termsFor(xrdp), soon(), (step) => steps.push(step));
  const nla = await tryRdp(await dial(shadow.port), termsFor(shadow), soon(), () => {});

  expect(steps).toEqual(['protocol', 'tls', 'certificate', 'sign_in']);
  expect(tls).toMatchObject({ offered: 'tls', signedIn: false });
  expect(tls.certificate.leaf.equals(new X509Certificate(xrdp.certificate).raw)).toBe(true);
  expect(nla).toMatchObject({ offered: 'nla', signedIn: true });
});

test('keys and the pointer reach the host, and only while one may type', async () => {
  let mayType = false;
  const link = await open(xrdp);
  const pointers: [number, number, number][] = [];
  link.onPointer((...where) => void pointers.push(where));
  const said: Buffer[] = [];
  const page = await view(link, { mayType: () => mayType, onSaid: (pdu) => void said.push(Buffer.from(pdu)) });
  await expect.poll(() => shows(page, 1000, 700)).toBe(true);

  page.do({ type: 'move', x: 77, y: 88 });
  await expect.poll(() => said.some((pdu) => pdu.includes(Buffer.of(77, 0, 88, 0)))).toBe(true);
  mayType = true;
  page.do({ type: 'move', x: 321, y: 234 });
  page.do({ type: 'button', isDown: true });
  page.do({ type: 'button', isDown: false });

  await expect.poll(() => pointers.map(([, , buttons]) => buttons)).toContain(1);
  await expect.poll(() => xrdp.inSession(['xdotool', 'getmouselocation'])).toContain('x:321 y:234');
  expect(pointers).not.toContainEqual([77, 88, 0]);
});

test('a page that asks for another size gets it', async () => {
  const sizes: unknown[] = [];
  const link = await open(xrdp);
  link.onSize((size) => void sizes.push(size));
  const page = await view(link);
  await expect.poll(() => shows(page, 1000, 700)).toBe(true);

  page.do({ type: 'resize', width: 1280, height: 720 });

  await expect.poll(() => sizes.at(-1)).toEqual({ width: 1280, height: 720 });
  await expect.poll(() => shows(page, 1270, 700)).toBe(true);
  expect(page.ended).toBeUndefined();
});

test('the end of a session is told once, with why', async () => {
  const ends: DesktopEnd[] = [];
  const link = await open(xrdp);
  link.onEnd((why) => void ends.push(why));
  const page = await view(link);
  await expect.poll(() => shows(page, 1000, 700)).toBe(true);

  await xrdp.inSession(['pkill', 'openbox']);

  await expect.poll(() => ends).toHaveLength(1);
  expect(ends[0]!.cause).toBe('closed');
  // Who comes before it is forgotten is led into what is left of it.
  await expect.poll(() => xrdp.log()).toContain('terminated session');
});

test('what is copied at one side can be pasted at the other, and is told with its length', async () => {
  const transfers: unknown[] = [];
  const kept: Buffer[] = [];
  const link = await open(xrdp, { clipboard: true });
  link.onClipboard((transfer) => void transfers.push(transfer));
  link.onPicture((_, each) => each && kept.push(each));
  const page = await view(link);
  await expect.poll(() => shows(page, 1000, 700)).toBe(true);

  page.do({ type: 'paste', text: 'from-the-page' });
  await expect
    .poll(() => xrdp.inSession(['timeout', '5', 'xclip', '-o', '-selection', 'clipboard']).catch(() => ''))
    .toBe('from-the-page');
  await xrdp.inSession(['sh', '-c', 'printf from-the-host | xclip -i -selection clipboard >/dev/null 2>&1']);
  await expect.poll(() => page.clipboard).toContain('from-the-host');

  expect(transfers).toContainEqual({ direction: 'send', length: expect.any(Number) });
  expect(transfers).toContainEqual({ direction: 'receive', length: expect.any(Number) });
  const recorded = Buffer.concat(kept);
  for (const text of ['from-the-page', 'from-the-host']) {
    expect(recorded.includes(text)).toBe(false);
    expect(recorded.includes(Buffer.from(text, 'utf16le'))).toBe(false);
  }
});

test('without the right to it, a page that asks for the clipboard has none, and its desktop is drawn all the same', async () => {
  const link = await open(xrdp, { clipboard: false });
  const page = await view(link);
  await expect.poll(() => shows(page, 1000, 700)).toBe(true);

  page.do({ type: 'paste', text: 'kept-from-it' });
  // Behind it in the same pipe.
  page.do({ type: 'move', x: 55, y: 66 });
  await expect.poll(() => xrdp.inSession(['xdotool', 'getmouselocation'])).toContain('x:55 y:66');

  const found = await xrdp.inSession(['sh', '-c', 'timeout 2 xclip -o -selection clipboard || true']).catch(() => '');
  expect(found).not.toContain('kept-from-it');
  expect(page.ended).toBeUndefined();
});

test('a page that comes in the place of the first copies, pastes and resizes as that did', async () => {
  const kept: Buffer[] = [];
  const sizes: unknown[] = [];
  const link = await open(xrdp, { clipboard: true });
  link.onPicture((_, each) => each && kept.push(Buffer.from(each)));
  const first = await view(link);
  await expect.poll(() => shows(first, 1000, 700)).toBe(true);
  await first.close();

  const page = await WasmPage.load();
  pages.push(page);
  page.open(link, new X509Certificate(xrdp.certificate).raw, { before: kept });
  await expect.poll(() => page.ended ?? page.isConnected).toBe(true);
  await expect.poll(() => shows(page, 1000, 700)).toBe(true);

  await expect
    .poll(async () => {
      page.do({ type: 'paste', text: 'from-the-second' });
      return await xrdp.inSession(['timeout', '5', 'xclip', '-o', '-selection', 'clipboard']).catch(() => '');
    })
    .toBe('from-the-second');
  await xrdp.inSession(['sh', '-c', 'printf to-the-second | xclip -i -selection clipboard >/dev/null 2>&1']);
  await expect.poll(() => page.clipboard).toContain('to-the-second');
  link.onSize((size) => void sizes.push(size));
  page.do({ type: 'resize', width: 1200, height: 700 });
  await expect.poll(() => sizes.at(-1)).toEqual({ width: 1200, height: 700 });
  expect(page.ended).toBeUndefined();
});
