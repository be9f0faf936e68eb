import { expect, test } from 'vitest';
import { isPlainText } from './line-text.ts';

test.each([
  ['a no-break space, which is a letter to PostgreSQL: all rows go', 'delete from goods where\u00a0archived'],
  ['a wide space', 'delete from goods where\u3000archived'],
  ['a soft hyphen in a name', 'delete from go\u00adods'],
  ['a filler that is a letter', 'delete from goods\u3164'],
  ['a mark that chooses a shape', 'delete from goods\ufe0f'],
  ['a tag', 'delete from goods\u{e0041}'],
  ['an empty pattern of Braille', 'delete from goods\u2800'],
  ['private use', 'delete from goods\ue000'],
  ['what joins letters', 'delete from go\u034fods'],
  ['an override', 'select 1 /* \u202e */'],
  ['a bare carriage return', '-- harmless\rdrop table goods'],
])('%s is nothing that somebody decides about', (_, text) => {
  expect(isPlainText(text)).toBe(false);
});

test('what is seen may stand in any script, on several lines', () => {
  for (const text of ["update goods\r\n\tset name = 'größe 開発 שלום 🙂 ½ €'\n", 'select 1'])
    expect([text, isPlainText(text)]).toEqual([text, true]);
});
