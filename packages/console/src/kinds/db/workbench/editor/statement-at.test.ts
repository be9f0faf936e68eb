import { expect, test } from 'vitest';
import { statementAt } from './statement-at.ts';

const PG = { backslashes: false, isMysql: false };
const TEXT = '\n select 1;\n\n-- two\nselect 2;  ';

test.each([
  [0, 'select 1'],
  [2, 'select 1'],
  [11, 'select 1'],
  [12, 'select 1'],
  [14, '-- two\nselect 2'],
  [25, '-- two\nselect 2'],
  [31, '-- two\nselect 2'],
])('at %i it is %j', (cursor, sql) => {
  expect(statementAt(TEXT, cursor, PG)?.sql).toBe(sql);
});

test('where there is none, there is none', () => {
  expect(statementAt(' ;; -- x', 3, PG)).toBe(undefined);
});
