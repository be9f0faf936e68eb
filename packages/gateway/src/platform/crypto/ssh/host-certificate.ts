/** Decides whether a host certificate may be believed. */
import { type Certificate, parseCertificate } from './certificate.ts';
import { fingerprint, isSignedBy } from './public-key.ts';

export interface HostCheck {
  /** Public keys of the authorities that are believed. */
  authorities: readonly Buffer[];
  /** The name the host was dialled by. */
  host: string;
  now: number;
}

/** The key the host must hold, as it travels without its certificate; throws why it is not believed. */
export function checkHostCertificate(blob: Buffer, { authorities, host, now }: HostCheck): Buffer {
  const certificate = parseCertificate(blob);
  const authority = authorities.find((known) => known.equals(certificate.authority));
  // A certificate cannot certify: an authority is compared whole, as the plain key that was entered.
  if (!authority) throw new Error(`its certificate is by ${fingerprint(certificate.authority)}, which is not trusted`);
  if (!isSignedBy(authority, certificate.body, certificate.signature))
    throw new Error('the signature of its certificate is not right');
  refuse(certificate, host, now);
  return certificate.subject;
}

function refuse(certificate: Certificate, host: string, now: number): void {
  const { kind, principals, validAfter, validBefore, criticalOptions } = certificate;
  if (kind !== 'host') throw new Error('it shows the certificate of a user');
  if (now < validAfter) throw new Error(`its certificate is not valid before ${new Date(validAfter).toISOString()}`);
  if (now >= validBefore) throw new Error(`its certificate ended at ${new Date(validBefore).toISOString()}`);
  if (criticalOptions.length > 0) throw new Error(`its certificate demands '${criticalOptions[0]}', which is unknown`);
  const name = host.toLowerCase();
  // An empty list would be for every host: it names this one as little as a wrong list does.
  if (!principals.some((pattern) => matchesName(pattern.toLowerCase(), name)))
    throw new Error(`its certificate is not for '${host}' but for ${principals.slice(0, 5).join(', ') || 'nobody'}`);
}

/** With `*` as ssh takes it. */
function matchesName(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false;
  let left = name.slice(first.length, name.length - last.length);
  return rest.every((part) => {
    const at = left.indexOf(part);
    left = left.slice(at + part.length);
    return at >= 0;
  });
}
