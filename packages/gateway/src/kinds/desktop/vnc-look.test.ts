/** Pictures of a desktop by VNC for lists: what is kept for them, and how much. The process that draws only notes what it is fed. */
import { expect, test } from 'vitest';
import type { DesktopDecoder } from '../../sessions/desktop/decoder/desktop-decoder.ts';
import type { PagedLink } from './engine/desktop-link.ts';
import { createVncLook } from './vnc-look.ts';

function look() {
  const fed: string[] = [];
  let begin = () => {};
  let draw = (_bytes: Buffer, _kept: Buffer | undefined) => {};
  const link = {
    size: { width: 64, height: 48 },
    greeting: () => Buffer.from('hello'),
    onBeginning: (listener: typeof begin) => {
      begin = listener;
    },
    onPicture: (listener: typeof draw) => {
      draw = listener;
    },
  };
  const decoder = {
    open: () => ({
      begin: async () => {},
      feed: async (pieces: Buffer[]) => void fed.push(Buffer.concat(pieces).toString()),
      look: async () => ({ bytes: Buffer.from('png') }),
      close: () => {},
    }),
  };
  const looked = createVncLook(link as unknown as PagedLink, decoder as unknown as Pick<DesktopDecoder, 'open'>);
  const drawn = (text: string, isKept = true) => draw(Buffer.from(text), isKept ? Buffer.from(text) : undefined);
  return { looked, fed, drawn, begin: () => begin() };
}

test('it is drawn from the last whole picture on, without what no recording keeps', async () => {
  const { looked, fed, drawn, begin } = look();
  drawn('old');
  begin();
  drawn(' whole');
  drawn(' copied', false);
  expect((await looked.picture()).toString()).toBe('png');
  expect(fed).toEqual(['hello whole']);
});

test.each([
  ['much', 3, 1024 * 1024],
  ['in crumbs', 20_000, 1],
])('what draws too %s is not kept, and shown again from the next whole picture on', async (_how, pieces, length) => {
  const { looked, fed, drawn, begin } = look();
  for (let at = 0; at < pieces; at += 1) drawn('x'.repeat(length));
  await expect(looked.picture()).rejects.toThrow('faster than it can be followed');
  begin();
  drawn(' again');
  await looked.picture();
  expect(fed).toEqual(['hello again']);
});
