import { expect, test } from 'vitest';
import { freshPrompt, knowsLogin, maxAgeOf, promptOf } from './begin.ts';

const ISSUER = 'https://id.example';
const asked = (announced?: string[], prompt?: string, issuer_url = ISSUER) =>
  promptOf({ prompt, issuer_url }, { prompt_values_supported: announced }, true);

test('where nobody need choose, the document alone says what is asked', () => {
  expect(promptOf({ issuer_url: ISSUER }, {}, false)).toBe('');
  expect(promptOf({ issuer_url: ISSUER, prompt: 'consent' }, { prompt_values_supported: ['login'] }, false)).toBe(
    'consent',
  );
});

test('a choice of accounts is asked for where it is announced, and a new sign-in elsewhere', () => {
  expect(asked(['none', 'login', 'select_account'])).toBe('select_account');
  expect(asked(['none', 'login'])).toBe('login');
  expect(asked()).toBe('login');
  expect(asked(undefined, undefined, 'https://accounts.google.com')).toBe('select_account');
});

test('what the provider announces is never passed on, and what it does not know is not asked for', () => {
  expect(asked(['none', 'login&scope=admin', 'Login', ''])).toBe('');
});

test('what the document asks for stays', () => {
  expect(asked(['select_account', 'login'], 'consent')).toBe('select_account consent');
  expect(asked(['select_account', 'login'], 'login consent')).toBe('login consent');
  expect(asked(undefined, 'select_account')).toBe('select_account');
});

test('a new sign-in is asked for where the provider knows that, beside what the document asks for', () => {
  const knows = (announced?: string[], issuer_url = ISSUER) =>
    knowsLogin({ issuer_url }, { prompt_values_supported: announced });
  expect([knows(), knows(['none', 'login']), knows(['none', 'select_account'])]).toEqual([true, true, false]);
  expect(knows(undefined, 'https://accounts.google.com')).toBe(false);

  expect(freshPrompt({})).toBe('login');
  expect(freshPrompt({ prompt: 'consent' })).toBe('login consent');
  expect(freshPrompt({ prompt: 'consent login' })).toBe('login consent');
});

test('when they signed in is asked for where the provider announces that it says so, and the document goes first', () => {
  const YEAR = 365 * 86_400_000;
  expect(maxAgeOf({}, { claims_supported: ['sub', 'auth_time'] })).toBe(YEAR);
  expect(maxAgeOf({}, { claims_supported: ['sub'] })).toBeUndefined();
  expect(maxAgeOf({}, {})).toBeUndefined();
  expect(maxAgeOf({ max_age: 0 }, { claims_supported: ['auth_time'] })).toBe(0);
  expect(maxAgeOf({ max_age: 300_000 }, {})).toBe(300_000);
});
