/** What a request of a machine without a browser is known by: both are made of its key, so that who shows them has it. */
import { createHash } from 'node:crypto';

/** No vowels: no words. Nothing that reads like another one. */
const LETTERS = 'BCDFGHJKMNPQRSTVWXZ23456789';
const NIL_NAMESPACE = Buffer.alloc(16);
const ID_BYTES = 16;

/** A UUID of version 5, with SHA-256 in place of SHA-1. `publicKey`: the bytes that are sent, a line of a public key file. */
export function headlessId(publicKey: Buffer): string {
  const bytes = digest(publicKey).subarray(0, ID_BYTES);
  bytes[6] = (bytes[6]! & 0x0f) | 0x50;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** Compared by whoever approves, not typed. */
export function headlessCode(publicKey: Buffer): string {
  // What the id leaves of the hash: the address alone does not tell it.
  const rest = BigInt(`0x${digest(publicKey).subarray(ID_BYTES).toString('hex')}`);
  const base = BigInt(LETTERS.length);
  const code = Array.from({ length: 8 }, (_, at) => LETTERS[Number((rest / base ** BigInt(at)) % base)]).join('');
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}

function digest(publicKey: Buffer): Buffer {
  return createHash('sha256').update(NIL_NAMESPACE).update(publicKey).digest();
}
