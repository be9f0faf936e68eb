import { expect, test } from 'vitest';
import { FoundLines, placeOf } from './found-lines.ts';
import { readLine } from './log-book.ts';

const at = (second: number) => `2026-11-19T05:00:0${second}Z`;
const hit = (line: number, second: number, text = 'it broke') => ({ line, text: `${at(second)} ${text}` });
const told = { found: 1, lines: 10, bytes: 100 };

test('hits of several logs stand in the order of their times, and are counted together', () => {
  const found = new FoundLines([true, false, true]);
  found.add(0, [hit(3, 1), hit(9, 5)], { found: 12, lines: 10, bytes: 100 });
  found.add(1, [hit(1, 1)], told);
  found.add(2, [hit(0, 2)], { found: 1, lines: 4, bytes: 40 });

  expect(found.all.map(({ source, number }) => [source, number])).toEqual([
    [0, 3],
    [2, 0],
    [0, 9],
  ]);
  expect(found.searched).toEqual({ found: 13, lines: 14, bytes: 140 });
});

test('a search is over once each log is, and cut where one was', () => {
  const found = new FoundLines([true, false, true]);
  found.end(0);
  expect(found.isOver).toBe(false);
  found.end(2, true);
  expect([found.isOver, found.isCut]).toEqual([true, true]);
});

test('on another line what was found in a log is forgotten before it is told again', () => {
  const found = new FoundLines([true]);
  found.add(0, [hit(3, 1)], told);
  found.beginAnew(0);
  expect([found.all, found.searched.found]).toEqual([[], 0]);
});

test('hits are kept up to a size of all together, and counted beyond it', () => {
  const found = new FoundLines([true, true], 16);
  found.add(0, [hit(1, 1), hit(2, 2)], { ...told, found: 2 });
  found.add(1, [hit(1, 1)], told);
  expect([found.all.length, found.searched.found]).toEqual([2, 3]);

  found.beginAnew(0);
  found.add(1, [hit(2, 2)], { ...told, found: 2 });
  expect(found.all.map(({ source, number }) => [source, number])).toEqual([[1, 2]]);
});

test('a hit is found among the lines around it, also where they have moved, and not where it is gone', () => {
  const [line] = [{ ...readLine(0, `${at(3)} it broke`), number: 103 }];
  const around = [1, 2, 3, 4].map((second) => readLine(0, `${at(second)} ${second === 3 ? 'it broke' : 'well'}`));

  expect(placeOf(line, around, 101)).toBe(2);
  expect(placeOf(line, around, 50)).toBe(2);
  expect(placeOf(line, around.slice(0, 2), 101)).toBeUndefined();
});
