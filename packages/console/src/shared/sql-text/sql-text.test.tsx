import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { SqlText } from './sql-text.tsx';

test('comments have a colour of their own, so that nobody takes them for what runs', () => {
  const sql = 'delete from "goods"-- where id = 1\n/* or id = 2 */';
  const shown = renderToStaticMarkup(<SqlText sql={sql} quoting={{ isMysql: false, backslashes: false }} />);

  expect(shown.replace(/<[^>]*>/g, '').replaceAll('&quot;', '"')).toBe(sql);
  expect(shown).toMatch(/<span[^>]*comment[^>]*>-- where id = 1/);
  expect(shown).toMatch(/<span[^>]*comment[^>]*>\/\* or id = 2 \*\//);
});
