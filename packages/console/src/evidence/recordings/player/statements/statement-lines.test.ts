import type { PlayedItem } from '@gatehouse/contract/recordings/recordings';
import { expect, test } from 'vitest';
import { RunStatements } from './run-statements.ts';
import { eventOf } from './statement-event.tsx';
import { linesOf, lineWith, quietStretches, rowsOf, tookOf } from './statement-lines.ts';
import { StatementSource } from './statement-source.ts';

const run = (n: number, ms: number, text: string, error?: string): PlayedItem[] => [
  { type: 'asked', n, ms, what: 'query', text, values: [String(n)] },
  {
    ...{ type: 'answered', n, ms: ms + 4, took: 4, rows: 1, bytes: 1, tag: '', code: '' },
    ...(error === undefined ? {} : { error }),
  },
];
function read(...items: PlayedItem[][]) {
  const statements = new RunStatements();
  statements.add(items.flat());
  return statements;
}
const MANY = read(
  run(1, 0, 'begin'),
  ...[2, 3, 4].map((n) => run(n, n * 10, 'update')),
  run(5, 50, 'update', 'deadlock'),
  ...[6, 7].map((n) => run(n, n * 10, 'update')),
  run(8, 9_000, 'commit'),
);

test('three and more runs of one are one line with all of their time and rows; what failed stands by itself', () => {
  const lines = linesOf(MANY.runs, new Set());

  expect(lines.map(({ run: { asked }, runs, isOpen }) => [asked.n, runs.length, isOpen])).toEqual([
    [1, 1, undefined],
    [2, 3, false],
    [5, 1, undefined],
    [6, 1, undefined],
    [7, 1, undefined],
    [8, 1, undefined],
  ]);
  expect(lines.slice(1, 2).map((line) => [tookOf(line), rowsOf(line)])).toEqual([[12, 3]]);
  expect(lineWith(lines, MANY.runs[2])).toBe(1);
});

test('a line that is open has each run below it, which is then the line of that run', () => {
  const lines = linesOf(MANY.runs, new Set([2]));

  expect(lines.slice(1, 5).map(({ key, isBelow }) => [key, isBelow])).toEqual([
    ['2+', false],
    ['2', true],
    ['3', true],
    ['4', true],
  ]);
  expect(lineWith(lines, MANY.runs[2])).toBe(3);
  expect(lineWith(lines, undefined)).toBe(-1);
});

test('it is quiet where nothing is asked and nothing runs, up to the end', () => {
  expect(quietStretches(MANY.runs, 20_000)).toEqual([
    { fromMs: 74, toMs: 9_000 },
    { fromMs: 9_004, toMs: 20_000 },
  ]);
  const [asked] = run(1, 0, 'a');
  const answer: PlayedItem = { type: 'answered', n: 1, ms: 9_000, took: 9_000, rows: 0, bytes: 0, tag: '', code: '' };
  expect(quietStretches(read([asked as PlayedItem, answer]).runs, 9_500)).toEqual([]);
});

test('the player gets what was read, waits for what was not, and asks for it', async () => {
  let starved = 0;
  const source = new StatementSource(() => {
    starved += 1;
  });
  const { signal } = new AbortController();
  const seeking = source.seek(60, signal);
  source.update({ moments: MANY.moments.slice(0, 4), isWhole: false, isLive: false });
  await new Promise(setImmediate);
  source.update({ moments: MANY.moments, isWhole: true, isLive: false });

  expect((await seeking).items[0]).toMatchObject({ ms: 64 });
  expect((await seeking).next).toBe(undefined);
  expect(starved).toBe(2);
  source.update({ moments: MANY.moments, isWhole: true, isLive: true });
  expect(await source.next(String(MANY.moments.length), signal)).toEqual({ items: [], live: true, next: '16' });
});

test('the event of a statement has its number, or stands for it and those after it', () => {
  const event = (uid: string, statement: object, db_query = 'update') => ({
    ...{ uid, time: '2026-11-13T22:52:20.000Z', code: 'TDB02I', db_query, statement },
  });
  const events = [
    event('one', { n: 1, recorded: 2 }),
    event('other', { n: 2, recorded: 9, count: 7 }, 'select'),
    event('many', { n: 3, recorded: 4, count: 2 }),
    { uid: 'none', time: 'x', code: 'T2000I' },
  ];

  expect(MANY.runs.slice(1, 4).map((each) => eventOf(events, each)?.id)).toEqual(['one', 'many', 'many']);
  expect(eventOf(events, MANY.runs[5] as (typeof MANY.runs)[0])).toBe(undefined);
});
