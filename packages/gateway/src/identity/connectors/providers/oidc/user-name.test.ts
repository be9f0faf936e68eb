import type { OidcDocument } from '@gatehouse/contract/identity/connectors/connector-document';
import { expect, test } from 'vitest';
import { flattenClaims } from './flatten-claims.ts';
import { userNameFrom } from './user-name.ts';

const nameOf = (spec: Partial<OidcDocument['spec']>, ...sources: object[]) =>
  userNameFrom(spec as OidcDocument['spec'], flattenClaims(sources).claims, sources);

test('an address that is verified is the name, else the name at the provider', () => {
  expect(nameOf({}, { email: 'ann@acme.example', email_verified: true, preferred_username: 'ann' })).toBe(
    'ann@acme.example',
  );
  expect(nameOf({}, { email: 'ann@acme.example', email_verified: 'true' })).toBe('ann@acme.example');
  expect(nameOf({}, { preferred_username: 'ann' })).toBe('ann');
  expect(nameOf({ username_claim: 'account.login' }, { account: { login: 'ann' }, email: 'other' })).toBe('ann');
});

test.each([
  ['not verified', {}, { email: 'boss@acme.example', email_verified: false }],
  ['not said to be verified', {}, { email: 'boss@acme.example' }],
  ['verified in other words', {}, { email: 'boss@acme.example', email_verified: 1 }],
  [
    'another address is verified',
    { username_claim: 'upn' },
    { upn: 'boss@acme.example', email: 'me@evil.example', email_verified: true },
  ],
])('an address is refused as a name: %s', (_, spec, said) => {
  expect(() => nameOf(spec, said)).toThrow("does not say that 'boss@acme.example' is verified");
  expect(nameOf({ ...spec, allow_unverified_email: true }, said)).toBe('boss@acme.example');
});

test('one source does not verify the address of another', () => {
  expect(() => nameOf({}, { email: 'boss@acme.example' }, { email: 'me@evil.example', email_verified: true })).toThrow(
    'verified',
  );
});

test('without a name, the words say what there is', () => {
  expect(() => nameOf({}, { name: 'Ann', groups: ['a'] })).toThrow(
    'the provider sends no email and no preferred_username to be called by: set username_claim or scope. It sends: name, groups',
  );
  expect(() => nameOf({ username_claim: 'login' }, { email: 'a@b' })).toThrow(
    'the provider sends no login to be called by',
  );
});

test('several values are not one name', () => {
  expect(() => nameOf({ username_claim: 'groups' }, { groups: ['a', 'b'] })).toThrow(
    "'groups' of the provider is not one name",
  );
  expect(() => nameOf({ username_claim: 'login' }, { login: '' })).toThrow('is not one name');
});
