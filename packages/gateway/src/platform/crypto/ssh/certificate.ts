/** OpenSSH certificates (PROTOCOL.certkeys): minted with Ed25519, read and checked. */
import { type KeyObject, randomBytes, sign } from 'node:crypto';
import { ED25519, ed25519Blob } from './public-key.ts';
import { SshReader, sshString, uint32, uint64 } from './ssh-wire.ts';

export const ED25519_CERTIFICATE = 'ssh-ed25519-cert-v01@openssh.com';

/** Type of a certificate → type of the key in it, and how many fields that key has. */
export const CERTIFICATE_TYPES: Readonly<Record<string, { plain: string; fields: number }>> = {
  [ED25519_CERTIFICATE]: { plain: ED25519, fields: 1 },
  'ecdsa-sha2-nistp256-cert-v01@openssh.com': { plain: 'ecdsa-sha2-nistp256', fields: 2 },
  'ecdsa-sha2-nistp384-cert-v01@openssh.com': { plain: 'ecdsa-sha2-nistp384', fields: 2 },
  'ecdsa-sha2-nistp521-cert-v01@openssh.com': { plain: 'ecdsa-sha2-nistp521', fields: 2 },
};

/** What a connection shows: one key, certified by each authority that servers may trust now, the newest first. */
export interface SshCredential {
  key: KeyObject;
  certificates: readonly {
    blob: Buffer;
    /** Fingerprint of the one that signed it. */
    authority: string;
  }[];
}

const USER = 1;
const HOST = 2;

export interface NewCertificate {
  /** Whose key is certified: either half of an Ed25519 key, or a public key as it travels. */
  subject: KeyObject | Buffer;
  /** Eight bytes; random unless told. */
  serial?: Buffer;
  kind: 'user' | 'host';
  /** What the server writes into its log. */
  keyId: string;
  /** Logins of a user, names of a host. */
  principals: readonly string[];
  validAfter: number;
  validBefore: number;
  /** `force-command`, `source-address`. */
  criticalOptions?: Readonly<Record<string, string>>;
  /** `permit-pty` and the like: what a session may do. */
  extensions?: readonly string[];
}

export function mintCertificate(authority: KeyObject, wanted: NewCertificate): Buffer {
  // OpenSSH takes an empty list for everybody.
  if (wanted.principals.length === 0 || wanted.principals.some((name) => name === ''))
    throw new Error('a certificate without principals would be valid for everybody');
  const key = new SshReader(Buffer.isBuffer(wanted.subject) ? wanted.subject : ed25519Blob(wanted.subject));
  const plain = key.text();
  const [type] = Object.entries(CERTIFICATE_TYPES).find(([, known]) => known.plain === plain) ?? [];
  if (type === undefined) throw new Error(`no certificate is minted for a key of type '${plain}'`);
  const { fields } = CERTIFICATE_TYPES[type]!;
  const body = Buffer.concat([
    sshString(type),
    sshString(randomBytes(32)),
    ...Array.from({ length: fields }, () => sshString(key.bytes())),
    wanted.serial ?? randomBytes(8),
    uint32(wanted.kind === 'user' ? USER : HOST),
    sshString(wanted.keyId),
    sshString(Buffer.concat(wanted.principals.map(sshString))),
    seconds(wanted.validAfter),
    seconds(wanted.validBefore),
    sshString(options(Object.entries(wanted.criticalOptions ?? {}))),
    sshString(options((wanted.extensions ?? []).map((name) => [name, undefined]))),
    sshString(''),
    sshString(ed25519Blob(authority)),
  ]);
  const signature = Buffer.concat([sshString(ED25519), sshString(sign(null, body, authority))]);
  return Buffer.concat([body, sshString(signature)]);
}

function seconds(timeMs: number): Buffer {
  return uint64(BigInt(Math.floor(timeMs / 1000)));
}

/** In the order of their bytes; a value is a string within the string, a flag has none. */
function options(entries: readonly (readonly [string, string | undefined])[]): Buffer {
  const sorted = entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Buffer.concat(
    sorted.flatMap(([name, value]) => [sshString(name), value === undefined ? uint32(0) : sshString(sshString(value))]),
  );
}

export interface Certificate {
  type: string;
  kind: 'user' | 'host';
  keyId: string;
  serial: bigint;
  principals: string[];
  validAfter: number;
  validBefore: number;
  criticalOptions: string[];
  /** By their names; empty for a flag. */
  criticalValues: Readonly<Record<string, string>>;
  extensions: string[];
  /** The key that is certified, as it would travel without its certificate. */
  subject: Buffer;
  authority: Buffer;
  /** What is signed, and the signature. */
  body: Buffer;
  signature: Buffer;
}

/** Believes nothing of it: check the signature and everything it says. */
export function parseCertificate(blob: Buffer): Certificate {
  const reader = new SshReader(blob);
  const type = reader.text();
  const known = CERTIFICATE_TYPES[type];
  if (!known) throw new Error(`a certificate of type '${type}' is not known here`);
  reader.bytes();
  const fields = Array.from({ length: known.fields }, () => sshString(reader.bytes()));
  const certificate = {
    type,
    subject: Buffer.concat([sshString(known.plain), ...fields]),
    serial: reader.uint64(),
    kind: kindOf(reader.uint32()),
    keyId: reader.text(),
    principals: textsIn(reader.bytes()),
    validAfter: milliseconds(reader.uint64()),
    validBefore: milliseconds(reader.uint64()),
  };
  const options = reader.bytes();
  const extensions = namesIn(reader.bytes());
  reader.bytes();
  const authority = Buffer.from(reader.bytes());
  const body = blob.subarray(0, reader.position);
  return {
    ...{ ...certificate, criticalOptions: namesIn(options), criticalValues: valuesIn(options), extensions },
    ...{ authority, body, signature: reader.bytes() },
  };
}

function kindOf(number: number): Certificate['kind'] {
  if (number === USER) return 'user';
  if (number === HOST) return 'host';
  throw new Error('neither a certificate of a user nor of a host');
}

/** For ever is written as the largest number there is, which no date can show. */
function milliseconds(time: bigint): number {
  return Math.min(Number(time) * 1000, 8.64e15);
}

function textsIn(bytes: Buffer): string[] {
  const texts: string[] = [];
  for (const reader = new SshReader(bytes); !reader.atEnd; ) texts.push(reader.text());
  return texts;
}

function namesIn(bytes: Buffer): string[] {
  const names: string[] = [];
  for (const reader = new SshReader(bytes); !reader.atEnd; reader.bytes()) names.push(reader.text());
  return names;
}

function valuesIn(bytes: Buffer): Record<string, string> {
  const values: Record<string, string> = Object.create(null);
  for (const reader = new SshReader(bytes); !reader.atEnd; ) {
    const [name, value] = [reader.text(), reader.bytes()];
    values[name] = value.length === 0 ? '' : new SshReader(value).text();
  }
  return values;
}
