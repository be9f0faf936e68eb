import { expect, test } from 'vitest';
import { canonicalJson } from '../std/canonical-json.ts';
import { boundFields, plainJson } from './bound-fields.ts';

test('a text of a megabyte is cut and says how long it was', () => {
  const { query } = boundFields({ query: 'x'.repeat(1_048_576) }) as { query: string };

  expect(query.length).toBeLessThan(9_000);
  expect(query).toContain('… (1048576 characters)');
});

test('many long texts are bounded together', () => {
  const fields = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`f${index}`, 'y'.repeat(8_000)]));

  expect(JSON.stringify(boundFields(fields)).length).toBeLessThan(90_000);
});

test('deep and wide values end somewhere', () => {
  let deep: unknown = 'bottom';
  for (let depth = 0; depth < 10_000; depth++) deep = [deep];
  const wide = Array.from({ length: 5_000 }, (_, index) => index);

  const text = JSON.stringify(boundFields({ deep, wide }));

  expect(text.length).toBeLessThan(3_000);
  expect(text).toContain('nested too deeply');
  expect(text).toContain('4744 more');
});

test('what no store takes is replaced, and the rest is left alone', () => {
  expect(boundFields({ nul: 'a\0b', half: 'a\ud800b', whole: '😀', n: Number.NaN, ok: true, none: undefined })).toEqual(
    {
      nul: 'a\ufffdb',
      half: 'a\ufffdb',
      whole: '😀',
      n: null,
      ok: true,
    },
  );
});

const written = (fields: Record<string, unknown>) => plainJson(fields, Object.keys(fields).sort());
const deep = (levels: number): unknown => (levels === 0 ? 'bottom' : { in: deep(levels - 1) });

test.each([
  ['a statement', { db_query: 'select 1', n: 1.5, ok: true, none: undefined, nil: null, labels: { z: 'a', b: '' } }],
  ['lists', { list: ['a', 1, null, undefined, [], {}] }],
  ['the deepest that is told', { a: deep(6) }],
  ['as much as is told', { a: 'x'.repeat(8_192), b: Array.from({ length: 256 }, () => 1) }],
])('what is as it should be is written at once, and alike: %s', (_what, fields) => {
  expect(written(fields)).toBe(canonicalJson(boundFields(fields)));
});

test.each([
  ['a long text', { a: 'x'.repeat(8_193) }],
  ['a long name', { ['n'.repeat(257)]: 1 }],
  [
    'texts that are too much together',
    Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`f${n}`, 'y'.repeat(8_000)])),
  ],
  ['a deep value', { a: deep(9) }],
  ['a deep list', { a: [[[[[[[['x']]]]]]]] }],
  ['many items', { a: Array.from({ length: 257 }, () => 1) }],
  ['many names', { a: Object.fromEntries(Array.from({ length: 257 }, (_, n) => [`f${n}`, 1])) }],
  ['what no store takes', { a: 'x\0' }],
  ['half a character', { a: '\ud800' }],
  ['escapes', { a: '"\n' }],
  ['no number', { a: Number.NaN }],
  ['a large number', { a: 1n }],
  ['a time', { a: new Date(0) }],
])('what has to be cut or escaped is not: %s', (_what, fields) => {
  expect(written(fields)).toBeUndefined();
});
