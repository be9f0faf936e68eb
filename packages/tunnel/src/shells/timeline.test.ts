import { expect, test } from 'vitest';
import { Timeline } from './timeline.ts';

test('each change holds from its byte on, and the one after it is known', () => {
  const timeline = new Timeline({ cols: 80, rows: 24, echo: true });

  timeline.change(10, { cols: 100 });
  timeline.change(20, { echo: false });
  timeline.change(20, { rows: 30 });

  expect(timeline.at(0)).toMatchObject({ cols: 80, rows: 24, echo: true });
  expect(timeline.at(10)).toMatchObject({ cols: 100, rows: 24, echo: true });
  expect(timeline.now).toMatchObject({ cols: 100, rows: 30, echo: false });
  expect([timeline.nextAfter(0), timeline.nextAfter(10), timeline.nextAfter(20)]).toEqual([10, 20, Infinity]);
});

test('what held at the first byte that is left is not forgotten', () => {
  const timeline = new Timeline({ cols: 80, rows: 24, echo: true });
  timeline.change(10, { cols: 100 });
  timeline.change(50, { cols: 120 });

  timeline.forgetBefore(30);

  expect(timeline.at(30)).toMatchObject({ cols: 100 });
  expect(timeline.nextAfter(30)).toBe(50);
});

test('a program that changes things without end does not fill the memory', () => {
  const timeline = new Timeline({ cols: 80, rows: 24, echo: true });

  for (let at = 0; at < 100_000; at++) timeline.change(at, { echo: at % 2 === 0 });

  expect(timeline.at(0)).toMatchObject({ cols: 80 });
  expect(timeline.nextAfter(99_998)).toBe(99_999);
});
