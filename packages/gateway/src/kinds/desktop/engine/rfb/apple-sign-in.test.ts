import { createDecipheriv, createHash, getDiffieHellman } from 'node:crypto';
import { Duplex } from 'node:stream';
import { expect, test } from 'vitest';
import type { VncTerms } from './open-vnc.ts';
import { tryVnc } from './open-vnc.ts';

const BYTES = 128;
const TERMS = {
  ...{ user: 'ann', domain: '', password: 'a long enough secret', serverName: 'mac', width: 640, height: 480 },
  ...{ scale: 100, keyboard: 0, clipboard: false, drives: false, mayBePlain: true, mustBeSecure: false },
  checkCertificate: () => undefined,
} satisfies VncTerms;

/** A host that has nothing but Apple's sign-in, written from what is known of it: no Mac was there to ask. */
function openHost({ change = (greeting: Buffer) => greeting, security = [30] } = {}) {
  const own = getDiffieHellman('modp2');
  own.generateKeys();
  const pad = (bytes: Buffer) => Buffer.concat([Buffer.alloc(BYTES - bytes.length), bytes]);
  const heard: Buffer[] = [];
  let signedIn: { user: string; password: string } | undefined;
  const stream: Duplex = new Duplex({
    read() {},
    write(piece: Buffer, _, done) {
      heard.push(piece);
      if (heard.length === 1) stream.push(Buffer.from([security.length, ...security]));
      if (heard.length === 2)
        stream.push(change(Buffer.concat([Buffer.of(0, 2, 0, BYTES), pad(own.getPrime()), pad(own.getPublicKey())])));
      if (heard.length === 3) {
        const secret = pad(own.computeSecret(piece.subarray(128)));
        const key = createHash('md5').update(secret).digest();
        const opened = createDecipheriv('aes-128-ecb', key, null).setAutoPadding(false).update(piece.subarray(0, 128));
        const text = (at: number) => opened.toString('utf8', at, opened.indexOf(0, at));
        signedIn = { user: text(0), password: text(64) };
        stream.push(Buffer.alloc(4));
      }
      done();
    },
  });
  stream.push(Buffer.from('RFB 003.008\n'));
  return { stream, heard, signedIn: () => signedIn };
}
const attempt = ({ stream }: ReturnType<typeof openHost>, terms: Partial<VncTerms> = {}) =>
  tryVnc(stream, { ...TERMS, ...terms }, new AbortController().signal, () => {});

test('an account of a Mac is signed in to where an agent dials', async () => {
  const host = openHost();
  expect(await attempt(host)).toEqual({ isSecure: false, askedFor: 'account' });
  expect(host.signedIn()).toEqual({ user: 'ann', password: 'a long enough secret' });
});

test('whoever answers the gateway itself is not told the password of an account', async () => {
  for (const terms of [{ mayBePlain: false }, { mustBeSecure: true }]) {
    const host = openHost();
    await expect(attempt(host, terms)).rejects.toThrow(terms.mustBeSecure ? 'no TLS' : "Apple's sign-in");
    expect(host.heard).toHaveLength(1);
  }
});

test('a password of VNC comes before it, and neither is said where none is stored', async () => {
  const both = openHost({ security: [30, 2] });
  void attempt(both).catch(() => undefined);
  await expect.poll(() => both.heard[1]).toEqual(Buffer.of(2));
  both.stream.destroy();
  const host = openHost();
  await expect(attempt(host, { password: '' })).rejects.toThrow('asks for a password');
  expect(host.heard).toHaveLength(2);
});

test.each([
  ['a key of 8 KB', Buffer.from([0, 2, 0x20, 0])],
  ['a key of nothing', Buffer.from([0, 2, 0, 0])],
  ['a prime of zero', Buffer.concat([Buffer.from([0, 2, 0, BYTES]), Buffer.alloc(2 * BYTES)])],
  ['an even prime', Buffer.concat([Buffer.from([0, 2, 0, BYTES]), Buffer.alloc(2 * BYTES, 2)])],
])('%s is refused in words, and hears no password', async (_, greeting) => {
  const host = openHost({ change: () => greeting });
  await expect(attempt(host)).rejects.toThrow('the host makes up a key');
  expect(host.heard).toHaveLength(2);
});
