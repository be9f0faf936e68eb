/** A certificate authority of our own in the data folder, for trying the gateway over TLS before there is a real certificate. */
import { X509Certificate } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { exportKey, importKey, loadX509, newKeys, type Pair, pem, SIGNING } from '../crypto/x509/keys.ts';
import { StartError } from '../std/start-error.ts';
import { type Certificate, checkCertificate, coversHost } from './certificate.ts';

const DAY_MS = 86_400_000;
const AUTHORITY_DAYS = 3650;
const SERVER_DAYS = 90;
/** A third of its life is left when it is renewed: a gateway that slept through a week still has a valid one. */
const RENEW_SERVER_DAYS = 30;
/** The authority must outlive what it signs. */
const RENEW_AUTHORITY_DAYS = SERVER_DAYS + 1;
/** Clocks differ: a certificate that starts this very second is refused by half the machines around. */
const CLOCK_SKEW_MS = 3_600_000;

export interface SelfMadeOptions {
  dataDir: string;
  /** Names and addresses people open the gateway by. */
  names: readonly string[];
  now: number;
}

/** The file to hand to browsers that shall trust this gateway. */
export function authorityFile(dataDir: string): string {
  return join(dataDir, 'tls', 'ca.crt');
}

/** Gives the stored certificate, or makes what is missing, close to its end or lacks a name. */
export async function selfMadeCertificate({ dataDir, names, now }: SelfMadeOptions): Promise<Certificate> {
  const folder = join(dataDir, 'tls');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  const authority = await authorityIn(folder, now);
  writeWhole(authorityFile(dataDir), authority.cert, 0o644);

  const file = join(folder, 'server.pem');
  const stored = readPair(file);
  const pair = stored && isFresh(stored, authority, names, now) ? stored : await makeServer(authority, names, now);
  if (pair !== stored) writeWhole(file, `${pair.key}${pair.cert}`, 0o600);
  const checked = checkCertificate({ ...pair, certName: file, keyName: file }, now);
  return {
    ...checked,
    cert: `${pair.cert}${authority.cert}`,
    vouchedFor: false,
    fingerprint: new X509Certificate(authority.cert).fingerprint256,
  };
}

async function authorityIn(folder: string, now: number): Promise<Pair> {
  const file = join(folder, 'ca.pem');
  const stored = readPair(file);
  if (stored && daysLeft(stored, now) > RENEW_AUTHORITY_DAYS) return stored;
  const made = await makeAuthority(now);
  writeWhole(file, `${made.key}${made.cert}`, 0o600);
  return made;
}

function isFresh(server: Pair, authority: Pair, names: readonly string[], now: number): boolean {
  const parsed = new X509Certificate(server.cert);
  return (
    daysLeft(server, now) > RENEW_SERVER_DAYS &&
    parsed.verify(new X509Certificate(authority.cert).publicKey) &&
    names.every((name) => coversHost(server, name))
  );
}

function daysLeft({ cert }: Pair, now: number): number {
  return (new X509Certificate(cert).validToDate.getTime() - now) / DAY_MS;
}

async function makeAuthority(now: number): Promise<Pair> {
  const x509 = await loadX509();
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: [{ O: ['Gatehouse'] }, { CN: [`Gatehouse self-made authority ${new Date(now).toISOString().slice(0, 10)}`] }],
    keys,
    ...validity(now, AUTHORITY_DAYS),
    signingAlgorithm: SIGNING,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { cert: pem(certificate.toString('pem')), key: await exportKey(keys) };
}

async function makeServer(authority: Pair, names: readonly string[], now: number): Promise<Pair> {
  const x509 = await loadX509();
  const keys = await newKeys();
  const issuer = new x509.X509Certificate(authority.cert);
  const certificate = await x509.X509CertificateGenerator.create({
    subject: [{ O: ['Gatehouse'] }, { CN: [names[0] ?? 'localhost'] }],
    issuer: issuer.subjectName,
    publicKey: keys.publicKey,
    signingKey: await importKey(authority.key),
    ...validity(now, SERVER_DAYS),
    signingAlgorithm: SIGNING,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(names.map(generalName)),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
    ],
  });
  return { cert: pem(certificate.toString('pem')), key: await exportKey(keys) };
}

function generalName(name: string) {
  return { type: isIP(name) ? ('ip' as const) : ('dns' as const), value: name };
}

function validity(now: number, days: number): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(now - CLOCK_SKEW_MS), notAfter: new Date(now + days * DAY_MS) };
}

/** Key and certificate in one file, so that no crash can leave one of them behind alone. */
function readPair(file: string): Pair | undefined {
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, 'utf8');
  const key = /-----BEGIN PRIVATE KEY-----[\s\S]+?-----END PRIVATE KEY-----\n/.exec(text)?.[0];
  const cert = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----\n/.exec(text)?.[0];
  if (!key || !cert) throw new StartError(`${file} is damaged: remove it and a new certificate is made`);
  return { key, cert };
}

function writeWhole(file: string, text: string, mode: number): void {
  writeFileSync(`${file}.new`, text, { mode, flush: true });
  chmodSync(`${file}.new`, mode);
  renameSync(`${file}.new`, file);
}
