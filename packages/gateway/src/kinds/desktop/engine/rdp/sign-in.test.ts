import { X509Certificate } from 'node:crypto';
import { Duplex, PassThrough } from 'node:stream';
import { makeCertificate } from '@gatehouse/tunnel/testing/certificate';
import { expect, test } from 'vitest';
import { ByteSource } from '../byte-source.ts';
import { DesktopFailure, type Trust } from '../desktop-link.ts';
import { clientInfo } from './client-info.ts';
import { readHostAnswer, signInByCredssp } from './credssp.ts';
import { tlv } from './der.ts';
import { errorInfo } from './error-info.ts';
import { signInRefused } from './nt-status.ts';
import { authenticateMessage, NtlmSeal, negotiateMessage } from './ntlm.ts';
import { md4, Rc4 } from './old-ciphers.ts';
import { readX224Confirm, x224Request } from './x224.ts';

test.each([
  ['', '31d6cfe0d16ae931b73c59d7e0c089c0'],
  ['abc', 'a448017aaf21d8525fc10ae87aa6729d'],
  [
    '12345678901234567890123456789012345678901234567890123456789012345678901234567890',
    'e33b4ddc9c38f2199c3e7b164fcc0536',
  ],
])('MD4 of %j is that of its standard', (text, digest) => {
  expect(md4(Buffer.from(text)).toString('hex')).toBe(digest);
});

test('RC4 is that of its standard, and goes on where it stopped', () => {
  const cipher = new Rc4(Buffer.from('Key'));

  const sealed = Buffer.concat([cipher.run(Buffer.from('Plain')), cipher.run(Buffer.from('text'))]);

  expect(sealed.toString('hex')).toBe('bbf316e8d940af0ad3');
});

const challenge = (flags: number, pairs: Buffer) => {
  const message = Buffer.alloc(56);
  message.write('NTLMSSP\0', 'latin1');
  message.writeUInt32LE(2, 8);
  message.writeUInt32LE(flags, 20);
  message.writeUInt16LE(pairs.length, 40);
  message.writeUInt32LE(56, 44);
  return Buffer.concat([message, pairs]);
};
const PAIRS = Buffer.concat([Buffer.from([2, 0, 2, 0, 0x41, 0, 7, 0, 8, 0]), Buffer.alloc(8, 9), Buffer.alloc(4)]);
const LEAF = new X509Certificate((await makeCertificate(['host.test'])).cert).raw;
const ACCOUNT = { user: 'Ann', domain: 'CORP', password: 'pw-5ecret' };

test('an answer to a challenge names the login and holds no password', () => {
  const { message, key } = authenticateMessage(negotiateMessage(), challenge(0xe2888235, PAIRS), ACCOUNT);

  expect(key).toHaveLength(16);
  expect(message.includes(Buffer.from('Ann', 'utf16le'))).toBe(true);
  expect(message.includes(Buffer.from(ACCOUNT.password, 'utf16le'))).toBe(false);
});

test('NTLM without sealing is refused, and a broken challenge fails in words', () => {
  const sound = challenge(0xe2888235, PAIRS);
  expect(() => authenticateMessage(negotiateMessage(), challenge(0x00000201, PAIRS), ACCOUNT)).toThrow(
    'without sealing',
  );
  for (let length = 0; length < sound.length; length += 1)
    expect(() => authenticateMessage(negotiateMessage(), sound.subarray(0, length), ACCOUNT)).toThrow(DesktopFailure);
});

test('what one side seals the other opens in order, and nothing that was changed', () => {
  const key = Buffer.alloc(16, 3);
  const [ours, theirs] = [new NtlmSeal(key, 'client-to-server'), new NtlmSeal(key, 'client-to-server')];
  const [first, second] = [ours.seal(Buffer.from('one')), ours.seal(Buffer.from('two'))];

  expect(theirs.open(first)?.toString()).toBe('one');
  second[17]! ^= 1;
  expect(theirs.open(second)).toBeUndefined();
});

test('an answer of CredSSP is read, and a broken one fails in words', () => {
  const answer = Buffer.from('300da003020106a4060204c000006d', 'hex');

  expect(readHostAnswer(answer)).toEqual({ version: 6, token: undefined, sealedKey: undefined, error: 0xc000006d });
  for (let length = 0; length < answer.length; length += 1)
    expect(() => readHostAnswer(answer.subarray(0, length))).toThrow(DesktopFailure);
});

