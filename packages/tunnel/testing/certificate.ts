/** An authority and a server certificate for loopback, made for one run. */
import 'reflect-metadata';
import { X509Certificate as NodeCertificate } from 'node:crypto';
import { isIP } from 'node:net';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

const KEY_KIND = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const SIGNING = { name: 'ECDSA', hash: 'SHA-256' } as const;
const HOUR_MS = 3_600_000;

export interface TestCertificate {
  /** PEM of the server and its authority. */
  cert: string;
  key: string;
  ca: string;
  /** SHA-256 of the authority. */
  pin: string;
}

/** Good for an hour before and after the given time. */
export async function makeCertificate(
  names: readonly string[] = ['localhost', '127.0.0.1'],
  middle = Date.now(),
): Promise<TestCertificate> {
  const validity = { notBefore: new Date(middle - HOUR_MS), notAfter: new Date(middle + HOUR_MS) };
  const authorityKeys = await newKeys();
  const authority = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=test authority',
    keys: authorityKeys,
    ...validity,
    signingAlgorithm: SIGNING,
    extensions: [new BasicConstraintsExtension(true, 0, true), new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true)],
  });
  const keys = await newKeys();
  const server = await X509CertificateGenerator.create({
    subject: 'CN=test server',
    issuer: authority.subject,
    publicKey: keys.publicKey,
    signingKey: authorityKeys.privateKey,
    ...validity,
    signingAlgorithm: SIGNING,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isIP(value) === 0 ? ('dns' as const) : ('ip' as const), value })),
      ),
    ],
  });
  const ca = pem(authority);
  return {
    cert: `${pem(server)}${ca}`,
    key: PemConverter.encode(await crypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY'),
    ca,
    pin: new NodeCertificate(ca).fingerprint256,
  };
}

async function newKeys() {
  return await crypto.subtle.generateKey(KEY_KIND, true, ['sign', 'verify']);
}

function pem(certificate: X509Certificate): string {
  return `${certificate.toString('pem')}\n`;
}
