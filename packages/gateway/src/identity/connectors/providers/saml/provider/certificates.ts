/** The certificates a provider signs with: a few at once while it rolls over, each only in its time. */
import { X509Certificate } from 'node:crypto';
import type { ConnectorFacts } from '../../provider.ts';

export const MAX_CERTIFICATES = 16;
const MIN_RSA_BITS = 2048;

/** Its message continues a sentence that names where the certificate stands. */
export class CertificateRefused extends Error {
  override name = 'CertificateRefused';
}

/** PEM, any number of them, or the bare base64 of one. */
export function readCertificates(text: string): X509Certificate[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]{1,65536}-----END CERTIFICATE-----/g);
  if ((blocks?.length ?? 0) > MAX_CERTIFICATES)
    throw new CertificateRefused(`holds more than ${MAX_CERTIFICATES} certificates`);
  return (blocks ?? [asPem(text)]).map(readOne);
}

function asPem(base64: string): string {
  const body = base64.replaceAll(/\s/g, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(body)) throw new CertificateRefused('is not a certificate in PEM or base64');
  return `-----BEGIN CERTIFICATE-----\n${body.replaceAll(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`;
}

function readOne(pem: string): X509Certificate {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(pem);
  } catch (cause) {
    throw new CertificateRefused('is not a certificate that can be read', { cause });
  }
  const { asymmetricKeyType, asymmetricKeyDetails } = certificate.publicKey;
  if (asymmetricKeyType !== 'rsa')
    throw new CertificateRefused(`holds a key of the kind ${asymmetricKeyType}: only RSA is taken`);
  const bits = asymmetricKeyDetails?.modulusLength ?? 0;
  if (bits < MIN_RSA_BITS)
    throw new CertificateRefused(`holds an RSA key of ${bits} bits: at least ${MIN_RSA_BITS} are wanted`);
  return certificate;
}

/** Those that may sign now. Throws where none may, and says which ended when. */
export function validCertificates(certificates: readonly X509Certificate[], now: number): X509Certificate[] {
  const valid = certificates.filter(
    ({ validFromDate, validToDate }) => validFromDate.getTime() <= now && now < validToDate.getTime(),
  );
  if (valid.length > 0) return valid;
  const told = certificates.map((each) =>
    now < each.validFromDate.getTime()
      ? `${nameOf(each)} begins on ${day(each.validFromDate)}`
      : `${nameOf(each)} ended on ${day(each.validToDate)}`,
  );
  throw new CertificateRefused(`has no certificate that is valid now: ${told.join('; ')}`);
}

/** As people compare it with what the provider shows. */
function nameOf({ fingerprint256 }: X509Certificate): string {
  return `the one with SHA-256 ${fingerprint256.slice(0, 23)}…`;
}

function day(date: Date): string {
  return date.toISOString().slice(0, 10);
}

/** What is remembered of them, to tell when they change. */
export function certificateFacts(certificates: readonly X509Certificate[]): { certificates: string[] } {
  return { certificates: certificates.map(({ fingerprint256 }) => fingerprint256).toSorted() };
}

/** What has changed between two sign-ins, in words; nothing where nothing did, or nothing was known. */
export function certificateChange(before: ConnectorFacts, after: ConnectorFacts): string | undefined {
  const known = before.certificates;
  const now = after.certificates;
  if (!Array.isArray(known) || known.length === 0 || !Array.isArray(now)) return undefined;
  const added = now.filter((each) => !known.includes(each));
  const gone = known.filter((each) => !now.includes(each));
  if (added.length + gone.length === 0) return undefined;
  return [...added.map((each) => `new: ${each}`), ...gone.map((each) => `gone: ${each}`)].join('; ');
}
