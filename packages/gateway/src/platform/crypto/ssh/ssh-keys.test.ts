import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { mintCertificate, type NewCertificate, parseCertificate } from './certificate.ts';
import { checkHostCertificate } from './host-certificate.ts';
import { ed25519Blob, fingerprint, isSignedBy, parsePublicKey, publicKeyLine } from './public-key.ts';
import { sshString } from './ssh-wire.ts';

const newKey = () => generateKeyPairSync('ed25519').privateKey;
const authority = newKey();
const host = newKey();
const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey;
const EC = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey;
const NOW = Date.UTC(2026, 0, 1);

function mint(over: Partial<NewCertificate> = {}, by: KeyObject = authority): Buffer {
  return mintCertificate(by, {
    kind: 'host',
    subject: host,
    keyId: 'host',
    principals: ['web-1.example', '*.lab.example'],
    validAfter: NOW - 1_000,
    validBefore: NOW + 1_000,
    ...over,
  });
}

function lineOf(type: string, blob: Buffer): string {
  return `${type} ${blob.toString('base64')}`;
}

function rsaBlob(zeros = Buffer.of(0)): Buffer {
  const { e = '', n = '' } = RSA.export({ format: 'jwk' });
  const modulus = Buffer.concat([zeros, Buffer.from(n, 'base64url')]);
  return Buffer.concat(['ssh-rsa', Buffer.from(e, 'base64url'), modulus].map(sshString));
}

function ecdsaBlob(curve = 'nistp256'): Buffer {
  const { x = '', y = '' } = EC.export({ format: 'jwk' });
  const point = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  return Buffer.concat(['ecdsa-sha2-nistp256', curve, point].map(sshString));
}

describe('public keys', () => {
  test('have the fingerprint that ssh-keygen prints', () => {
    const line = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl';

    const key = parsePublicKey(`${line} a comment`);

    expect(fingerprint(key.blob)).toBe('SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU');
    expect(publicKeyLine(key.blob)).toBe(line);
  });

  test.each([
    ['an empty line', ''],
    [
      'another type outside than inside',
      'ssh-rsa AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl',
    ],
    ['bytes that end too early', 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0'],
    ['an unknown type', 'ssh-dss AAAAB3NzaC1kc3M='],
    ['a key with something behind it', lineOf('ssh-ed25519', Buffer.concat([ed25519Blob(host), Buffer.of(0)]))],
    ['an RSA key with more zeros than it needs', lineOf('ssh-rsa', rsaBlob(Buffer.of(0, 0)))],
    ['an RSA key that is negative', lineOf('ssh-rsa', rsaBlob(Buffer.alloc(0)))],
    ['a point of another curve than its type says', lineOf('ecdsa-sha2-nistp256', ecdsaBlob('nistp384'))],
    ['a certificate', `ssh-ed25519-cert-v01@openssh.com ${mint().toString('base64')}`],
  ])('%s is refused', (_, line) => {
    expect(() => parsePublicKey(line)).toThrow('is not an SSH public key');
  });

  test('of letters that are none the refusal shows none', () => {
    expect(() => parsePublicKey('i\ufffd\u001b[2J')).toThrow(/^what was given is not an SSH public key$/);
  });

  test('of RSA and ECDSA are read where they are written as SSH writes them', () => {
    for (const blob of [rsaBlob(), ecdsaBlob()]) {
      const line = publicKeyLine(blob);
      expect(publicKeyLine(parsePublicKey(line).blob)).toBe(line);
    }
  });

  test('sign nothing for each other', () => {
    const { body, signature } = parseCertificate(mint());

    expect(isSignedBy(ed25519Blob(authority), body, signature)).toBe(true);
    expect(isSignedBy(ed25519Blob(host), body, signature)).toBe(false);
  });
});

describe('certificates', () => {
  test('say what they were made with', () => {
    const minted = mint({
      kind: 'user',
      keyId: 'user=ann session=1',
      principals: ['root', 'deploy'],
      criticalOptions: { 'source-address': '10.0.0.1', 'force-command': 'true' },
      extensions: ['permit-pty', 'permit-agent-forwarding'],
    });

    expect(parseCertificate(minted)).toMatchObject({
      kind: 'user',
      keyId: 'user=ann session=1',
      principals: ['root', 'deploy'],
      criticalOptions: ['force-command', 'source-address'],
      extensions: ['permit-agent-forwarding', 'permit-pty'],
      validAfter: NOW - 1_000,
      validBefore: NOW + 1_000,
      subject: ed25519Blob(host),
      authority: ed25519Blob(authority),
    });
  });

  test('for nobody in particular, who would be everybody, are not minted', () => {
    expect(() => mint({ principals: [] })).toThrow('would be valid for everybody');
    expect(() => mint({ principals: ['root', ''] })).toThrow('would be valid for everybody');
  });
});

describe('host certificates', () => {
  const check = (blob: Buffer, name = 'web-1.example', authorities = [ed25519Blob(authority)]) =>
    checkHostCertificate(blob, { authorities, host: name, now: NOW });

  test('give the key the host must hold', () => {
    expect(check(mint())).toEqual(ed25519Blob(host));
    expect(check(mint(), 'WEB-1.EXAMPLE')).toEqual(ed25519Blob(host));
    expect(check(mint(), 'a.b.lab.example')).toEqual(ed25519Blob(host));
  });

  test.each(['web-1.example.evil', 'web-2.example', '.lab.exampl', 'lab.example', ''])('are not for %j', (name) => {
    expect(() => check(mint(), name)).toThrow('its certificate is not for');
  });

  test('are refused by anybody else, of a user, out of time, or with a demand nobody knows', () => {
    expect(() => check(mint({}, newKey()))).toThrow('which is not trusted');
    expect(() => check(mint({ kind: 'user' }))).toThrow('the certificate of a user');
    expect(() => check(mint({ validBefore: NOW }))).toThrow('ended at 2026-01-01');
    expect(() => check(mint({ validAfter: NOW + 60_000 }))).toThrow('is not valid before');
    expect(() => check(mint({ criticalOptions: { 'verify-required': '' } }))).toThrow("demands 'verify-required'");
    expect(() => check(mint(), 'web-1.example', [])).toThrow('which is not trusted');
  });

  test('by a key that is itself only certified are refused', () => {
    const between = newKey();
    const chained = mint({ kind: 'host', subject: between });
    const leaf = mint({}, between);

    expect(check(chained)).toEqual(ed25519Blob(between));
    expect(() => check(leaf)).toThrow('which is not trusted');
  });

  test('with any byte changed are refused', () => {
    const blob = mint();
    for (let at = 0; at < blob.length; at++) {
      const changed = Buffer.from(blob);
      changed[at]! ^= 1;
      expect(() => check(changed), `byte ${at}`).toThrow();
    }
  });
});
