/** Decides where Strict-Transport-Security may be sent: browsers remember it for a year and it cannot be taken back. */
import { isIP } from 'node:net';

/** Names that no public authority certifies: kept for tests, home networks and documentation (RFC 2606, 6761, 6762, 7686, 8375). */
const PRIVATE_ENDINGS = new Set([
  'localhost',
  'local',
  'localdomain',
  'test',
  'example',
  'invalid',
  'internal',
  'intranet',
  'private',
  'corp',
  'home',
  'lan',
  'arpa',
  'onion',
  'alt',
]);

export function isRealDomain(host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, '');
  if (isIP(name) !== 0) return false;
  const labels = name.split('.');
  const ending = labels.at(-1) ?? '';
  if (labels.length < 2 || PRIVATE_ENDINGS.has(ending)) return false;
  if (!/^([a-z]{2,63}|xn--[a-z0-9-]{1,59})$/.test(ending)) return false;
  return labels.every((label) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(label));
}

/** Only with a certificate somebody else vouched for: one we made, or that vouches for itself, may be gone tomorrow. */
export function mayForceTls(certificate: { vouchedFor: boolean } | undefined, host: string | undefined): boolean {
  if (!certificate?.vouchedFor || host === undefined) return false;
  return isRealDomain(host);
}
