/** Desktops that are looked at from a list: who is drawn when, and what nobody is shown. */
import { DESKTOP_PICTURE_EVERY_MS } from '@gatehouse/contract/sessions/live-frames';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { silentLog } from '../../platform/std/log.ts';
import { createPictures, type LiveLook } from './pictures.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

class FakeDesktop {
  size = { width: 800, height: 600 };
  live = true;
  sent = 1;
  asked: PromiseWithResolvers<Buffer>[] = [];
  isLive = () => this.live;
  drawn = () => this.sent;
  picture() {
    const asked = Promise.withResolvers<Buffer>();
    this.asked.push(asked);
    return asked.promise;
  }
  async draw(text: string) {
    this.asked.at(-1)?.resolve(Buffer.from(text));
    await vi.advanceTimersByTimeAsync(0);
  }
}

function open(...names: string[]) {
  const desktops = new Map(names.map((name) => [name, new FakeDesktop()]));
  const pictures = createPictures({
    terminal: () => undefined,
    screens: { rows: async () => undefined } as never,
    log: silentLog,
  });
  pictures.showDesktops((sid) => desktops.get(sid));
  return { pictures, of: (name: string) => desktops.get(name)! };
}
const png = (text: string) => Buffer.from(text).toString('base64');

test('a desktop is drawn when somebody looks, again when something changed, and not after they look away', async () => {
  const { pictures, of } = open('a');
  const seen: LiveLook[] = [];
  const stop = pictures.look('a', (look) => void seen.push(look));
  await of('a').draw('first');
  expect(seen).toEqual([{ type: 'picture', sid: 'a', width: 800, height: 600, png: png('first') }]);
  await vi.advanceTimersByTimeAsync(4 * DESKTOP_PICTURE_EVERY_MS);
  expect(of('a').asked.length).toBe(1);

  of('a').sent = 2;
  await vi.advanceTimersByTimeAsync(1_000);
  await of('a').draw('second');
  expect(seen.at(-1)).toMatchObject({ png: png('second') });
  of('a').sent = 3;
  await vi.advanceTimersByTimeAsync(DESKTOP_PICTURE_EVERY_MS - 1_500);
  expect(of('a').asked.length).toBe(2);
  stop();
  await vi.advanceTimersByTimeAsync(4 * DESKTOP_PICTURE_EVERY_MS);
  expect(of('a').asked.length).toBe(2);
});

test('desktops are drawn one at a time, whose turn is longest ago first', async () => {
  const { pictures, of } = open('a', 'b');
  pictures.look('a', () => {});
  pictures.look('b', () => {});
  await vi.advanceTimersByTimeAsync(2 * DESKTOP_PICTURE_EVERY_MS);
  expect([of('a').asked.length, of('b').asked.length]).toEqual([1, 0]);
  of('a').sent = 2;
  await of('a').draw('a');
  await vi.advanceTimersByTimeAsync(500);
  expect([of('a').asked.length, of('b').asked.length]).toEqual([1, 1]);
});

test('what was frozen while it was drawn is shown to nobody, and what failed is tried again', async () => {
  const { pictures, of } = open('a');
  const seen: LiveLook[] = [];
  pictures.look('a', (look) => void seen.push(look));
  of('a').live = false;
  await of('a').draw('secret');
  expect(seen).toEqual([]);
  await vi.advanceTimersByTimeAsync(2 * DESKTOP_PICTURE_EVERY_MS);
  expect(of('a').asked.length).toBe(1);

  of('a').live = true;
  await vi.advanceTimersByTimeAsync(500);
  of('a').asked[1]?.reject(new Error('too fast'));
  await vi.advanceTimersByTimeAsync(DESKTOP_PICTURE_EVERY_MS + 500);
  await of('a').draw('fine');
  expect(seen.map((look) => look.type === 'picture' && look.png)).toEqual([png('fine')]);
  pictures.close();
});
