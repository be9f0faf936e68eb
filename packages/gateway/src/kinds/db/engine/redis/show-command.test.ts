import { expect, test } from 'vitest';
import { KeptWords } from './kept-words.ts';
import { hideQuoted, showCommand } from './show-command.ts';

function shown(...words: readonly (string | Buffer)[]) {
  const kept = new KeptWords();
  kept.begin(words.length);
  for (const word of words) {
    kept.beginWord(Buffer.byteLength(word));
    kept.add(Buffer.from(word), 0, Buffer.byteLength(word));
    kept.endWord();
  }
  return showCommand(kept, 0);
}

test('words are shown as redis-cli shows them', () => {
  const { name, query } = shown('set', 'say "hi"\\', Buffer.from('\n\r\t\x07\b\x00\x7fé'));

  expect(name).toBe('SET');
  expect(query.text).toBe('"set" "say \\"hi\\"\\\\" "\\n\\r\\t\\a\\b\\x00\\x7f\\xc3\\xa9"');
});

test.each([
  [['AUTH', 'hunter2'], '"AUTH" "***"'],
  [['auth', 'user', 'hunter2', 'hunter2'], '"auth" "***" "***" "***"'],
  [['HELLO', '3', 'AUTH', 'user', 'hunter2', 'SETNAME', 'me'], '"HELLO" "3" "AUTH" "***" "***" "SETNAME" "me"'],
  [
    ['ACL', 'setuser', 'u', 'on', '>hunter2', '<hunter2', '#hunter2', '!hunter2', '+get'],
    '"ACL" "setuser" "u" "on" ">***" "<***" "#***" "!***" "+get"',
  ],
  [['ACL', 'SETUSER', 'u', '+get >hunter2'], '"ACL" "SETUSER" "u" "+***"'],
  [
    ['CONFIG', 'SET', 'requirepass', 'hunter2', 'MasterAuth', 'hunter2', 'maxmemory', '1'],
    '"CONFIG" "SET" "requirepass" "***" "MasterAuth" "***" "maxmemory" "1"',
  ],
  [['CONFIG', 'SET', 'tls-key-file-pass', 'hunter2'], '"CONFIG" "SET" "tls-key-file-pass" "***"'],
  [
    ['MIGRATE', 'h', '1', 'k', '0', '9', 'AUTH', 'hunter2', 'KEYS', 'a'],
    '"MIGRATE" "h" "1" "k" "0" "9" "AUTH" "***" "KEYS" "a"',
  ],
  [
    ['MIGRATE', 'h', '1', '', '0', '9', 'auth2', 'user', 'hunter2', 'KEYS', 'a'],
    '"MIGRATE" "h" "1" "" "0" "9" "auth2" "***" "***" "KEYS" "a"',
  ],
  [['SENTINEL', 'SET', 'm', 'auth-pass', 'hunter2'], '"SENTINEL" "SET" "m" "auth-pass" "***"'],
])('of %j the secrets are hidden', (words, text) => {
  expect(shown(...words)).toMatchObject({ query: { text }, hasSecret: true });
});

test.each([
  ['ACL', 'WHOAMI'],
  ['CONFIG', 'GET', 'requirepass'],
  ['SET', 'requirepass', '>x'],
  ['HELLO', '3'],
])('%s %s has none', (...words) => {
  const { query, hasSecret } = shown(...words);

  expect([query.text, hasSecret]).toEqual([words.map((each) => `"${each}"`).join(' '), false]);
});

test('an error that repeats a secret does not tell it', () => {
  expect(hideQuoted("ERR Error in ACL SETUSER modifier '<it's': no such password")).toBe(
    "ERR Error in ACL SETUSER modifier '***': no such password",
  );
});
