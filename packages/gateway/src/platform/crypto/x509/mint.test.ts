import { type createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { makeAuthority, mintFor, mintPair, readP256 } from './mint.ts';

const now = Date.UTC(2026, 0, 1);
const authority = await makeAuthority({ organization: 'main', name: 'sign-ins', vouches: 'client', now });

test('an authority signs, is good for one purpose, and signs no further authority', async () => {
  const made = new X509Certificate(authority.cert);
  const leaf = new X509Certificate(
    (
      await mintPair(authority, {
        vouches: 'client',
        subject: { organization: 'main', name: 'app' },
        ttlMs: 60_000,
        now,
      })
    ).cert,
  );

  expect(made).toMatchObject({ ca: true, subject: 'O=main\nCN=sign-ins', keyUsage: ['1.3.6.1.5.5.7.3.2'] });
  expect(leaf).toMatchObject({ ca: false, subject: 'O=main\nCN=app', keyUsage: ['1.3.6.1.5.5.7.3.2'] });
  expect(leaf.verify(made.publicKey)).toBe(true);
  expect(leaf.checkIssued(made)).toBe(true);
  expect(leaf.validToDate.getTime()).toBe(now + 60_000);
});

test.each(['#0c0361646d', '"app"', 'app,O=other', 'a+CN=b', 'app\\2c', ' ', 'ä'])(
  'somebody who is called %j is called so in the certificate, and nothing else',
  async (name) => {
    const { cert } = await mintPair(authority, {
      ...{ vouches: 'client', subject: { organization: '#0c01', name }, ttlMs: 60_000, now },
    });
    const { subject } = new X509Certificate(cert).toLegacyObject();

    expect(subject).toEqual({ O: '#0c01', CN: name });
  },
);

test('a server has names and addresses, and belongs to no organization', async () => {
  const names = ['db.inside', '10.0.0.5', '::1'];
  const { cert } = await mintPair(authority, {
    vouches: 'server',
    subject: { name: 'db.inside' },
    names,
    ttlMs: 1,
    now,
  });
  const made = new X509Certificate(cert);

  expect(made.toLegacyObject().subject).toEqual({ CN: 'db.inside' });
  expect(made.checkHost('db.inside')).toBe('db.inside');
  expect(made.checkIP('10.0.0.5')).toBe('10.0.0.5');
  expect(made.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
});

test('a certificate is for the key that was sent, of one kind only', async () => {
  const pem = (key: ReturnType<typeof createPublicKey>) => key.export({ format: 'pem', type: 'spki' }).toString();
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const wanted = { vouches: 'client', subject: { name: 'ann' }, ttlMs: 60_000, now } as const;
  const made = new X509Certificate(await mintFor(authority, readP256(pem(publicKey)), wanted));

  expect(made.checkPrivateKey(privateKey)).toBe(true);
  for (const other of [generateKeyPairSync('ed25519'), generateKeyPairSync('ec', { namedCurve: 'P-384' })])
    expect(() => readP256(pem(other.publicKey))).toThrow('P-256');
});
