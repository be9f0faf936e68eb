/** Keys and certificates for SAML, as providers make them for themselves. */
import 'reflect-metadata';
import { createPrivateKey } from 'node:crypto';
import { X509CertificateGenerator } from '@peculiar/x509';

export interface SamlKeys {
  /** PKCS #8, as PEM. */
  key: string;
  cert: string;
  /** The certificate without the lines around it, as it stands in XML. */
  base64: string;
}

export interface SamlKeyOptions {
  from: number;
  days?: number;
  bits?: number;
}

const RSA = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;

/** One for each name in a process: an RSA key takes longer to make than most tests take. Whoever must differ has another name. */
const PAIRS = new Map<string, Promise<CryptoKeyPair>>();

function pairOf(name: string, bits: number): Promise<CryptoKeyPair> {
  const id = `${name} of ${bits} bits`;
  const kind = { ...RSA, modulusLength: bits, publicExponent: new Uint8Array([1, 0, 1]) };
  const pair = PAIRS.get(id) ?? crypto.subtle.generateKey(kind, true, ['sign', 'verify']);
  PAIRS.set(id, pair);
  return pair;
}

export async function makeSamlKeys(name: string, { from, days = 365, bits = 2048 }: SamlKeyOptions): Promise<SamlKeys> {
  const keys = await pairOf(name, bits);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [name] }],
    keys,
    notBefore: new Date(from),
    notAfter: new Date(from + days * DAY_MS),
    signingAlgorithm: RSA,
  });
  const key = createPrivateKey({
    key: Buffer.from(await crypto.subtle.exportKey('pkcs8', keys.privateKey)),
    type: 'pkcs8',
    format: 'der',
  });
  return {
    key: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: certificate.toString('pem'),
    base64: Buffer.from(certificate.rawData).toString('base64'),
  };
}
