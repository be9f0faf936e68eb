import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { putInRevision, takeOutRevision } from './revision-in-text.ts';

test.each([
  'kind: role\nmetadata:\n  name: dev # the name\nspec: {}\n',
  '# top\nkind: role\nmetadata: {name: dev, description: x}\nspec: {}\n',
  'kind: role\nspec: {}\nmetadata:\n    # why\n    name: dev\n',
  'metadata:\n  name: dev',
])('a revision goes in and comes out without a trace: %j', (text) => {
  const marked = putInRevision(text, 'r-1');

  expect(parse(marked).metadata).toMatchObject({ name: 'dev', revision: 'r-1' });
  expect(takeOutRevision(marked)).toMatchObject({ text, revision: 'r-1' });
});

test('what stands after it keeps its line', () => {
  const text = 'kind: role\nmetadata:\n  id: 17\n  name: dev\n  revision: abc # theirs\nspec:\n  bad: 1\n';
  const { text: bare, sameLines, revision } = takeOutRevision(text);

  expect(bare).toBe('kind: role\nmetadata:\n  name: dev\nspec:\n  bad: 1\n');
  expect(sameLines.split('\n')[6]).toBe('  bad: 1');
  expect(revision).toBe('abc');
  expect(parse(takeOutRevision('metadata: {name: a, revision: x}\n').text)).toEqual({ metadata: { name: 'a' } });
});

test('a text that is no YAML is left for the reader to complain about', () => {
  expect(takeOutRevision('kind: [')).toMatchObject({ text: 'kind: [', revision: undefined });
});
