import { expect, test } from 'vitest';
import { boundFields } from './bound-fields.ts';

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
