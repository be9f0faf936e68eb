import { expect, test } from 'vitest';
import { isFileName, matchesPattern, readDrivePath, shortDriveName } from './drive-names.ts';

test.each([
  ['\\', ''],
  ['', ''],
  ['\\a', 'a'],
  ['\\a\\b c\\d.txt', 'a/b c/d.txt'],
  ['/a/b c/d.txt', 'a/b c/d.txt'],
  ['\\a\\', 'a'],
  ['\\ü 😀', 'ü 😀'],
  ['\\console', 'console'],
  ['\\.hidden', '.hidden'],
  ['\\..a', '..a'],
])('a path of a host becomes one of the folder: %s', (said, path) => {
  expect(readDrivePath(said)).toBe(path);
});

test.each([
  ...['\\..', '\\a\\..\\b', '\\.', '..', '\\a\\.', '\\a\\\\b', '\\\\server\\share', '\\a/../b', '/..', '//x'],
  ...['\\C:', '\\a:stream', '\\a*', '\\a?', '\\a"', '\\a<', '\\a|', '\\a\u0001', '\\a\u007f', '\\\ud800'],
  ...[
    '\\con',
    '\\CON',
    '\\nul.txt',
    '\\a\\AUX',
    '\\com1',
    '\\LPT9.log',
    '\\com¹',
    '\\CONIN$',
    '\\con .txt',
    '\\prn.a.b',
  ],
  ...['\\a.', '\\a ', '\\...', `\\${'a'.repeat(256)}`, `\\${'abc\\'.repeat(4_000)}d`],
])('what could name anything else is no path: %s', (said) => {
  expect(readDrivePath(said)).toBeUndefined();
});

test('names of pages are held to the same', () => {
  expect(['a', '..', 'a/b', 'a\\b', '', 'nul'].map(isFileName)).toEqual([true, false, false, false, false, false]);
});

test.each([
  ['a.txt', '*', true],
  ['a', '*.*', true],
  ['A.TXT', '*.txt', true],
  ['a.txt', 'a.tx', false],
  ['a.txt', 'a.txt', true],
  ['ab', 'a?', true],
  ['a', 'a?', false],
  ['a.b.c', '<.c', true],
  ['a.c', 'a"c', true],
  ['a.d', '<.c', false],
  ['abcabd', '*abd', true],
  ['a', '', false],
])('%s by the pattern %s: %s', (name, pattern, is) => {
  expect(matchesPattern(name, pattern)).toBe(is);
});

test('no pattern takes long', () => {
  const before = process.threadCpuUsage();
  expect(matchesPattern(`${'a'.repeat(255)}`, `${'*a'.repeat(126)}*b`)).toBe(false);
  expect(process.threadCpuUsage(before).user / 1_000).toBeLessThan(1_000);
});

test('old programs see seven letters', () => {
  expect(['Documents', 'Übung 1', '日本', 'a b'].map(shortDriveName)).toEqual(['DOCUMEN', 'UBUNG1', 'FOLDER', 'AB']);
});
