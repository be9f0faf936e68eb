import { constants, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { expect, test } from 'vitest';
import { makeSamlKeys } from '../../../../../../testing/connectors/saml-keys.ts';
import { readXml } from '../xml/read-xml.ts';
import { canHaveMade, certificatesBehind } from './certificates-behind.ts';

const RSA = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
const PSS = 'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1';
const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
const own = await makeSamlKeys('own', { from: Date.now() });
const other = await makeSamlKeys('other', { from: Date.now() });

function signature(method: string, value: Buffer) {
  return readXml(
    `<Signature xmlns="http://www.w3.org/2000/09/xmldsig#"><SignedInfo><SignatureMethod Algorithm="${method}"/></SignedInfo><SignatureValue>${value.toString('base64')}</SignatureValue></Signature>`,
    { comments: 'refused' },
  );
}

test.each([
  ['PKCS #1 with SHA-256', RSA, sign('sha256', Buffer.from('x'), own.key)],
  [
    'PKCS #1 with SHA-512',
    'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
    sign('sha512', Buffer.from('x'), own.key),
  ],
  ['PSS', PSS, sign('sha256', Buffer.from('x'), { key: own.key, ...pss })],
])('of several certificates only the one that made a signature by %s is left', (_, method, value) => {
  const given = [{ of: 'assertion', signature: signature(method, value) }];

  expect(certificatesBehind(given, [other.cert, own.cert])).toEqual([own.cert]);
  expect(() => certificatesBehind(given, [other.cert])).toThrow(
    'the signature of the assertion does not fit the certificate of the provider',
  );
});

test('what nobody made, or what was made in another way, is of no certificate', () => {
  const values = [
    ...[0, 1, 255, 256, 257, 4_096].map((length) => randomBytes(length)),
    Buffer.alloc(256),
    Buffer.alloc(256, 0xbc),
    Buffer.concat([Buffer.alloc(255), Buffer.of(1)]),
  ];

  for (const method of [RSA, PSS])
    for (const value of values)
      expect(() => certificatesBehind([{ of: 'answer', signature: signature(method, value) }], [own.cert])).toThrow(
        'the signature of the answer does not fit',
      );
  const swapped = signature(PSS, sign('sha256', Buffer.from('x'), own.key));
  expect(() => certificatesBehind([{ of: 'answer', signature: swapped }], [own.cert])).toThrow('does not fit');
});

test('each signature of an answer must be of somebody, and of whom is not asked of the others', () => {
  const by = (key: string) => signature(RSA, sign('sha256', Buffer.from('x'), key));
  const both = [
    { of: 'answer', signature: by(other.key) },
    { of: 'assertion', signature: by(own.key) },
  ];

  expect(certificatesBehind(both, [own.cert, other.cert]).toSorted()).toEqual([own.cert, other.cert].toSorted());
  expect(() => certificatesBehind(both, [own.cert])).toThrow('the signature of the answer does not fit');
});

test.each([2_041, 2_048, 2_049, 2_055, 3_072])('a key of %i bits is known by its own signatures', (modulusLength) => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength });
  // Paddings differ from one to the next: in some the highest bits are zero by chance.
  for (let round = 0; round < 8; round++) {
    const text = randomBytes(8);
    expect(canHaveMade(publicKey, signature(PSS, sign('sha256', text, { key: privateKey, ...pss })))).toBe(true);
    expect(canHaveMade(publicKey, signature(RSA, sign('sha256', text, privateKey)))).toBe(true);
  }
});
