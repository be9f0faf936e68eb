import { expect, test } from 'vitest';
import { countAsked } from './asked-text.ts';

test.each([
  [
    'a Cyrillic letter makes an outer join an inner one',
    'delete from a where id in (select id from b l\u0435ft join c using (id))',
  ],
  ['right behind a name in quotes', 'delete from goods using "b"l\u0435ft join c on true'],
  ['a Greek letter', 'delete from goods wh\u0395re'],
  ['wide letters', 'delete from goods \uff37\uff28\uff25\uff32\uff25'],
  ['letters of formulas', 'delete from goods \u{1d530}'],
])('%s: it is not taken', (_, sql) => {
  expect(() => countAsked('postgres', sql)).toThrow('look like others');
});

test('names and texts in any script are taken, also beside Latin letters', () => {
  for (const sql of [
    'update größe set ユーザーID = 1',
    'update имя set note = \'д\u0065 \uff37 ½\', "Имя ID" = 2 -- д\u0065',
  ])
    expect(countAsked('postgres', sql)).toBe(1);
});
