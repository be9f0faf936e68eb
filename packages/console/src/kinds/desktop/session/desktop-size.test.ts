import { expect, test } from 'vitest';
import { shapeFor } from './desktop-size.ts';

test('a desktop has the pixels of the screen, an even width, and is told how much it is enlarged', () => {
  expect(shapeFor({ width: 1441.5, height: 899.9 }, 1)).toEqual({ width: 1440, height: 899, scale: 100 });
  expect(shapeFor({ width: 1440, height: 900 }, 1.5)).toEqual({ width: 2160, height: 1350, scale: 150 });
});

test('a phone looks at a part of a desktop that is large enough for windows', () => {
  expect(shapeFor({ width: 390, height: 640 }, 3)).toEqual({ width: 1024, height: 720, scale: 100 });
});

test('no host is asked for more than it can have', () => {
  expect(shapeFor({ width: 9000, height: 5000 }, 2)).toEqual({ width: 8192, height: 8192, scale: 200 });
});
