import { expect, test } from 'vitest';
import type { ClientAnswer } from '../../../../reach/http/client-answer.ts';
import { FilteredAnswer } from './filtered-answer.ts';

test('an answer without a body does not say how long all of it would be', () => {
  const heads: (readonly string[])[] = [];
  const inner = { writeHead: (_: number, __: string, headers: readonly string[]) => void heads.push(headers) };
  const answer = () =>
    new FilteredAnswer(inner as unknown as ClientAnswer, {
      ...{ allows: () => false, isWatch: false, sealContinue: (token) => token },
      onUnfilterable: () => {},
    });
  const headers = ['content-type', 'application/json', 'content-length', '123456'];
  answer().writeHead(200, 'OK', headers, 'none');
  // Of an error there is nothing to hide.
  answer().writeHead(404, 'Not Found', headers, 'length');

  expect(heads).toEqual([['content-type', 'application/json'], headers]);
});
