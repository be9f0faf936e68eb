import { MAX_COLS, MAX_ROWS } from '@gatehouse/contract/sessions/screen-size';
import { expect, test } from 'vitest';
import { sizeReader } from './read-sizes.ts';

const read = (...pieces: string[]) => {
  const sizes: [number, number][] = [];
  const take = sizeReader(({ cols, rows }) => sizes.push([cols, rows]));
  for (const piece of pieces) take(Buffer.from(piece));
  return sizes;
};

test('sizes are read one after the other, however they are cut', () => {
  const whole = '{"Width":80,"Height":24}\n{"Width":120,"Height":40}{"Height":5,"Width":6}';
  const wanted = [
    [80, 24],
    [120, 40],
    [6, 5],
  ];

  for (let cut = 0; cut < whole.length; cut += 1) expect(read(whole.slice(0, cut), whole.slice(cut))).toEqual(wanted);
});

test('what is no size is passed over, one that is too large is cut, and nothing is kept for ever', () => {
  expect(read('{"Width":0,"Height":1}', '{"Width":"80","Height":24}', 'nonsense}')).toEqual([]);
  expect(read('{"Width":999999,"Height":999999}')).toEqual([[MAX_COLS, MAX_ROWS]]);
  expect(read('x'.repeat(1_000), '{"Width":8,"Height":2}')).toEqual([[8, 2]]);
});
