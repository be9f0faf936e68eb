/** How people compare a federation key: as `ssh-keygen -l` would print it. */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { ED25519, fingerprint } from '../../../platform/crypto/ssh/public-key.ts';
import { sshString } from '../../../platform/crypto/ssh/ssh-wire.ts';

const KEY_BYTES = 32;

/** `key`: 32 bytes in base64url. */
export function keyFingerprintOf(key: string): string {
  return fingerprint(Buffer.concat([sshString(ED25519), sshString(rawKey(key))]));
}

export function publicKeyOf(key: string): KeyObject {
  const x = rawKey(key).toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}

function rawKey(key: string): Buffer {
  const raw = Buffer.from(key, 'base64url');
  if (raw.length !== KEY_BYTES) throw new Error('a federation key has 32 bytes');
  return raw;
}
