import { expect, test } from 'vitest';
import { HitScan, LINES_AT_ONCE } from './hit-scan.ts';

const line = (text: string) => ({ at: '', source: 0, text });
const lines = (count: number) => Array.from({ length: count }, (_, at) => line(at % 5 === 0 ? `Hit (${at})` : 'other'));

test('many lines are looked at a part at a time, and what comes behind them is looked at alone', () => {
  const scan = new HitScan();
  const all = lines(2 * LINES_AT_ONCE + 10);
  expect([scan.advance(all, 'hit ('), scan.hits.length]).toEqual([false, LINES_AT_ONCE / 5]);
  expect(scan.advance(all, 'hit (')).toBe(false);
  expect(scan.advance(all, 'hit (')).toBe(true);
  const found = scan.hits.length;
  let looked = 0;
  const counted = new Proxy([...all, line('HIT (x)')], {
    get(of, key, receiver) {
      if (typeof key === 'string' && /^\d+$/.test(key)) looked += 1;
      return Reflect.get(of, key, receiver);
    },
  });

  expect(scan.advance(counted, 'hit (')).toBe(true);
  expect([scan.hits.length, scan.hits.at(-1)]).toEqual([found + 1, all.length]);
  expect(looked).toBeLessThan(5);
});

test('other words, and lines of which the first are gone, are looked at anew', () => {
  const scan = new HitScan();
  const all = lines(100);
  scan.advance(all, 'hit');
  scan.advance(all, 'other');
  expect(scan.hits.length).toBe(80);
  scan.advance(all.slice(51), 'other');
  expect(scan.hits).toEqual(all.slice(51).flatMap(({ text }, at) => (text === 'other' ? [at] : [])));
  expect(scan.advance(all, '')).toBe(true);
  expect(scan.hits).toEqual([]);
});
