/** How MariaDB's `client_ed25519` proves a password: a signature as in RFC 8032, whose seed is the password, of whatever length. */
import { createHash } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';

const { ORDER } = ed25519.Point.Fn;

export function signEd25519(password: string, nonce: Buffer): Buffer {
  const secret = sha512(Buffer.from(password));
  secret[0] = (secret[0] as number) & 0xf8;
  secret[31] = ((secret[31] as number) & 0x3f) | 0x40;
  const scalar = numberOf(secret.subarray(0, 32));
  const own = pointOf(scalar);
  const once = numberOf(sha512(secret.subarray(32), nonce));
  const point = pointOf(once);
  const sum = once + numberOf(sha512(point, own, nonce)) * scalar;
  return Buffer.concat([point, bytesOf(sum % ORDER)]);
}

function pointOf(scalar: bigint): Buffer {
  return Buffer.from(ed25519.Point.BASE.multiply(scalar).toBytes());
}

/** Below the order of the curve, which is all that counts. */
function numberOf(bytes: Buffer): bigint {
  return BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`) % ORDER;
}

function bytesOf(number: bigint): Buffer {
  return Buffer.from(number.toString(16).padStart(64, '0'), 'hex').reverse();
}

function sha512(...parts: readonly Buffer[]): Buffer {
  const hash = createHash('sha512');
  for (const part of parts) hash.update(part);
  return hash.digest();
}
