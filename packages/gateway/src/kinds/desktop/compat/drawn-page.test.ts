import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type DrawnTile, MAX_TILES } from '../../../sessions/desktop/decoder/decoder-messages.ts';
import { DrawnPage } from './drawn-page.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const tile = (left: number): DrawnTile => ({ left, top: 0, width: 64, height: 64, png: Buffer.from('png') });

function open() {
  const did: string[] = [];
  const drawing: PromiseWithResolvers<void>[] = [];
  const leaving: PromiseWithResolvers<void>[] = [];
  const changes: DrawnTile[][] = [];
  const failed = vi.fn();
  const page = new DrawnPage({
    client: {
      begin: async ({ width }) => void did.push(`begin ${width}`),
      async feed(pdus) {
        did.push(`feed ${pdus.join(' ')}`);
        const drawn = Promise.withResolvers<void>();
        drawing.push(drawn);
        await drawn.promise;
      },
      look: async () => ({ width: 0, height: 0, draws: 0, bytes: new Uint8Array(), tiles: changes.shift() ?? [] }),
    },
    async show(tiles) {
      did.push(`show ${tiles.length}`);
      const left = Promise.withResolvers<void>();
      leaving.push(left);
      await left.promise;
    },
    onFailed: failed,
  });
  const settle = () => vi.advanceTimersByTimeAsync(0);
  const draw = async () => {
    drawing.shift()?.resolve();
    await settle();
  };
  const leave = async () => {
    leaving.shift()?.resolve();
    await settle();
  };
  return { page, did, drawing, changes, failed, settle, draw, leave };
}

test('what comes while something is drawn is drawn together, in its order, and counts until it is', async () => {
  const { page, did, settle, draw } = open();
  const sent = vi.fn();
  page.begin({ width: 800, height: 600 });
  for (const text of ['a', 'b']) page.picture(Buffer.from(text), sent);
  await settle();
  page.picture(Buffer.from('c'), sent);
  page.begin({ width: 900, height: 600 });
  page.picture(Buffer.from('d'), sent);
  expect([page.unsent(), sent.mock.calls.length]).toEqual([4, 0]);
  await draw();
  expect([page.unsent(), sent.mock.calls.length]).toEqual([2, 2]);
  await draw();
  await draw();
  expect(did).toEqual(['begin 800', 'feed a b', 'feed c', 'begin 900', 'feed d']);
  expect(page.unsent()).toBe(0);
});

test('changes are shown ten times a second at most, and never before the last ones have left', async () => {
  const { page, did, changes, settle, draw, leave } = open();
  changes.push([tile(0)], [tile(0), tile(64)]);
  const paint = async (text: string) => {
    page.picture(Buffer.from(text), () => {});
    await settle();
    await draw();
  };
  await paint('a');
  await paint('b');
  await paint('c');
  const shown = () => did.filter((each) => each.startsWith('show'));
  await vi.advanceTimersByTimeAsync(5_000);
  expect(shown()).toEqual(['show 1']);
  await leave();
  expect(shown()).toEqual(['show 1', 'show 2']);
  await leave();
  expect(page.hasShown).toBe(true);
  changes.push([tile(0)]);
  await paint('d');
  expect(shown().length).toBe(2);
  await vi.advanceTimersByTimeAsync(100);
  expect(shown()).toEqual(['show 1', 'show 2', 'show 1']);
});

test('a large screen is shown to its end without anything new', async () => {
  const { page, did, changes, settle, draw, leave } = open();
  changes.push(
    Array.from({ length: MAX_TILES }, (_, number) => tile(number)),
    [tile(0)],
  );
  page.picture(Buffer.from('a'), () => {});
  await settle();
  await draw();
  await leave();
  expect(did).toEqual(['feed a', `show ${MAX_TILES}`, 'show 1']);
});

test('what cannot be drawn is told once, and nothing is done after that', async () => {
  const { page, did, drawing, failed, settle } = open();
  page.picture(Buffer.from('a'), () => {});
  await settle();
  page.picture(Buffer.from('b'), () => {});
  drawing[0]?.reject(new Error('no'));
  await settle();
  page.picture(Buffer.from('c'), () => {});
  await settle();
  expect(failed).toHaveBeenCalledExactlyOnceWith(new Error('no'));
  expect(did).toEqual(['feed a']);
});
