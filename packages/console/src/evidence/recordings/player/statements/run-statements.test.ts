import type { PlayedItem } from '@gatehouse/contract/recordings/recordings';
import { expect, test } from 'vitest';
import { filterRuns, hasWords, lineOf, marksIn, RunStatements, runAt, tookText } from './run-statements.ts';

const asked = (n: number, ms: number, text: string, more: object = {}): PlayedItem => ({
  ...{ type: 'asked', n, ms, what: 'query', text },
  ...more,
});
const answered = (n: number, ms: number, error?: string): PlayedItem => ({
  ...{ type: 'answered', n, ms, took: 2, rows: 1, bytes: 10, tag: '', code: error ? '42' : '' },
  ...(error === undefined ? {} : { error }),
});

function runsOf(...pieces: PlayedItem[][]) {
  const statements = new RunStatements();
  for (const piece of pieces) statements.add(piece);
  return statements.runs;
}

test('answers find their statements, also in a later piece, and what nobody asked is passed over', () => {
  const runs = runsOf(
    [asked(1, 0, 'a'), asked(2, 5, 'b')],
    [answered(2, 6), answered(9, 7), { type: 'end', ms: 8, text: 'over' }, asked(3, 9, 'c')],
  );

  expect(runs.map(({ asked: { n }, answered: answer }) => [n, answer?.ms])).toEqual([
    [1, undefined],
    [2, 6],
    [3, undefined],
  ]);
});

test('what only prepares is left out unless it failed, and so is what went well or was quick, where that is wanted', () => {
  const runs = runsOf([
    asked(1, 0, 'select 1'),
    answered(1, 2),
    asked(2, 2, 'selct'),
    answered(2, 3, 'no such thing'),
    asked(3, 4, 'select 2', { what: 'prepare' }),
    asked(4, 5, 'slct', { what: 'prepare' }),
    answered(4, 6, 'no such thing'),
  ]);
  const numbers = (failedOnly: boolean, slowerThan = 0) =>
    filterRuns(runs, { failedOnly, slowerThan }).map(({ asked: { n } }) => n);

  expect(numbers(false)).toEqual([1, 2, 4]);
  expect(numbers(true)).toEqual([2, 4]);
  expect(numbers(false, 1)).toEqual([1, 2, 4]);
  expect(numbers(false, 2)).toEqual([]);
});

test('words are looked for in texts, values and errors', () => {
  const runs = runsOf([
    asked(1, 0, 'SELECT * FROM Orders'),
    asked(2, 1, 'select $1', { values: ['orders'] }),
    asked(3, 2, 'selct', {}),
    answered(3, 3, 'no such thing as orders'),
    asked(4, 4, 'select 1'),
  ]);
  const numbers = (words: string) => runs.filter((run) => hasWords(run, words)).map(({ asked: { n } }) => n);

  expect(numbers('ORDERS')).toEqual([1, 2, 3]);
  expect(numbers('from orders')).toEqual([1]);
  expect(numbers(' ')).toEqual([]);
});

test('a second names the statement that ran then', () => {
  const runs = runsOf([asked(1, 100, 'a'), asked(2, 200, 'b')]);

  expect([0, 100, 199, 200, 9_999].map((ms) => runAt(runs, ms)?.asked.n)).toEqual([1, 1, 1, 2, 2]);
  expect(runAt([], 5)).toBeUndefined();
});

test('lines, marks and times are as they are shown', () => {
  const [run] = runsOf([asked(1, 0, '  select\n\n  1')]);

  expect(run && lineOf(run)).toBe('select 1');
  expect(marksIn('select Select', 'SELECT')).toEqual([
    [0, 6],
    [7, 6],
  ]);
  expect([0.62, 9.96, 214.4, 2_312].map(tookText)).toEqual(['0.6 ms', '10 ms', '214 ms', '2.3 s']);
});
