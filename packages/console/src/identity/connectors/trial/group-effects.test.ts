import { expect, test } from 'vitest';
import { groupEffects } from './group-effects.ts';

test('people are put together by the role they get or lose, most first, and who is shut out is told apart', () => {
  expect(
    groupEffects([
      { user: 'ann', before: ['dev'], after: ['dev', 'finance'] },
      { user: 'bo', before: ['admin', 'dev'], after: ['dev', 'finance'] },
      { user: 'lars', before: ['admin', 'ops'], after: [], refused: "no entry of 'okta' gives lars a role" },
    ]),
  ).toEqual({
    gained: [{ role: 'finance', users: ['ann', 'bo'] }],
    lost: [
      { role: 'admin', users: ['bo', 'lars'] },
      { role: 'ops', users: ['lars'] },
    ],
    refused: [{ user: 'lars', why: "no entry of 'okta' gives lars a role" }],
  });
});
