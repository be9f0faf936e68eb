import { AHEAD_BYTES } from '@gatehouse/contract/sessions/terminal-frames';
import { expect, test } from 'vitest';
import { SendWindow } from './send-window.ts';

function drawing(bytesPerMs: number, ms: number, window = new SendWindow(() => clock.now)) {
  for (const end = clock.now + ms; clock.now < end; ) {
    window.full();
    clock.now += 10;
    window.drawn(bytesPerMs * 10);
  }
  return window;
}
const clock = { now: 0 };

test('a page that draws slowly has no more under way than it draws in a tenth of a second', () => {
  expect(drawing(3_000, 200).bytes).toBe(300_000);
  expect(drawing(100, 200).bytes).toBeLessThan(200 * 1024);
});

test('a quick one gets all there may be, also after it was slow', () => {
  const window = drawing(2_000, 200);

  expect(drawing(50_000, 200, window).bytes).toBe(AHEAD_BYTES);
});

test('where nothing waits for it, a page that draws little is not taken for a slow one', () => {
  const window = new SendWindow(() => clock.now);
  clock.now += 1_000;
  window.drawn(10);

  expect(window.bytes).toBe(AHEAD_BYTES);
});
