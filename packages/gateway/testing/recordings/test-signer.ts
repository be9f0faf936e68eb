/** A key to sign recordings with, for tests. */
import { generateKeyPairSync, sign } from 'node:crypto';
import type { SealSigner } from '../../src/evidence/recordings/format/seal.ts';

export function testSigner(): SealSigner {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return {
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    signBytes: (bytes) => sign(null, bytes, privateKey),
  };
}
