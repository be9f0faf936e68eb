import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPace } from './pace.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

test('what comes alone leaves in the same turn, however often that happens', () => {
  const send = vi.fn();
  const pace = createPace(send);

  for (let key = 1; key <= 20; key++) {
    pace.heard(30);
    vi.advanceTimersByTime(0);
    expect(send).toHaveBeenCalledTimes(key);
    vi.advanceTimersByTime(1);
  }
});

test('a flood travels in large pieces, and its end soon after', () => {
  const sent: number[] = [];
  let waiting = 0;
  const pace = createPace(() => {
    sent.push(waiting);
    waiting = 0;
  });

  for (let piece = 0; piece < 250; piece++) {
    waiting += 4096;
    pace.heard(4096);
    if (piece % 4 === 0) vi.advanceTimersByTime(0);
  }
  vi.advanceTimersByTime(2);

  expect(sent.reduce((sum, bytes) => sum + bytes, 0)).toBe(250 * 4096);
  expect(sent.length).toBeLessThan(30);
});

test('after a stop nothing is sent', () => {
  const send = vi.fn();
  const pace = createPace(send);
  pace.heard(10);

  pace.stop();
  vi.advanceTimersByTime(10);

  expect(send).not.toHaveBeenCalled();
});
