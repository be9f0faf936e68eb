import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { isolated, isolatedPlain } from './isolated-text.tsx';
import { SqlText } from './sql-text.tsx';

const [ONE, TWO] = ['\u05d0\u05d1', '\u0628\u062a'];
const shown = (node: ReactNode) => renderToStaticMarkup(node).replaceAll('&#x27;', "'");
const sqlShown = (sql: string) => shown(<SqlText sql={sql} quoting={{ isMysql: false, backslashes: false }} />);
const LONG = ' '.repeat(10_000);

test.each([
  ['between two texts', `in ('${ONE}', 5 - 3, '${TWO}')`],
  ['between two names', `where ${ONE} = 5 - 3 and ${TWO} > 7`],
  ['inside of one text', `select '${ONE} 5 - 3 ${TWO}'`],
  ['in a block that runs', `do $$ begin perform ${ONE} - ${TWO}; end $$`],
  ['in what is too long for colours', `in ('${ONE}', 5 - 3, '${TWO}')${LONG}`],
])('signs and digits %s stand outside of what is turned round', (_, sql) => {
  const markup = sqlShown(sql);

  expect(markup.replace(/<[^>]*>/g, '').replaceAll('&gt;', '>')).toBe(sql);
  expect(markup).toContain(`<bdi>${ONE}</bdi>`);
  expect(markup).toContain(`<bdi>${TWO}</bdi>`);
});

test('phrases in a text between plain quotes are read as they are written, names beside each other are not', () => {
  expect(sqlShown(`select '${ONE} ${TWO}'`)).toContain(`<bdi>${ONE} ${TWO}</bdi>`);
  expect(sqlShown(`select ${ONE} ${TWO}`)).toContain(`<bdi>${ONE}</bdi> <bdi>${TWO}</bdi>`);
});

test('a comment is one piece, whatever is in it', () => {
  expect(sqlShown(`select 5 /* ${ONE} 1 */ - 3`)).toContain(`<bdi dir="ltr">/* ${ONE} 1 */</bdi>`);
});

test('text without such letters stays one piece', () => {
  expect(isolated("select 'é' = 1")).toBe("select 'é' = 1");
  expect(isolatedPlain(`a ${ONE} = 1`)).toBe(`a \u2068${ONE}\u2069 = 1`);
});
