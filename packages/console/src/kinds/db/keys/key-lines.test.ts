import { expect, test } from 'vitest';
import { keyLines } from './key-lines.ts';

const keys = (...names: string[]) => names.map((name) => ({ name, kind: 'string' }));
const shown = (lines: ReturnType<typeof keyLines>) =>
  lines.map((line) => `${'  '.repeat(line.depth)}${line.label}${line.is === 'folder' ? ` (${line.count})` : ''}`);

test('what stands before a colon is a folder, unless one key alone has it', () => {
  const found = keys('user:2', 'flags', 'cart:1:item', 'user:1', 'rate:a:1', 'rate:a:2', 'rate:b');

  expect(shown(keyLines(found, new Set()))).toEqual(['cart:1:item', 'flags', 'rate: (3)', 'user: (2)']);
  expect(shown(keyLines(found, new Set(['rate:', 'rate:a:'])))).toEqual([
    'cart:1:item',
    'flags',
    'rate: (3)',
    '  a: (2)',
    '    rate:a:1',
    '    rate:a:2',
    '  rate:b',
    'user: (2)',
  ]);
});

test('names that are no text, end in a colon or have only colons are listed, each once', () => {
  const found = [...keys(':', '::', ':::', 'a:', 'a:b', ''), { name: { base64: '/zo=' }, kind: 'string' }];
  const open = new Set([':', '::', ':::', 'a:']);
  const listed = keyLines(found, open).filter(({ is }) => is === 'key');

  expect(new Set(listed.map(({ path }) => path)).size).toBe(found.length);
  expect(listed).toHaveLength(found.length);
});

test('a hundred thousand parts in a name make no hundred thousand levels', () => {
  const deep = `${'a:'.repeat(100_000)}`;
  const lines = keyLines(
    keys(`${deep}1`, `${deep}2`),
    new Set(['a:', 'a:a:', 'a:a:a:', 'a:a:a:a:', 'a:a:a:a:a:', 'a:a:a:a:a:a:']),
  );

  expect(lines).toHaveLength(8);
});
