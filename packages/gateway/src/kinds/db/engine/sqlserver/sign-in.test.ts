import { duplexPair } from 'node:stream';
import { expect, test } from 'vitest';
import { ByteSource } from '../byte-source.ts';
import type { ServerTerms } from '../server-terms.ts';
import { ownLogin } from './login.ts';
import { signIn } from './sign-in.ts';

const TERMS: ServerTerms = {
  user: 'app',
  database: 'shop',
  credential: { method: 'password', password: 'hunter2' },
  secure: (bare) => Promise.resolve(bare),
  isVerified: true,
};

async function heardBy(terms: Partial<ServerTerms>) {
  const [gateway, server] = duplexPair();
  const heard: Buffer[] = [];
  server.on('data', (piece: Buffer) => {
    heard.push(piece);
    server.end();
  });
  const met = { server: gateway, source: new ByteSource(gateway), version: Buffer.alloc(6) };
  const never = new AbortController().signal;
  const outcome = await signIn(met, { ...TERMS, ...terms }, ownLogin(), never).catch((error: unknown) => error);
  return { outcome, heard: Buffer.concat(heard) };
}

test.each([
  ['without TLS', { secure: undefined }],
  ['with TLS that nobody checks', { isVerified: false }],
])('a server %s hears no password', async (_how, terms) => {
  const { outcome, heard } = await heardBy(terms);

  expect(outcome).toMatchObject({ kind: 'unsafe', next: expect.stringContaining('TLS') });
  expect(heard).toHaveLength(0);
});

test('a server that has shown who it is hears it', async () => {
  expect((await heardBy({})).heard).not.toHaveLength(0);
});
