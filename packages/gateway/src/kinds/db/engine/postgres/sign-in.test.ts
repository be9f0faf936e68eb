/** What a hostile server, or somebody in between, gets out of a sign-in: nothing. */
import { duplexPair } from 'node:stream';
import { expect, test } from 'vitest';
import type { ServerTerms } from '../server-terms.ts';
import { message, numbers } from './messages.ts';
import { signIn } from './sign-in.ts';

const TERMS: ServerTerms = {
  user: 'app',
  database: 'shop',
  credential: { method: 'password', password: 'hunter2' },
  secure: undefined,
  isVerified: false,
};
const ASKED = { version: 196_608, parameters: new Map([['application_name', 'psql']]) };

/** Says one thing after the other, each when it has heard something. */
async function against(says: readonly Buffer[], terms: ServerTerms = TERMS, ms = 2_000) {
  const [gateway, server] = duplexPair();
  const heard: Buffer[] = [];
  const left = [...says];
  server.on('data', (piece: Buffer) => {
    heard.push(piece);
    const next = left.shift();
    if (next) server.write(next);
  });
  const outcome = await signIn(gateway, terms, ASKED, AbortSignal.timeout(ms)).catch((error: unknown) => error);
  return { outcome, heard: Buffer.concat(heard).toString('latin1') };
}

const asks = (method: number, more = Buffer.alloc(0)) => message('R', numbers(method), more);

test.each([
  ['the password itself, without TLS', [asks(3)], /wants the password itself, without TLS that is checked/],
  ['Kerberos', [asks(7)], /signed in to by GSSAPI/],
  ['a method that nobody has', [asks(99)], /a method with the number 99/],
  ['SCRAM of another kind', [asks(10, Buffer.from('SCRAM-SHA-512\0\0'))], /offers no SCRAM-SHA-256/],
  [
    'SCRAM with one round',
    [asks(10, Buffer.from('SCRAM-SHA-256\0\0')), asks(11, Buffer.from('r=x,s=eA==,i=1'))],
    /SCRAM as it should/,
  ],
  [
    'SCRAM, and no proof',
    [asks(10, Buffer.from('SCRAM-SHA-256\0\0')), asks(0)],
    /did not prove that it knows the password/,
  ],
  ['the end of SCRAM before its beginning', [asks(12, Buffer.from('v=AA=='))], /a method with the number 12/],
  ['a message without a body', [message('R')], /a method with the number -1/],
  ['md5 without salt', [asks(5)], /without salt/],
  ['rows', [message('D', 'row')], /answers with 'D' while it is signed in to/],
  ['a message of four gigabytes', [Buffer.from('R\xff\xff\xff\xff', 'latin1')], /says it has 4294967295 bytes/],
  ['a message without room for its length', [Buffer.from('R\0\0\0\x01')], /says it has 1 bytes/],
  ['its own error', [message('E', 'SFATAL', 'C28P01', 'Mno such user', Buffer.of(0))], /no such user/],
  ['rows before it is ready', [Buffer.concat([asks(0), message('D', 'row')])], /before it is ready/],
  [
    'settings without end',
    [Buffer.concat([asks(0), ...Array.from({ length: 1_001 }, () => message('S', 'a', 'b'))])],
    /never becomes ready/,
  ],
] as const)('a server that answers with %s learns no password', async (_what, says, words) => {
  const { outcome, heard } = await against(says);

  expect(String(outcome)).toMatch(words);
  expect(heard).not.toContain('hunter2');
});

test('a server that says nothing is not waited for without end', async () => {
  expect(String((await against([], TERMS, 50)).outcome)).toMatch(/no answer in time/);
});

test.each([
  ['no', Buffer.from('N'), /does not speak TLS/],
  [
    'yes, and more that is not encrypted',
    Buffer.from('SR\0\0\0\x08\0\0\0\0', 'latin1'),
    /says more before TLS than it may/,
  ],
  ['an error', Buffer.from('E'), /is it PostgreSQL/],
])('a server that is asked for TLS and says %s hears no name', async (_what, answer, words) => {
  const secure = () => Promise.reject(new Error('went on'));
  const { outcome, heard } = await against([answer], { ...TERMS, secure });

  expect(String(outcome)).toMatch(words);
  expect(heard).not.toContain('app');
});

test('where a certificate signs in, no password is asked of anybody', async () => {
  const { outcome } = await against([asks(10, Buffer.from('SCRAM-SHA-256\0\0'))], {
    ...TERMS,
    credential: { method: 'certificate' },
  });

  expect(outcome).toMatchObject({ code: '28000', next: expect.stringContaining('pg_hba.conf') });
});

test('names with a zero in them reach no server', async () => {
  const { outcome, heard } = await against([], { ...TERMS, user: 'app\0database\0other' });

  expect(String(outcome)).toMatch(/zero byte/);
  expect(heard).toBe('');
});
