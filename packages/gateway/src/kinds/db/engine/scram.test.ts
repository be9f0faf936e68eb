import { createHash, createHmac, pbkdf2Sync } from 'node:crypto';
import { expect, test } from 'vitest';
import { ScramClient } from './scram.ts';

const SALT = Buffer.from('salt of a server');
const hmac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest();

/** The server's side, which knows the password. */
function serverOf(password: string, first: string, { rounds = 4096, more = 'more' } = {}) {
  const bare = first.slice(3);
  const nonce = `${/r=(.*)$/.exec(bare)?.[1]}${more}`;
  const challenge = `r=${nonce},s=${SALT.toString('base64')},i=${rounds}`;
  return {
    challenge,
    /** Undefined where the client does not know it. */
    final(answer: string): string | undefined {
      const [without = '', proof = ''] = answer.split(',p=');
      const all = `${bare},${challenge},${without}`;
      const salted = pbkdf2Sync(password, SALT, rounds, 32, 'sha256');
      const key = hmac(salted, 'Client Key');
      const stored = createHash('sha256').update(key).digest();
      const signature = hmac(stored, all);
      const given = Buffer.from(proof, 'base64').map((byte, at) => byte ^ (signature[at] ?? 0));
      if (!createHash('sha256').update(given).digest().equals(stored)) return undefined;
      return `v=${hmac(hmac(salted, 'Server Key'), all).toString('base64')}`;
    },
  };
}

test('both sides prove that they know the password', async () => {
  const client = new ScramClient('pencil');
  const server = serverOf('pencil', client.first());
  const final = server.final(await client.answer(server.challenge));

  client.check(final ?? '');
  expect(client.isProven).toBe(true);
});

test('a password with letters that can be written in two ways is the same in both', async () => {
  const client = new ScramClient('café\u00a0x\u00ad');
  const server = serverOf('café x', client.first());

  expect(server.final(await client.answer(server.challenge))).toMatch(/^v=/);
});

test.each(['v=AAAA', '', 'e=other-error', `v=${Buffer.alloc(32).toString('base64')}`])(
  'a server that does not know it is not believed: %s',
  async (final) => {
    const client = new ScramClient('pencil');
    await client.answer(serverOf('pencil', client.first()).challenge);

    expect(() => client.check(final)).toThrow(/did not prove that it knows the password/);
    expect(client.isProven).toBe(false);
  },
);

test('nothing is proven before anything was asked', () => {
  expect(() => new ScramClient('pencil').check('v=')).toThrow(/did not prove/);
});

test.each([
  ['too few rounds', (own: string) => `r=${own}x,s=c2FsdA==,i=1`],
  ['a million and one', (own: string) => `r=${own}x,s=c2FsdA==,i=1000001`],
  ['no number', (own: string) => `r=${own}x,s=c2FsdA==,i=1e9`],
  ['no rounds', (own: string) => `r=${own}x,s=c2FsdA==`],
  ['no salt', (own: string) => `r=${own}x,s=,i=4096`],
  ['our number alone', (own: string) => `r=${own},s=c2FsdA==,i=4096`],
  ['another number', () => 'r=abcdef,s=c2FsdA==,i=4096'],
  ['an endless number', (own: string) => `r=${own}${'x'.repeat(10_000)},s=c2FsdA==,i=4096`],
  ['an extension', (own: string) => `m=1,r=${own}x,s=c2FsdA==,i=4096`],
  ['nothing', () => ''],
])('a challenge with %s is refused', async (_what, challenge) => {
  const client = new ScramClient('pencil');
  const own = /r=(.*)$/.exec(client.first())?.[1] ?? '';

  await expect(client.answer(challenge(own))).rejects.toThrow(/does not speak SCRAM as it should/);
});

test('who connects again with the same password does not do its rounds again, and another password finds nothing', async () => {
  const rounds = 200_000;
  const sign = async (password: string) => {
    const client = new ScramClient(password);
    const server = serverOf('again', client.first(), { rounds });
    const before = process.cpuUsage();
    const answer = await client.answer(server.challenge);
    return { ms: process.cpuUsage(before).user / 1_000, isRight: server.final(answer) !== undefined };
  };

  const first = await sign('again');
  const second = await sign('again');
  const other = await sign('other');

  expect([first.isRight, second.isRight, other.isRight]).toEqual([true, true, false]);
  expect(second.ms).toBeLessThan(first.ms / 3);
});
