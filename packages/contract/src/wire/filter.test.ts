import fc from 'fast-check';
import { expect, test } from 'vitest';
import { labelFilter, parseFilter, parseSearch } from './filter.ts';
import { FilterError } from './filter-tokens.ts';

const name = { type: 'name' };
const label = (key: string) => ({ type: 'label', key });
const text = (value: string) => ({ type: 'text', text: value });
const equals = (left: object, right: object) => ({ type: 'equals', left, right });

test.each([
  ['name == "a"', equals(name, text('a'))],
  ['"a" != name', { type: 'not', of: equals(text('a'), name) }],
  ['labels["env"] == "prod"', equals(label('env'), text('prod'))],
  ['labels.env=="prod"', equals(label('env'), text('prod'))],
  ['labels["a.b/c"] == labels.other-key', equals(label('a.b/c'), label('other-key'))],
  ['equals(labels.env, "prod")', equals(label('env'), text('prod'))],
  ['exists(labels["env"])', { type: 'exists', of: label('env') }],
  ['search("A", "b c")', { type: 'search', words: ['a', 'b c'] }],
  ['resource.spec.hostname == "x"', equals({ type: 'path', path: ['spec', 'hostname'] }, text('x'))],
  ['resource.metadata.labels["k"] == "v"', equals(label('k'), text('v'))],
  ['resource.metadata.labels.k == "v"', equals(label('k'), text('v'))],
  ['name == "say \\"hi\\" \\\\ \\u00e4"', equals(name, text('say "hi" \\ ä'))],
  [
    'name == "a" || name == "b" && !(name == "c")',
    {
      type: 'or',
      of: [
        equals(name, text('a')),
        { type: 'and', of: [equals(name, text('b')), { type: 'not', of: equals(name, text('c')) }] },
      ],
    },
  ],
])('%s is read', (query, expected) => {
  expect(parseFilter(query)).toEqual(expected);
});

test.each([
  ['', 1],
  ['name', 5],
  ['name =', 6],
  ['name = "a"', 6],
  ["name == 'a'", 9],
  ['name == "a', 9],
  ['name == "\\x"', 9],
  ['name == "\\u0000"', 9],
  ['name == "a" extra', 13],
  ['(name == "a"', 13],
  ['labels == "a"', 1],
  ['labels.a.b == "a"', 1],
  ['label["a"] == "b"', 1],
  ['resource == "a"', 1],
  ['resource.spec["a"b] == "a"', 18],
  ['resource.spec["a b"] == "a"', 1],
  ['contains(name, "a")', 1],
  ['equals(name)', 12],
  ['search(name)', 8],
  ['search()', 8],
  ['exists()', 8],
  ['equals(search("a"), "b")', 8],
  ['name.length == "a"', 5],
  ['!', 2],
  [`${'!'.repeat(50)}name == "a"`, 22],
  [`${'('.repeat(50)}name == "a"${')'.repeat(50)}`, 22],
])('%s is refused at character %i', (query, at) => {
  const error = thrownBy(() => parseFilter(query));

  expect(error).toBeInstanceOf(FilterError);
  expect((error as FilterError).at).toBe(at);
});

test('a predicate of any length is read or refused, and arbitrary text never ends otherwise', () => {
  const pieces = fc.constantFrom(
    'name',
    '==',
    '"a"',
    '(',
    ')',
    '!',
    '&&',
    '||',
    'search',
    ',',
    ' ',
    '[',
    '.',
    '"',
    'é',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(pieces, { maxLength: 80 }).map((parts) => parts.join('')),
        fc.string(),
      ),
      (query) => {
        const error = thrownBy(() => parseFilter(query));
        if (error !== undefined) expect(error).toBeInstanceOf(FilterError);
      },
    ),
    { numRuns: 500 },
  );
  expect(thrownBy(() => parseFilter(Array.from({ length: 500 }, () => 'name=="a"').join('||')))).toBeInstanceOf(
    FilterError,
  );
});

test.each([
  ['', []],
  ['  Web  db ', ['web', 'db']],
  ['"two Words" one', ['two words', 'one']],
  ['"not closed', ['not closed']],
  ['a"b c"d', ['a', 'b c', 'd']],
  ['"" " " a a', ['a']],
])('the search %j is the words %j', (search, words) => {
  expect(parseSearch(search)).toEqual(words);
});

test('a search of very many words is refused', () => {
  const many = Array.from({ length: 40 }, (_, index) => `w${index}`).join(' ');

  expect(() => parseSearch(many)).toThrow(FilterError);
});

test('the predicate for a label holds its key and value whatever they are', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (key, value) => {
      fc.pre(!key.includes('\0') && !value.includes('\0'));

      expect(parseFilter(labelFilter(key, value))).toEqual(equals(label(key), text(value)));
    }),
  );
});

function thrownBy(action: () => unknown): unknown {
  try {
    action();
    return undefined;
  } catch (error) {
    return error;
  }
}
