import { expect, test, vi } from 'vitest';
import { keepTemplates } from './known-templates.ts';
import { parseTemplate } from './template.ts';

test('a template is read once while it is kept, and only so many are kept', () => {
  const parse = vi.fn(parseTemplate);
  const templateOf = keepTemplates(parse, 2);
  const [a, b, c] = ['{{external.a}}', '{{regexp.replace(external.b, "^x(.*)$", "$1")}}', '{{external.c}}'] as const;
  for (const text of [a, b, a, b, a]) templateOf(text);
  expect(parse).toHaveBeenCalledTimes(2);
  expect(templateOf(b)?.expand({ b: ['x1'] })).toEqual(['1']);

  templateOf(c);
  templateOf(b);
  expect(parse).toHaveBeenCalledTimes(3);
  templateOf(a);
  expect(parse).toHaveBeenCalledTimes(4);
});

test('text without a template is not kept', () => {
  const parse = vi.fn(parseTemplate);
  const templateOf = keepTemplates(parse);

  expect([templateOf('a secret'), templateOf('a secret')]).toEqual([undefined, undefined]);
  expect(parse).toHaveBeenCalledTimes(2);
});
