import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { armor, newHostKey, sshSignature } from '../../../../testing/test-host.ts';
import { mintCertificate } from './certificate.ts';
import { ed25519Blob } from './public-key.ts';
import { signerOf } from './ssh-signature.ts';
import { sshString, uint32 } from './ssh-wire.ts';

const key = newHostKey();
const wanted = { namespace: 'enrol@gatehouse', text: 'one\ntwo\n' };
const bytesOf = (armored: string) => Buffer.from(armored.replaceAll(/-----.*-----|\n/g, ''), 'base64');

test.each(['sha256', 'sha512'])('a signature over %s tells its key', (hash) => {
  expect(signerOf(sshSignature(key, wanted, { hash }), wanted)).toEqual(ed25519Blob(key));
});

describe('nobody signed', () => {
  test.each([
    ['another text', sshSignature(key, { ...wanted, text: 'one\ntwo' })],
    ['for another purpose', sshSignature(key, { ...wanted, namespace: 'file' })],
    ['for a longer purpose', sshSignature(key, { ...wanted, namespace: 'enrol@gatehouse.example' })],
    ['in the name of another key', sshSignature(key, wanted, { claim: ed25519Blob(newHostKey()) })],
    ['with a key and something behind it', sshSignature(key, wanted, { claim: withTail(ed25519Blob(key)) })],
    ['in the name of a certificate', sshSignature(key, wanted, { claim: certificate() })],
    ['in the name of no key', sshSignature(key, wanted, { claim: Buffer.alloc(0) })],
    ['by another algorithm', sshSignature(key, wanted, { algorithm: 'ssh-rsa' })],
    ['over a weak hash', sshSignature(key, wanted, { hash: 'sha1' })],
    ['in another version', sshSignature(key, wanted, { version: 2 })],
    ['with what is reserved', sshSignature(key, wanted, { reserved: 'x' })],
    ['with something behind it', sshSignature(key, wanted, { more: Buffer.of(0) })],
    ['without its frame', bytesOf(sshSignature(key, wanted)).toString('base64')],
    ['twice', sshSignature(key, wanted).repeat(2)],
    ['nothing', ''],
    ['with no bytes', armor(Buffer.alloc(0))],
  ])('%s', (_, signature) => {
    expect(signerOf(signature, wanted)).toBeUndefined();
  });

  test('with an RSA key by SHA-1, though by SHA-2 it did', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const { e = '', n = '' } = rsa.publicKey.export({ format: 'jwk' });
    const modulus = Buffer.concat([Buffer.of(0), Buffer.from(n, 'base64url')]);
    const blob = Buffer.concat(['ssh-rsa', Buffer.from(e, 'base64url'), modulus].map(sshString));
    const signedWith = (algorithm: string, hash: string) => {
      const digest = createHash('sha512').update(wanted.text).digest();
      const head = Buffer.from('SSHSIG');
      const signed = Buffer.concat([head, ...[wanted.namespace, '', 'sha512', digest].map(sshString)]);
      const signature = Buffer.concat([algorithm, sign(hash, signed, rsa.privateKey)].map(sshString));
      return armor(
        Buffer.concat([head, uint32(1), ...[blob, wanted.namespace, '', 'sha512', signature].map(sshString)]),
      );
    };

    expect(signerOf(signedWith('rsa-sha2-512', 'sha512'), wanted)).toEqual(blob);
    expect(signerOf(signedWith('ssh-rsa', 'sha1'), wanted)).toBeUndefined();
    expect(signerOf(signedWith('rsa-sha2-256', 'sha1'), wanted)).toBeUndefined();
  });

  test('with bytes cut off or changed', () => {
    const whole = bytesOf(sshSignature(key, wanted));
    for (let at = 0; at < whole.length; at++) {
      const changed = Buffer.from(whole);
      changed[at]! ^= 1;
      expect(signerOf(armor(changed), wanted), `byte ${at}`).toBeUndefined();
      expect(signerOf(armor(whole.subarray(0, at)), wanted), `to ${at}`).toBeUndefined();
    }
  });
});

function withTail(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.of(0)]);
}

function certificate(): Buffer {
  const names = { kind: 'host', keyId: 'x', principals: ['x'], validAfter: 0, validBefore: 9e12 } as const;
  return mintCertificate(newHostKey(), { subject: key, ...names });
}
