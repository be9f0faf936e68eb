import { expect, test } from 'vitest';
import { fitting, goneEntries, isNewOrChanged, readJoinCommand } from './map-entries.ts';

const entry = (remote: string, ...local: string[]) => ({ remote, local });

test.each([
  ['dba', 'dba', true],
  ['dba', 'dba-2', false],
  ['dev*', 'devops', true],
  ['dev*', 'adev', false],
  ['*', 'anything', true],
  ['a*a', 'a', false],
  ['a*b*c', 'a-b-c', true],
  ['a*b*c', 'a-c-b', false],
  ['ab*bc', 'abc', false],
  ['^emea-(.+)$', 'emea-support', true],
  ['^emea-(.+)$', 'emea-', false],
  ['^(($', 'anything', false],
])('an entry for %s meets the role %s: %s', (remote, role, isMet) => {
  expect(fitting([entry(remote, 'x')], role)).toHaveLength(isMet ? 1 : 0);
});

test('an entry is gone when nothing names its role any more, and changed when it gives something else', () => {
  const saved = [entry('dev*', 'access'), entry('contractor', 'access')];
  const draft = [entry('dev*', 'access', 'staging')];

  expect(goneEntries(draft, saved)).toEqual([saved[1]]);
  expect(isNewOrChanged(draft[0]!, saved)).toBe(true);
  expect(isNewOrChanged(saved[0]!, saved)).toBe(false);
});

test('the command of a root is read apart', () => {
  const key = 'SHA256:9fKcVq8Tt1PI4XJvM6mKkxk5kzTnR0pO8lZ9pV4Jx2A';

  expect(
    readJoinCommand(`./gatehouse clusters join https://hq.example --token abc --root-key ${key} --map a=b`),
  ).toEqual({
    address: 'https://hq.example',
    token: 'abc',
    key,
    pin: '',
  });
  const pinned = `gatehouse clusters join https://hq.example --token abc --root-key ${key} --ca-pin sha256:aa`;
  expect(readJoinCommand(pinned)?.pin).toBe('sha256:aa');
  expect(readJoinCommand('gatehouse clusters join https://hq.example --token=abc')?.key).toBe('');
  expect(readJoinCommand('https://hq.example')).toBe(undefined);
});
