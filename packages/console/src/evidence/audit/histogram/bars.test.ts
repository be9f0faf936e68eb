import { expect, test } from 'vitest';
import { barAt, barsIn, barsOf, partsOf, spanOfBars } from './bars.ts';

const MINUTE = 60_000;
const START = Date.UTC(2026, 10, 14, 17);
const bucket = (info: number, warning = 0, error = 0) => ({ time: '', info, warning, error });
const COUNTS = {
  from: new Date(START).toISOString(),
  to: new Date(START + 4 * MINUTE - 1).toISOString(),
  bucketMs: MINUTE,
  buckets: [bucket(0), bucket(1_000), bucket(1, 1, 1), bucket(500, 20)],
  total: 1_523,
  complete: true,
  countedFrom: '',
  types: [],
  users: [],
  severities: [],
  kinds: [],
};
const BARS = barsOf(COUNTS);

test('bars follow one another and end with the range', () => {
  expect(BARS.map(({ from, to }) => to - from)).toEqual([MINUTE, MINUTE, MINUTE, MINUTE]);
  expect(BARS.at(-1)?.to).toBe(START + 4 * MINUTE);
  expect(barsOf({ ...COUNTS, to: new Date(START + 3.5 * MINUTE - 1).toISOString() }).at(-1)?.to).toBe(
    START + 3.5 * MINUTE,
  );
});

test('one error among a thousand events is seen, and nothing leaves the chart', () => {
  const parts = partsOf(BARS[2]!, 1_000, 64);

  expect(parts.map(({ severity }) => severity)).toEqual(['info', 'warning', 'error']);
  expect(parts.every(({ y, height }) => height >= 2 && y >= 0 && y + height <= 64)).toBe(true);
  expect(partsOf(BARS[1]!, 1_000, 64)[0]).toMatchObject({ severity: 'info', y: 4 });
  expect(partsOf(BARS[0]!, 1_000, 64)).toEqual([]);
});

test('a hand outside of the chart means its edge', () => {
  expect([-0.2, 0, 0.5, 0.99, 3].map((place) => barAt(place, 4))).toEqual([0, 0, 2, 3, 3]);
});

test('a part of the time is meant from either side, and found again', () => {
  const span = spanOfBars(BARS, 2, 1);

  expect(span).toEqual({ from: START + MINUTE, to: START + 3 * MINUTE });
  expect(barsIn(BARS, span)).toEqual({ first: 1, last: 2 });
  expect(barsIn(BARS, { from: 0, to: 1 })).toBeUndefined();
  expect(barsIn(BARS, undefined)).toBeUndefined();
});
