import { expect, test } from 'vitest';
import { commentsIn } from './sql-comments.ts';

const POSTGRES = { isMysql: false, backslashes: false };
const MYSQL = { isMysql: true, backslashes: true };

test.each<[string, string, typeof MYSQL, string[]]>([
  ['both kinds', 'select 1 -- one\n, 2 /* two */;', POSTGRES, ['-- one\n', '/* two */']],
  ['one after the other', '--a\n--b\n/*c*//*d*/select 1', POSTGRES, ['--a\n', '--b\n', '/*c*/', '/*d*/']],
  ['beside names in quotes', 'select "a--b"/*c*/, "d" -- "e', POSTGRES, ['/*c*/', '-- "e']],
  ['in texts there are none', "select '--', '/*', $$ -- $$, 'x'", POSTGRES, []],
  ['with hashes', 'select 1 # one', MYSQL, ['# one']],
  ['what is run is none', 'select 1 /*!50000 + 1 */', MYSQL, []],
  ['one that is not closed', 'select 1 /* on', POSTGRES, ['/* on']],
])('%s', (_, text, quoting, found) => {
  expect([...commentsIn(text, quoting)].map(({ from, to }) => text.slice(from, to))).toEqual(found);
});

test('one in another is told, as far as the server takes it', () => {
  const text = 'delete from goods /* all /* of them */ where id = 1 -- */';
  const nested = (quoting: typeof MYSQL) =>
    [...commentsIn(text, quoting)].map(({ from, to, isNested }) => [text.slice(from, to), isNested]);
  expect(nested(POSTGRES)).toEqual([['/* all /* of them */ where id = 1 -- */', true]]);
  expect(nested(MYSQL)).toEqual([
    ['/* all /* of them */', true],
    ['-- */', false],
  ]);
  expect([...commentsIn('/* a */ select 1 /* b */', POSTGRES)].some(({ isNested }) => isNested)).toBe(false);
});
