/** Names, locks and secrets of users that are made on the fly. */
import { expect, test } from 'vitest';
import { bytesOf } from './mysql/ask-rows.ts';
import { inSubject, ownRole } from './mysql/user-maker.ts';
import { quotedName, quotedText } from './postgres/ask-rows.ts';
import { lockKey, verifierOf } from './postgres/user-maker.ts';
import { newSecret, refuseName } from './user-maker.ts';

test.each([
  ['longer than the server keeps', 'é'.repeat(32)],
  ['with a line break', 'a\nb'],
  ['with what turns the line round', 'a\u202eb'],
  ['with half a character', 'a\ud800b'],
  ['with a space at its end', 'ann '],
  ['that the server keeps for itself', 'pg_ann'],
  ['of the admin user', 'maker'],
])('a name %s is refused', (_what, user) => {
  expect(() => refuseName({ user, admin: 'maker' }, 63, /^pg_/)).toThrow(/no database user is made/);
});

test('quotes and backslashes stay inside of what they stand in', () => {
  expect(quotedName('a"; drop role x; --')).toBe('"a""; drop role x; --"');
  expect(quotedText("a\\'; drop role x; --")).toBe("E'a\\\\''; drop role x; --'");
  expect(bytesOf("a'é")).toBe("X'6127c3a9'");
  expect(inSubject("Zoë'/x")).toBe("Zo\\xC3\\xAB'/x");
});

test('locks and roles are told apart by the whole name, and fit where they stand', () => {
  const names = ['ann', 'Ann', 'ann ', 'a'.repeat(63), 'a'.repeat(64)];

  expect(new Set(names.map(lockKey)).size).toBe(names.length);
  expect(new Set(names.map(ownRole)).size).toBe(names.length);
  expect(ownRole('x').length).toBe(32);
});

test('a verifier is what PostgreSQL itself stores, and a secret has what servers ask for', async () => {
  // Of the example in RFC 7677.
  const salt = Buffer.from('W22ZaJ0SNY7soEsUEjb6gQ==', 'base64');
  expect(await verifierOf('pencil', salt)).toBe(
    'SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=',
  );
  expect(newSecret()).toMatch(/^[\w-]{32}aA1!$/);
});
