import { expect, test } from 'vitest';
import { shownPart } from './draw-screen.ts';
import { readScreen } from './read-screen.ts';

const ROOM = { wide: 400, high: 220 };
const lines = (count: number, text: string) => Array.from({ length: count }, () => text).join('\r\n');

test('of a live screen the lines at the cursor are shown, in letters that can be read', () => {
  const cells = readScreen({ cols: 190, rows: 42, ansi: lines(42, 'root@web:~# ls') });
  const { width, first, rows } = shownPart(cells, { ...ROOM, cursor: { column: 14, row: 41 } });

  expect(width).toBe(6.5);
  expect(first + rows).toBe(42);
  expect(first).toBeGreaterThan(20);
});

test('a program that fills the screen and has its cursor at the top is shown from the top, not cut where its text is long', () => {
  const cells = readScreen({
    cols: 190,
    rows: 42,
    ansi: `\x1b[0;7m${' '.repeat(190)}\x1b[0m\r\n${lines(41, 'x'.repeat(90))}`,
  });
  const { width, first } = shownPart(cells, { ...ROOM, cursor: { column: 0, row: 6 } });

  expect(first).toBe(0);
  expect(width * 90).toBeLessThanOrEqual(ROOM.wide);
});

test('a cursor below everything that is written is in the picture', () => {
  const cells = readScreen({ cols: 80, rows: 24, ansi: 'top line' });
  const { first, rows } = shownPart(cells, { ...ROOM, cursor: { column: 0, row: 23 } });

  expect(first + rows).toBe(24);
});
