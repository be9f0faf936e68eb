import { expect, test } from 'vitest';
import { folderOf, joinPath, nameOf, resolvePath, shownName, stepsTo, whyNotPath, whyNotRelative } from './paths.ts';

test.each(['/', '/etc', '/srv/data/a b/ö', '/a/...', '/a/..b', '/a/~', '/a/new\nline'])('%j is a path', (path) => {
  expect(whyNotPath(path)).toBeUndefined();
});

test.each([
  ['', 'must be absolute'],
  ['etc', 'must be absolute'],
  ['./etc', 'must be absolute'],
  ['/etc/', 'must not have an empty part'],
  ['//etc', 'must not have an empty part'],
  ['/a//b', 'must not have an empty part'],
  ['/..', "must not hold '..'"],
  ['/a/../b', "must not hold '..'"],
  ['/a/.', "must not hold '.'"],
  ['/a\0b', 'must not hold a NUL character'],
  ['/\ud800', 'must be well-formed text'],
  [`/${'x'.repeat(256)}`, 'has a part of more than 255 characters'],
])('%j is no path: it %s', (path, why) => {
  expect(whyNotPath(path)).toContain(why);
});

test.each([
  ['../x', "must not hold '..'"],
  ['..', "must not hold '..'"],
  ['a/../../x', "must not hold '..'"],
  ['/etc/passwd', 'must not have an empty part'],
  ['a//b', 'must not have an empty part'],
  ['', 'must not be empty'],
  ['a/\0', 'must not hold a NUL character'],
  ['.', "must not hold '.'"],
])('%j leads nowhere below a folder: it %s', (path, why) => {
  expect(whyNotRelative(path)).toContain(why);
});

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
