import { expect, test } from 'vitest';
import { firstZoom, keepZoom, partSeen, scaleOf } from './fit-picture.ts';

const picture = { width: 1200, height: 800 };

test('a picture fits whole into its place, larger or smaller than it is', () => {
  expect(scaleOf('fit', picture, { width: 600, height: 800 }, 2, 1)).toBe(0.5);
  expect(scaleOf('fit', picture, { width: 2400, height: 1600 }, 1, 1)).toBe(2);
  expect(scaleOf('fit', picture, { width: 600, height: 800 }, 1, 2)).toBe(1);
  expect(scaleOf('fit', picture, { width: 0, height: 0 }, 1, 1)).toBe(1);
});

test('its actual size is a pixel of the screen for each of its own', () => {
  expect(scaleOf('actual', picture, { width: 600, height: 800 }, 2, 3)).toBe(0.5);
});

test('a phone begins with as much as its height shows, anything wider with all of it', () => {
  expect(firstZoom(picture, { width: 400, height: 800 })).toBe(3);
  expect(firstZoom(picture, { width: 1000, height: 400 })).toBe(1);
  expect([keepZoom(0.2), keepZoom(40)]).toEqual([1, 6]);
});

test('the part of it that is seen is told in shares, and nothing where all of it is', () => {
  const whole = { left: 0, top: 0, width: 1000, height: 500 };
  expect(partSeen({ left: 250, top: 100, width: 500, height: 300 }, whole)).toEqual({
    ...{ left: 0.25, top: 0.2, width: 0.5, height: 0.6 },
  });
  expect(partSeen({ left: 0, top: 0, width: 1000, height: 500 }, whole)).toBeUndefined();
  expect(partSeen({ left: 0, top: 0, width: 995, height: 800 }, whole)).toBeUndefined();
  // Lower than its place: it stands in the middle of it.
  expect(partSeen({ left: 600, top: 0, width: 400, height: 800 }, { ...whole, top: 150 })).toEqual({
    ...{ left: 0.6, top: 0, width: 0.4, height: 1 },
  });
  expect(partSeen({ left: 0, top: 0, width: 10, height: 10 }, { ...whole, width: 0 })).toBeUndefined();
});
