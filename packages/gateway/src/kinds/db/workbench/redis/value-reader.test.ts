import type { RedisValue } from '@gatehouse/contract/kinds/db/editor';
import { expect, test } from 'vitest';
import { ValueReader } from './value-reader.ts';

const LINE = 'x'.repeat(60 * 1024);

function read(...pieces: string[]): RedisValue[] {
  const heard: RedisValue[] = [];
  const reader = new ValueReader((value) => void heard.push(value));
  for (const piece of pieces) reader.feed(Buffer.from(piece));
  return heard;
}

test.each(['+', '-', ':'])('lines that begin with %s count like texts: a list of them is cut', (sign) => {
  const heard = read(
    '*10000\r\n',
    ...Array.from({ length: 10_000 }, (_, at) => (at < 100 ? `${sign}${LINE}\r\n` : `${sign}1\r\n`)),
  );

  expect(heard).toHaveLength(1);
  expect(JSON.stringify(heard).length).toBeLessThan(600 * 1024);
  const [list] = heard;
  expect(list?.is === 'list' ? list.values.length + (list.left ?? 0) : 0).toBe(10_000);
});

test('an answer after a large one is whole again', () => {
  const lines = Array.from({ length: 20 }, () => `+${LINE}\r\n`);
  expect(read('*20\r\n', ...lines, '+OK\r\n', `-${LINE}\r\n`).slice(1)).toEqual([
    { is: 'status', value: 'OK' },
    { is: 'error', value: LINE },
  ]);
});
