/** A certificate with its key, read from PEM text and checked before anything is served with it. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { StartError } from '../std/start-error.ts';

export interface Certificate {
  /** PEM: the certificate, then its chain. */
  cert: string;
  key: string;
  /** Whether an authority other than ourselves signed it. */
  vouchedFor: boolean;
  names: string[];
  notAfter: Date;
  /** SHA-256 of the certificate people should compare: the authority's when we made it. */
  fingerprint: string;
}

interface PemPair {
  cert: string;
  key: string;
  /** How to call the two in a message, usually their files. */
  certName: string;
  keyName: string;
}

export function checkCertificate({ cert, key, certName, keyName }: PemPair, now: number): Certificate {
  const parsed = parse(() => new X509Certificate(cert), `${certName} holds no PEM certificate`);
  const hint = /ENCRYPTED/.test(key) ? ': it is protected by a passphrase; store it without one' : '';
  const privateKey = parse(() => createPrivateKey(key), `${keyName} holds no PEM private key${hint}`);
  if (!parsed.checkPrivateKey(privateKey))
    throw new StartError(`the key in ${keyName} does not belong to the certificate in ${certName}`);
  const { validFromDate, validToDate } = parsed;
  if (validToDate.getTime() <= now)
    throw new StartError(`the certificate in ${certName} expired on ${day(validToDate)}`);
  if (validFromDate.getTime() > now)
    throw new StartError(`the certificate in ${certName} is not valid before ${day(validFromDate)}`);
  return {
    cert,
    key,
    vouchedFor: parsed.issuer !== parsed.subject,
    names: namesIn(parsed),
    notAfter: validToDate,
    fingerprint: parsed.fingerprint256,
  };
}

/** Whether a browser that opens `host` would take this certificate. */
export function coversHost({ cert }: Pick<Certificate, 'cert'>, host: string): boolean {
  const parsed = new X509Certificate(cert);
  // What is asked about all names below one stands in the certificate as it is.
  if (host.startsWith('*.')) return namesIn(parsed).includes(host);
  return (isIP(host) === 0 ? parsed.checkHost(host) : parsed.checkIP(host)) !== undefined;
}

function namesIn({ subjectAltName = '' }: X509Certificate): string[] {
  return subjectAltName
    .split(', ')
    .map((entry) => entry.replace(/^(DNS|IP Address):/, ''))
    .filter(Boolean);
}

function parse<T>(read: () => T, otherwise: string): T {
  try {
    return read();
  } catch (error) {
    throw new StartError(otherwise, { cause: error });
  }
}

function day(date: Date): string {
  return date.toISOString().slice(0, 10);
}

/** What a machine must be given to trust this certificate: nothing, when an authority it knows vouches for it. */
export function unknownAuthority(certificate: Certificate | undefined): string | undefined {
  if (!certificate || certificate.vouchedFor) return undefined;
  return certificate.cert.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g)?.at(-1);
}