/** A host that begins the sign-in, of a version of CredSSP. */
async function signInAt(version: number, trust: Trust): Promise<{ said: Buffer[]; error: unknown }> {
  const token = challenge(0xe2888235, PAIRS);
  const begun = tlv(
    0x30,
    tlv(0xa0, tlv(0x02, Buffer.of(version))),
    tlv(0xa1, tlv(0x30, tlv(0x30, tlv(0xa0, tlv(0x04, token))))),
  );
  const said: Buffer[] = [];
  const stream = new Duplex({
    read() {},
    write(bytes: Buffer, _, done) {
      said.push(bytes);
      // To the second it answers nothing.
      if (said.length === 1) this.push(begun);
      else this.push(null);
      done();
    },
  });
  const source = new ByteSource(stream, 'sign_in', AbortSignal.timeout(5_000));
  const error = await signInByCredssp(stream, source, { leaf: LEAF, trust }, ACCOUNT).catch((why: unknown) => why);
  return { said, error };
}

test('over a certificate that nobody knows only a binding with a nonce counts, and nothing is told to older hosts', async () => {
  const old = await signInAt(4, 'unproven');
  expect(old.error).toMatchObject({ step: 'sign_in', code: 'old_sign_in', next: expect.stringMatching(/\w/) });
  expect(old.said).toHaveLength(1);

  expect((await signInAt(5, 'unproven')).said).toHaveLength(2);
  expect((await signInAt(4, undefined)).said).toHaveLength(2);
});

test('a host that goes when it is shown the login has said of it that it does not know it', async () => {
  const { said, error } = await signInAt(6, undefined);

  expect(said).toHaveLength(2);
  expect(error).toMatchObject({
    ...{ step: 'sign_in', code: 'closed_at_login', next: expect.stringContaining('password') },
    message: expect.stringContaining('when this login was shown to it'),
  });
});

test.each([
  [0xc000006d, 'wrong_password'],
  [0xc0000234, 'locked'],
  [0xc0000224, 'must_change'],
  [0xc0000071, 'expired'],
  [0xc0000072, 'disabled'],
  [0xc000015b, 'not_remote'],
])('status %i of Windows is told in words', (status, code) => {
  expect(signInRefused(status)).toMatchObject({ step: 'sign_in', code, next: expect.stringMatching(/\w/) });
});

test('a status that nobody knows is told by its number', () => {
  expect(signInRefused(0xc0000999).message).toContain('0xC0000999');
  expect(signInRefused(undefined).message).toBe('the host refuses this login');
});

test('why a host ends a session is told in words', () => {
  expect(errorInfo(0)).toBeUndefined();
  expect(errorInfo(5)).toContain('taken over by another connection');
  expect(errorInfo(0xc)).toContain('signed out');
  expect(errorInfo(0x3)).toContain('nobody did anything');
  expect(errorInfo(0x101)).toContain('licence');
  expect(errorInfo(0x19)).toContain('policy');
  expect(errorInfo(0x10c9)).toContain('0x10C9');
  expect(errorInfo(0x77)).toContain('0x77');
});

test('who signs in is told without compression, and signs in by itself', () => {
  const info = clientInfo(ACCOUNT);

  expect(info.readUInt16LE(0)).toBe(0x40);
  expect(info.readUInt32LE(8) & 0x88).toBe(0x08);
  expect(info.includes(Buffer.from('CORP\0Ann\0pw-5ecret\0', 'utf16le'))).toBe(true);
});

async function confirmed(bytes: Buffer) {
  const stream = new PassThrough();
  const source = new ByteSource(stream, 'protocol', AbortSignal.timeout(5_000));
  stream.end(bytes);
  return await readX224Confirm(source);
}
const confirm = (type: number, value: number) =>
  Buffer.from([3, 0, 0, 19, 14, 0xd0, 0, 0, 0, 0, 0, type, 0, 8, 0, value, 0, 0, 0]);

test('the request names no user, and asks for TLS and both kinds of NLA', () => {
  expect(x224Request().readUInt32LE(15)).toBe(11);
  expect(x224Request()).toHaveLength(19);
});

test('what a host chose is read', async () => {
  expect(await confirmed(confirm(2, 1))).toBe(1);
  expect(await confirmed(confirm(2, 2))).toBe(2);
  expect(await confirmed(confirm(2, 8))).toBe(8);
});

test.each([
  ['has only the old security', confirm(2, 0), 'plain_security'],
  ['refuses TLS', confirm(3, 2), 'plain_security'],
  ['knows no security at all', Buffer.from([3, 0, 0, 11, 6, 0xd0, 0, 0, 0, 0, 0]), 'plain_security'],
  ['has no certificate', confirm(3, 3), 'no_certificate'],
  ['chose what nobody asked for', confirm(2, 4), 'unsupported'],
  ['speaks SSH', Buffer.from('SSH-2.0-OpenSSH_9.2\r\n'), 'not_rdp'],
  ['goes', Buffer.from([3, 0]), 'gone'],
])('a host that %s is told so', async (_, bytes, code) => {
  await expect(confirmed(bytes)).rejects.toMatchObject({ step: 'protocol', code });
});
