import { expect, test } from 'vitest';
import { isPlainName, tokenLine } from './token-line.ts';

const none = () => [];

test.each([
  [['node'], none, 'gatehouse tokens add --type=node'],
  [['db'], none, 'gatehouse tokens add --type=db'],
  [['app'], none, 'gatehouse tokens add --type=app --apps NAME'],
  [['app'], () => ['wiki', 'shop-*', 'wiki'], "gatehouse tokens add --type=app --apps 'wiki,shop-*'"],
  [['node', 'kube', 'node'], () => ['prod'], 'gatehouse tokens add --type=node,kube --kubernetes prod'],
] as const)('a token for %j is typed with what it needs', (kinds, namesOf, line) => {
  expect(tokenLine(kinds, namesOf)).toBe(line);
});

test.each([
  ['wiki', true],
  ['shop-1.inside', true],
  ['*', false],
  ['shop-*', false],
  ['x;reboot', false],
  ['--apps', false],
  ['a,b', false],
  ['', false],
])('%s is a name to paste: %s', (name, isPlain) => {
  expect(isPlainName(name)).toBe(isPlain);
});
