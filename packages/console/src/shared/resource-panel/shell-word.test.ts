import { expect, test } from 'vitest';
import { shellWord } from './shell-word.ts';

test('a name is one word to the shell, whatever is in it', () => {
  expect(shellWord("o'brien; rm -rf ~")).toBe(`'o'\\''brien; rm -rf ~'`);
  expect(shellWord('$(id)')).toBe("'$(id)'");
  expect(shellWord('app@example.com')).toBe('app@example.com');
});
