/** Holds docs/security-lessons.md to the repository: every lesson has a row, and every test it names is there. */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const LESSONS = 64;
const STATES = /^(held|in part: .+|not built: .+)$/;

const page = readFileSync(join(ROOT, 'docs/security-lessons.md'), 'utf8');
const rows = [...page.matchAll(/^\| (\d+) \| (.+) \| (.+) \| ?(.*) ?\|$/gm)].map(([, number, words, state, cell]) => ({
  number: Number(number),
  words: words as string,
  state: state as string,
  tests: (cell as string)
    .trim()
    .split('<br>')
    .filter((text) => text !== '')
    .map((text) => /^`([^`]+)` (.+)$/.exec(text)?.slice(1) ?? [text, '']) as [string, string][],
}));

test('every lesson has one row with a state', () => {
  expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: LESSONS }, (_, index) => index + 1));
  expect(rows.filter(({ state }) => !STATES.test(state))).toEqual([]);
});

test('what is held, in part too, names a test', () => {
  expect(rows.filter(({ state, tests }) => !state.startsWith('not built') && tests.length === 0)).toEqual([]);
});

test('every test that is named is there', () => {
  const missing = rows.flatMap(({ number, tests }) =>
    tests
      .filter(([file, name]) => !existsSync(join(ROOT, file)) || name === '' || !textOf(file).includes(name))
      .map(([file, name]) => `${number}: ${file}: ${name}`),
  );

  expect(missing).toEqual([]);
});

/** Names as they are written down, whichever quotes they stand in. */
function textOf(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8').replaceAll("\\'", "'");
}
