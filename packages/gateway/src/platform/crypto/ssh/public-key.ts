/** SSH public keys: read from lines, told by fingerprint, and used to check signatures. */
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { AppError } from '../../std/app-error.ts';
import { SshReader, sshString } from './ssh-wire.ts';

export const ED25519 = 'ssh-ed25519';

/** Type of an ECDSA key → the curve as Node calls it, and the bytes of one coordinate. */
const CURVES: Record<string, { curve: string; size: number; hash: string }> = {
  'ecdsa-sha2-nistp256': { curve: 'P-256', size: 32, hash: 'sha256' },
  'ecdsa-sha2-nistp384': { curve: 'P-384', size: 48, hash: 'sha384' },
  'ecdsa-sha2-nistp521': { curve: 'P-521', size: 66, hash: 'sha512' },
};
/** SHA-1, under the name `ssh-rsa`, is not among them. */
const RSA_HASHES: Record<string, string> = { 'rsa-sha2-256': 'sha256', 'rsa-sha2-512': 'sha512' };

export interface PublicKey {
  type: string;
  /** As it travels, and as fingerprints are made from. */
  blob: Buffer;
}

/** From a line of a public key file. What follows the key is a comment. Throws `bad_request`. */
export function parsePublicKey(line: string): PublicKey {
  const [type = '', encoded = ''] = line.trim().split(/\s+/);
  const blob = Buffer.from(encoded, 'base64');
  try {
    if (typeOf(blob) !== type) throw new Error('another key is inside');
    toKeyObject(blob);
  } catch (cause) {
    const start = line.slice(0, 40);
    // What was no base64 is none of anybody's letters by now.
    const what = /^[\x20-\x7e]+$/.test(start) ? `'${start}…'` : 'what was given';
    throw new AppError('bad_request', `${what} is not an SSH public key`, { cause });
  }
  return { type, blob };
}

/** The line without a comment. */
export function publicKeyLine(blob: Buffer): string {
  return `${typeOf(blob)} ${blob.toString('base64')}`;
}

/** As `ssh-keygen -l` prints it. */
export function fingerprint(blob: Buffer): string {
  return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;
}

export function typeOf(blob: Buffer): string {
  return new SshReader(blob).text();
}

export function ed25519Blob(key: KeyObject): Buffer {
  return Buffer.concat([sshString(ED25519), sshString(rawEd25519(key))]);
}

/** The 32 bytes of an Ed25519 public key, of either half. */
export function rawEd25519(key: KeyObject): Buffer {
  const { x, crv } = (key.type === 'private' ? createPublicKey(key) : key).export({ format: 'jwk' });
  if (crv !== 'Ed25519' || x === undefined) throw new Error('not an Ed25519 key');
  return Buffer.from(x, 'base64url');
}

/** Whether `signature`, as SSH writes it, is by that key over `data`. */
export function isSignedBy(blob: Buffer, data: Buffer, signature: Buffer): boolean {
  const reader = new SshReader(signature);
  const [algorithm, bytes] = [reader.text(), reader.bytes()];
  const type = typeOf(blob);
  const key = toKeyObject(blob);
  if (type === ED25519) return algorithm === ED25519 && verify(null, data, key, bytes);
  const { hash, size } = CURVES[type] ?? {};
  if (hash !== undefined && size !== undefined) {
    const signed = Buffer.concat(pairOf(bytes).map((part) => padded(part, size)));
    return algorithm === type && verify(hash, data, { key, dsaEncoding: 'ieee-p1363' }, signed);
  }
  const rsaHash = RSA_HASHES[algorithm];
  return type === 'ssh-rsa' && rsaHash !== undefined && verify(rsaHash, data, key, bytes);
}

function pairOf(bytes: Buffer): [Buffer, Buffer] {
  const reader = new SshReader(bytes);
  return [reader.magnitude(), reader.magnitude()];
}

function padded(bytes: Buffer, size: number): Buffer {
  return bytes.length >= size ? bytes : Buffer.concat([Buffer.alloc(size - bytes.length), bytes]);
}

function toKeyObject(blob: Buffer): KeyObject {
  const reader = new SshReader(blob);
  const jwk = jwkOf(reader.text(), reader);
  // The same key in other bytes would be another machine.
  if (!reader.atEnd) throw new Error('there is more than a key');
  return createPublicKey({ key: jwk, format: 'jwk' });
}

/** Written in the one way there is for it. */
function positive(reader: SshReader): Buffer {
  const bytes = reader.bytes();
  const [first = 0, second = 0] = bytes;
  if (first >= 0x80 || (first === 0 && second < 0x80)) throw new Error('a number is not written as SSH writes it');
  return first === 0 ? bytes.subarray(1) : bytes;
}

function jwkOf(type: string, reader: SshReader): Record<string, string> {
  if (type === ED25519) return { kty: 'OKP', crv: 'Ed25519', x: reader.bytes().toString('base64url') };
  if (type === 'ssh-rsa') {
    const [e, n] = [positive(reader), positive(reader)];
    return { kty: 'RSA', e: e.toString('base64url'), n: n.toString('base64url') };
  }
  const { curve, size } = CURVES[type] ?? {};
  if (curve === undefined || size === undefined) throw new Error(`a key of type '${type}' is not known here`);
  if (reader.text() !== type.slice('ecdsa-sha2-'.length)) throw new Error('another curve is named inside');
  const point = reader.bytes();
  // Only points written out in full: 4, x, y.
  if (point.length !== 1 + 2 * size || point[0] !== 4) throw new Error('the point is not on the curve');
  const [x, y] = [point.subarray(1, 1 + size), point.subarray(1 + size)];
  return { kty: 'EC', crv: curve, x: x.toString('base64url'), y: y.toString('base64url') };
}
