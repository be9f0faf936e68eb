import { expect, test } from 'vitest';
import { folderOf, joinPath, nameOf, resolvePath, shownName, stepsTo, whyNotPath, whyNotRelative } from './paths.ts';

test.each(['/', '/etc', '/srv/data/a b/ö', '/a/...', '/a/..b', '/a/~', '/a/new\nline'])('%j is a path', (path) => {
  expect(whyNotPath(path)).toBeUndefined();
});

test.each([
  '',
  'etc',
  './etc',
  '/etc/',
  '//etc',
  '/a//b',
  '/..',
  '/a/../b',
  '/a/.',
  '/a\0b',
  '/\ud800',
  `/${'x'.repeat(256)}`,
])('%j is no path', (path) => {
  expect(whyNotPath(path)).toBeDefined();
});

test.each(['../x', '..', 'a/../../x', '/etc/passwd', 'a//b', '', 'a/\0', '.'])(
  '%j leads nowhere below a folder',
  (path) => {
    expect(whyNotRelative(path)).toBeDefined();
  },
);

test('a refusal says what is wrong', () => {
  expect(whyNotRelative('a/../../etc')).toBe("must not hold '..': it may lead out of its folder");
});

test('paths are joined and taken apart', () => {
  expect([joinPath('/', 'a'), joinPath('/a', 'b'), nameOf('/a/b'), folderOf('/a/b'), folderOf('/a')]).toEqual([
    ...['/a', '/a/b', 'b', '/a', '/'],
  ]);
  expect(stepsTo('/')).toEqual([]);
  expect(stepsTo('/a/b')).toEqual([
    { name: 'a', path: '/a' },
    { name: 'b', path: '/a/b' },
  ]);
});

test.each([
  ['~', '/home/ann'],
  ['~/x', '/home/ann/x'],
  ['../y', '/srv/y'],
  ['../../../../y', '/y'],
  ['/a//b/./c/', '/a/b/c'],
  ['~x', '/srv/data/~x'],
  ['', '/srv/data'],
])('%j typed in /srv/data means %s', (typed, meant) => {
  expect(resolvePath(typed, { folder: '/srv/data', home: '/home/ann' })).toBe(meant);
});

test('a name is shown without what steers a page or a terminal', () => {
  expect(shownName('a\u202egnp.exe')).toBe('a\\u{202e}gnp.exe');
  expect(shownName('x\n\u001b[31m')).toBe('x\\n\\x1b[31m');
  expect(shownName('caf\uf7e9')).toBe('caf\\xe9');
});
