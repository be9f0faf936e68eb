/** When what has changed is drawn: at once, and what follows with the frames of the browser. */
import { expect, test } from 'vitest';
import { pacedDraw } from './paced-draw.ts';

function paced() {
  let draws = 0;
  let waiting: (() => void) | undefined;
  const draw = () => {
    draws += 1;
  };
  const pace = pacedDraw(draw, {
    request(callback) {
      waiting = callback;
      return 1;
    },
    cancel() {
      waiting = undefined;
    },
  });
  return {
    ...pace,
    draws: () => draws,
    frame() {
      const callback = waiting;
      waiting = undefined;
      callback?.();
    },
    isWaiting: () => waiting !== undefined,
  };
}

test('the first change is drawn at once, and all that follow it with the next frame', () => {
  const { changed, draws, frame } = paced();
  changed();
  expect(draws()).toBe(1);
  changed();
  changed();
  expect(draws()).toBe(1);
  frame();
  expect(draws()).toBe(2);

  // Drawn for that frame: the next change waits for the one after it.
  changed();
  expect(draws()).toBe(2);
  frame();
  expect(draws()).toBe(3);
});

test('where nothing changes no frame is asked for, and none after the end', () => {
  const { changed, draws, frame, isWaiting, stop } = paced();
  changed();
  frame();
  expect([draws(), isWaiting()]).toEqual([1, false]);
  changed();
  changed();
  stop();
  frame();
  expect([draws(), isWaiting()]).toEqual([2, false]);
});
