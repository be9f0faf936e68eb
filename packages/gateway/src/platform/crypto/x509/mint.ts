/** Makes X.509 authorities and what they sign, each for one purpose only. */
import { createPublicKey, type KeyObject, randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { exportKey, importKey, KEY_KIND, loadX509, newKeys, type Pair, pem, SIGNING } from './keys.ts';

/** Whom a certificate vouches for: who is dialled, or who dials. */
export type Vouched = 'server' | 'client';

const AUTHORITY_MS = 3650 * 86_400_000;
/** Clocks differ: a certificate that begins this very second is refused by half the machines around. */
const EARLY_MS = 10 * 60_000;

export interface NewAuthority {
  organization: string;
  name: string;
  vouches: Vouched;
  now: number;
}

export async function makeAuthority({ organization, name, vouches, now }: NewAuthority): Promise<Pair> {
  const x509 = await loadX509();
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: newSerial(),
    name: new x509.Name(nameOf({ organization, name })),
    keys,
    notBefore: new Date(now - EARLY_MS),
    notAfter: new Date(now + AUTHORITY_MS),
    signingAlgorithm: SIGNING,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      // Whoever checks it takes nothing from it that it was not made for.
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage[`${vouches}Auth`]]),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { cert: pem(certificate.toString('pem')), key: await exportKey(keys) };
}

export interface NewLeaf {
  vouches: Vouched;
  /** `organization` left out where it would make somebody a member of something: MongoDB takes servers for such by it. */
  subject: { organization?: string; name: string };
  /** Names and IP addresses it is dialled by. */
  names?: readonly string[];
  ttlMs: number;
  now: number;
  /** Facts of ours, by their number; the bytes are a text in DER. */
  facts?: { oid: string; text: string };
}

/** With a key of its own, made here. */
export async function mintPair(authority: Pair, wanted: NewLeaf): Promise<Pair> {
  const keys = await newKeys();
  return { cert: await sign(authority, keys.publicKey, wanted), key: await exportKey(keys) };
}

/** For a key whose other half somebody else has. */
export async function mintFor(authority: Pair, publicKey: KeyObject, wanted: NewLeaf): Promise<string> {
  const der = publicKey.export({ format: 'der', type: 'spki' });
  return await sign(authority, await crypto.subtle.importKey('spki', der, KEY_KIND, true, ['verify']), wanted);
}

/** Throws for whatever is none. */
export function readP256(text: string): KeyObject {
  const key = createPublicKey(text);
  if (key.asymmetricKeyType !== 'ec' || key.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
    throw new Error('a key of P-256 is wanted');
  return key;
}

async function sign(authority: Pair, publicKey: CryptoKey, wanted: NewLeaf): Promise<string> {
  const { vouches, subject, names = [], ttlMs, now, facts } = wanted;
  const x509 = await loadX509();
  const issuer = new x509.X509Certificate(authority.cert);
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: newSerial(),
    subject: new x509.Name(nameOf(subject)),
    issuer: issuer.subjectName,
    publicKey,
    signingKey: await importKey(authority.key),
    notBefore: new Date(now - EARLY_MS),
    notAfter: new Date(now + ttlMs),
    signingAlgorithm: SIGNING,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage[`${vouches}Auth`]]),
      ...(names.length > 0 ? [new x509.SubjectAlternativeNameExtension(names.map(generalName))] : []),
      ...(facts ? [new x509.Extension(facts.oid, false, derText(facts.text))] : []),
      await x509.SubjectKeyIdentifierExtension.create(publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
    ],
  });
  return pem(certificate.toString('pem'));
}

/** Said to be texts: one that begins with `#` would otherwise be taken for bytes, one with quotes be cut, and either could say anything. */
function nameOf({ organization, name }: NewLeaf['subject']) {
  const own = { CN: [{ utf8String: name }] };
  return organization === undefined ? [own] : [{ O: [{ utf8String: organization }] }, own];
}

function generalName(name: string) {
  return { type: isIP(name) ? ('ip' as const) : ('dns' as const), value: name };
}

/** Positive, and not zero. */
function newSerial(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes.toString('hex');
}

const UTF8_STRING = 0x0c;

function derText(text: string): Uint8Array<ArrayBuffer> {
  const body = Buffer.from(text);
  if (body.length > 0xffff) throw new RangeError('too long for a certificate');
  const head =
    body.length < 0x80 ? [UTF8_STRING, body.length] : [UTF8_STRING, 0x82, body.length >> 8, body.length & 0xff];
  return Uint8Array.from([...head, ...body]);
}
