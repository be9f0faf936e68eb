/** What a hostile server, or somebody in between, gets out of a sign-in: nothing. */
import { duplexPair } from 'node:stream';
import { expect, test } from 'vitest';
import type { ServerTerms } from '../server-terms.ts';
import { command } from './resp.ts';
import { signIn } from './sign-in.ts';

const TERMS: ServerTerms = {
  user: 'app',
  database: '3',
  credential: { method: 'password', password: 'hunter2' },
  secure: (bare) => Promise.resolve(bare),
  isVerified: true,
};
const HELLO = '*6\r\n$7\r\nversion\r\n$6\r\n7.0.15\r\n$2\r\nid\r\n:12\r\n$7\r\nmodules\r\n*1\r\n*0\r\n';

/** Says one thing after the other, each when it has heard something. */
async function against(says: readonly string[], terms: Partial<ServerTerms> = {}, ms = 2_000) {
  const [gateway, server] = duplexPair();
  const heard: Buffer[] = [];
  const left = [...says];
  server.on('data', (piece: Buffer) => {
    heard.push(piece);
    const next = left.shift();
    if (next !== undefined) server.write(next);
  });
  const outcome = await signIn(gateway, { ...TERMS, ...terms }, AbortSignal.timeout(ms)).catch(
    (error: unknown) => error,
  );
  return { outcome, heard: Buffer.concat(heard).toString() };
}

const said = (...commands: readonly (readonly string[])[]) =>
  commands.map((words) => command(...words).toString()).join('');

test.each([
  ['a user with a password', {}, [['AUTH', 'app', 'hunter2']]],
  ['the user who has no name', { user: 'default' }, [['AUTH', 'hunter2']]],
  [
    'a user without a password, without TLS',
    { credential: { method: 'password', password: '' }, secure: undefined, isVerified: false },
    [['AUTH', 'app', '']],
  ],
  ['a certificate and a user without a password', { credential: { method: 'certificate' } }, [['AUTH', 'app', '']]],
  ['a certificate alone', { user: 'default', credential: { method: 'certificate' } }, []],
] as const)('it is signed in by %s', async (_what, terms, auth) => {
  const { outcome, heard } = await against([...auth.map(() => '+OK\r\n'), HELLO, '+OK\r\nrest'], terms);

  expect(outcome).toMatchObject({ version: '7.0.15', backend: 12, rest: Buffer.from('rest') });
  expect(heard).toBe(said(...auth, ['HELLO', '2'], ['SELECT', '3']));
});

test.each([
  ['without TLS', { secure: undefined }],
  ['with TLS that nobody checks', { isVerified: false }],
])('a server %s hears no password', async (_how, terms) => {
  const { outcome, heard } = await against(['+OK\r\n'], terms);

  expect(outcome).toMatchObject({ kind: 'unsafe', next: expect.stringContaining('TLS') });
  expect(heard).toBe('');
});

test.each([
  ['a wrong password', ['-WRONGPASS invalid username-password pair\r\n'], 'WRONGPASS'],
  ['a database that may not be used', ['+OK\r\n', HELLO, '-NOPERM no permissions\r\n'], 'NOPERM'],
  ['whoever comes from elsewhere', ['-DENIED Redis is running in protected mode\r\n'], 'DENIED'],
])('a server refuses %s in its own words', async (_what, says, code) => {
  const { outcome } = await against(says);

  expect(outcome).toMatchObject({ kind: 'refused', code, message: says.at(-1)?.slice(1, -2) });
});

test('a certificate alone is not enough where the server wants a password', async () => {
  const { outcome } = await against(['-NOAUTH HELLO must be called with the client already authenticated\r\n'], {
    user: 'default',
    credential: { method: 'certificate' },
  });

  expect(outcome).toMatchObject({ kind: 'refused', code: 'NOAUTH' });
});

test.each(["-ERR unknown command 'HELLO'\r\n", '-NOPERM this user has no permissions\r\n'])(
  'a server that does not say what it is may still be signed in to: %s',
  async (answer) => {
    const { outcome } = await against(['+OK\r\n', answer, '+OK\r\n']);

    expect(outcome).toMatchObject({ version: '', backend: undefined });
  },
);

test.each([
  ['something else', ['HTTP/1.1 400\r\n'], /is it Redis/],
  ['neither yes nor no', ['+MAYBE\r\n'], /neither agrees nor refuses/],
  ['a line without end', ['+'.repeat(5_000)], /does not end/],
  ['a text of many bytes', ['+OK\r\n', '$999999\r\n'], /is it Redis/],
  ['values without end', ['+OK\r\n', `*1000\r\n${':1\r\n'.repeat(1_000)}`], /more than it is asked for/],
  ['lists without end', ['+OK\r\n', '*1\r\n'.repeat(100)], /more than it is asked for/],
] as const)('a server that answers with %s is left', async (_what, says, words) => {
  expect(String((await against(says)).outcome)).toMatch(words);
});

test('a server that says nothing is not waited for without end', async () => {
  expect(String((await against([], {}, 50)).outcome)).toMatch(/no answer in time/);
});

test.each(['shop', '-1', '01', '1\r\nFLUSHALL'])('%j is no database of Redis', async (database) => {
  const { outcome, heard } = await against([], { database });

  expect(String(outcome)).toMatch(/databases with numbers/);
  expect(heard).toBe('');
});
