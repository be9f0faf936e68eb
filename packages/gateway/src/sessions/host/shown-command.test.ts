import { expect, test } from 'vitest';
import { shown } from './shown-command.ts';

test.each([
  ['ls -l', 'ls -l'],
  [' a  b ', ' a  b '],
  ['a\nb', 'a ⏎ b'],
  ['a \r\n \n\t b', 'a ⏎ b'],
  ['\n a', ' ⏎ a'],
  ['a \n', 'a ⏎ '],
  ['\n', ' ⏎ '],
  ['a\nb\n\nc', 'a ⏎ b ⏎ c'],
])('%j is shown on one line', (command, line) => {
  expect(shown(command)).toBe(line);
});

test('a long one is cut, and none takes long', () => {
  const before = process.threadCpuUsage();
  expect(shown(`a${' '.repeat(130_000)}b`)).toHaveLength(4_097);
  expect(process.threadCpuUsage(before).user / 1_000).toBeLessThan(3_000);
});
