import { expect, test } from 'vitest';
import { Activity, activityStrip } from './activity.ts';
import { endsInside } from './ends-inside.ts';

test.each([
  ['plain', false],
  ['\x1b', true],
  ['\x1b[', true],
  ['\x1b[31', true],
  ['\x1b[31m', false],
  ['\x1b[31mred', false],
  ['\x1b]0;title', true],
  ['\x1b]0;title\x07', false],
  ['\x1b]0;title\x1b', true],
  ['\x1b]0;title\x1b\\', false],
  ['\x1bP1$r', true],
  ['\x1b(', true],
  ['\x1b(0', false],
  ['\x1b7', false],
  ['größe', false],
])('%j ends inside of something: %j', (text, expected) => {
  expect(endsInside(Buffer.from(text))).toBe(expected);
});

test('half a character is the inside of one', () => {
  const bytes = Buffer.from('漢');
  expect(endsInside(bytes.subarray(0, 1))).toBe(true);
  expect(endsInside(bytes.subarray(0, 2))).toBe(true);
  expect(endsInside(bytes)).toBe(false);
});

test('activity keeps its number of steps however long the recording is, and idle parts are zero', () => {
  const activity = new Activity();
  activity.add(0, 10);
  activity.add(8 * 3_600_000, 100_000);
  expect(activity.state.bytes.length).toBeLessThanOrEqual(600);

  const strip = activityStrip(activity.state, 8 * 3_600_000);
  expect(strip.length).toBe(300);
  expect(strip[0]).toBeGreaterThan(0);
  expect(strip.at(-1)).toBe(1);
  expect(strip.slice(5, 290).every((part) => part === 0)).toBe(true);
});
