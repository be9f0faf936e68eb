import { expect, test, vi } from 'vitest';
import { seldom } from './seldom.ts';

test('what is asked for a thousand times is done at once and once more at the end', () => {
  vi.useFakeTimers();
  try {
    const send = vi.fn();
    const asked = seldom(send, 50);

    for (let count = 0; count < 1_000; count++) asked.tell();
    expect(send).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(500);

    expect(send).toHaveBeenCalledTimes(2);
  } finally {
    vi.useRealTimers();
  }
});

test('what must not be overtaken is done before, and once', () => {
  vi.useFakeTimers();
  try {
    const send = vi.fn();
    const asked = seldom(send, 50);

    asked.tell();
    asked.tell();
    asked.hurry();
    asked.hurry();
    expect(send).toHaveBeenCalledTimes(2);
    vi.advanceTimersByTime(500);

    expect(send).toHaveBeenCalledTimes(2);
  } finally {
    vi.useRealTimers();
  }
});
