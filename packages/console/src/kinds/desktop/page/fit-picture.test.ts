import { expect, test } from 'vitest';
import { firstZoom, keepZoom, scaleOf } from './fit-picture.ts';

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
