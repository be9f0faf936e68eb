/** Whether an authority vouches for a certificate under a name, by hand: the certificate is looked at after TLS has begun, when nothing was said over it yet. */
import { X509Certificate } from 'node:crypto';

const MAX_DEPTH = 5;
const MAX_BYTES = 64 * 1_024;
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
const ANY_PURPOSE = '2.5.29.37.0';
const CERTIFICATES = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** In words that follow `its certificate`; undefined where all is well. */
export function whyNotCertified(
  leaf: Buffer,
  chain: readonly Buffer[],
  { ca, name }: { ca: string; name: string },
  now: number,
): string | undefined {
  const [shown, ...between] = [leaf, ...chain].map(read);
  if (!shown) return 'cannot be read';
  const authorities = (ca.match(CERTIFICATES) ?? []).flatMap((pem) => read(Buffer.from(pem)) ?? []);
  if (authorities.length === 0) return 'cannot be checked: the authority in its record cannot be read';
  if (shown.checkHost(name) === undefined) return `is not good for the name '${name}'`;
  const purposes = shown.keyUsage as string[] | undefined;
  if (purposes && !purposes.some((purpose) => purpose === SERVER_AUTH || purpose === ANY_PURPOSE))
    return 'is not one of a server';
  return whyNotIssued(
    shown,
    between.flatMap((each) => each ?? []),
    authorities,
    now,
  );
}

function whyNotIssued(
  leaf: X509Certificate,
  between: readonly X509Certificate[],
  authorities: readonly X509Certificate[],
  now: number,
): string | undefined {
  let current = leaf;
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const why = whyNotNow(current, now);
    if (why !== undefined) return depth === 0 ? why : `is vouched for by one that ${why}`;
    if (authorities.some((authority) => authority.raw.equals(current.raw))) return undefined;
    const anchor = authorities.find((authority) => isIssuedBy(current, authority));
    if (anchor) {
      const ended = whyNotNow(anchor, now);
      return ended === undefined ? undefined : `is of an authority that ${ended}`;
    }
    const next = between.find((each) => each !== current && isIssuedBy(current, each));
    if (!next) return 'is not of the authority in its record';
    current = next;
  }
  return 'has more authorities in between than are looked at';
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  try {
    return issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  } catch {
    return false;
  }
}

function whyNotNow({ validFromDate, validToDate }: X509Certificate, now: number): string | undefined {
  if (now < validFromDate.getTime()) return `is not good before ${validFromDate.toISOString()}`;
  return now > validToDate.getTime() ? `ended at ${validToDate.toISOString()}` : undefined;
}

function read(bytes: Buffer): X509Certificate | undefined {
  if (bytes.length > MAX_BYTES) return undefined;
  try {
    return new X509Certificate(bytes);
  } catch {
    return undefined;
  }
}
