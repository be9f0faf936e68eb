import { CallError } from '@gatehouse/contract/wire/client';
import { beforeAll, expect, test } from 'vitest';
import { MissingCodeError, NoAnswerError, UnreadableAnswerError } from '../api/failures.ts';
import { loadWords, t } from '../i18n/words.ts';
import { failureWords, isOwnMistake } from './failure-words.ts';

beforeAll(() => loadWords(['common']));

test.each([
  ['what the gateway said', new CallError('the name is taken', 'conflict', 409), 'The name is taken.', false],
  ['status and address', new CallError('502 - /v1/webapi/users', 'internal', 502), '502 - /v1/webapi/users.', false],
  ['that nobody answers', new NoAnswerError('Failed to fetch'), /does not answer/, false],
  ['that nobody answered in time', new DOMException('timed out', 'TimeoutError'), /does not answer/, false],
  [
    'that the answer cannot be read',
    new UnreadableAnswerError(new Error('id: expected string')),
    /answer could not be read/,
    false,
  ],
  ['that code is missing', new MissingCodeError('A part is missing.'), 'A part is missing.', false],
  ['our own mistake', new TypeError("reading 'id' of undefined"), /mistake of the console: reading 'id'/, true],
])('a failure is told as %s', (_, error, words, isOwn) => {
  expect(failureWords(t, error)).toMatch(words);
  expect(isOwnMistake(error)).toBe(isOwn);
});
