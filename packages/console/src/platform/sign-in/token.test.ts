import { afterEach, expect, test } from 'vitest';
import { setAddress } from '../../../testing/open-page.tsx';
import { readToken, takePageToken, timeLeftMs } from './token.ts';

const NOW = 1_000_000;
const REPLY = { type: 'Bearer', token: 'secret', expires_in: 600, sessionExpires: 'z', sessionInactiveTimeout: 5000 };

function page(content: string): void {
  document.head.innerHTML = `<meta name="grv_bearer_token" content="${content}">`;
}
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');

afterEach(() => {
  localStorage.clear();
  document.head.innerHTML = '';
  setAddress('/web');
});

test('the token in the page is stored for all tabs and taken out of the page', () => {
  page(encode({ ...REPLY, token: 'sécret' }));

  takePageToken(document, localStorage, NOW);

  expect(JSON.parse(localStorage.getItem('grv_teleport_token') ?? '')).toEqual({
    accessToken: 'sécret',
    expiresIn: 600,
    created: NOW,
    sessionExpires: 'z',
    sessionInactiveTimeout: 5000,
  });
  expect(document.querySelector('meta[name=grv_bearer_token]')).toBe(null);
});

test.each([
  ['no sign-in', ''],
  ['a placeholder nobody replaced', '__BEARER_TOKEN__'],
  ['something else', encode({ token: 7 })],
])('a page with %s stores nothing and keeps what is stored', (_, content) => {
  localStorage.setItem('grv_teleport_token', 'before');
  page(content);

  takePageToken(document, localStorage, NOW);

  expect(localStorage.getItem('grv_teleport_token')).toBe('before');
  expect(document.querySelector('meta')).toBe(null);
});

test('a page that says the sign-in has ended takes no token from a gateway that is still ending it', () => {
  setAddress('/web/login?reason=signed_out');
  page(encode(REPLY));

  takePageToken(document, localStorage, NOW);

  expect(readToken(localStorage)).toBeUndefined();
  expect(document.querySelector('meta')).toBe(null);
});

test('time left runs from when the browser got the token', () => {
  page(encode(REPLY));
  takePageToken(document, localStorage, NOW);
  const token = readToken(localStorage);

  expect(timeLeftMs(token, NOW + 599_000)).toBe(1000);
  expect(timeLeftMs(token, NOW + 600_000)).toBe(0);
  expect(timeLeftMs(undefined, NOW)).toBe(0);
});

test.each(['', 'null', '{', '{"accessToken":1}'])('a stored %j is no token', (stored) => {
  localStorage.setItem('grv_teleport_token', stored);

  expect(readToken(localStorage)).toBeUndefined();
});
