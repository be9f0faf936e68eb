import { expect, test } from 'vitest';
import { serverWords } from './server-words.ts';

test('what a server says is told in one line that steers nothing, and no longer than a line', () => {
  expect(serverWords(new Error('connect failed'))).toBe('connect failed');
  expect(serverWords(new Error('\u001b[2Jgone\r\n\u0007'))).toBe(' [2Jgone ');
  expect(serverWords(new Error('é'.repeat(100_000)))).toBe(`${'é'.repeat(200)}…`);
});
