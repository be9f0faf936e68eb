import { duplexPair } from 'node:stream';
import { expect, test } from 'vitest';
import { ByteSource } from '../byte-source.ts';
import type { ServerTerms } from '../server-terms.ts';
import { type ClientLogin, login, ownLogin, readLogin } from './login.ts';
import { HEAD_BYTES, packets, TYPE } from './packets.ts';
import { readBeginning } from './replies.ts';
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

/** A sign-in that the server answers by speaking this version of TDS. */
async function agreedOn(version: number, client: ClientLogin = ownLogin()) {
  const [gateway, server] = duplexPair();
  const name = Buffer.from('SQL', 'utf16le');
  const body = Buffer.concat([Buffer.of(1, 0, 0, 0, 0, 3), name, Buffer.of(16, 0, 0, 0)]);
  body.writeUInt32BE(version, 1);
  let heard: Buffer = Buffer.alloc(0);
  server.once('data', (piece: Buffer) => {
    heard = piece.subarray(HEAD_BYTES);
    server.write(packets(TYPE.reply, Buffer.concat([Buffer.of(0xad, body.length, 0), body])));
  });
  const met = { server: gateway, source: new ByteSource(gateway), version: Buffer.alloc(6) };
  const signedIn = await signIn(met, TERMS, client, new AbortController().signal);
  return { asked: heard.readUInt32LE(4), told: readBeginning(signedIn.welcome.subarray(HEAD_BYTES)).agreed };
}

test.each([0x71000001, 0x07010000, 0x07000000, 0x04020000])(
  'a server that speaks the older TDS %d is refused in words',
  async (version) => {
    await expect(agreedOn(version)).rejects.toMatchObject({
      kind: 'unsupported',
      message: expect.stringContaining('older than 7.2'),
    });
  },
);

test('a client of TDS 8.0 hears of 8.0, and the server of 7.4', async () => {
  const client = ownLogin();
  client.fixed.writeUInt32LE(0x08000000, 4);
  const said = readLogin(login(client, { user: 'x' }, '', '').subarray(HEAD_BYTES));
  const { asked, told } = await agreedOn(0x74000004, said);

  expect(asked).toBe(0x74000004);
  expect(told?.readUInt32BE()).toBe(0x08000000);
  expect((await agreedOn(0x72090002)).told?.readUInt32BE()).toBe(0x72090002);
});
