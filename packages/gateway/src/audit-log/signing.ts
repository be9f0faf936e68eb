/** The key checkpoints are signed with: made once, sealed like every secret, its public half given to whoever may read the log. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import type { SignedCheckpoint } from '@gatehouse/contract/audit/search';
import type { SecretBox } from '../secrets/secret-box.ts';
import { readOrMakeSecret } from '../secrets/secret-store.ts';
import { Secret } from '../std/secret.ts';
import type { Db } from '../storage/tables.ts';

const NAME = 'audit-checkpoint-key';

export interface Signer {
  /** PEM. */
  publicKey: string;
  sign(body: string): SignedCheckpoint;
}

export interface ClusterSigner extends Signer {
  /** For recordings: what is signed must not begin like a checkpoint does. */
  signBytes(bytes: Uint8Array): Uint8Array;
}

export async function openSigner(db: Db, box: SecretBox, now: number): Promise<ClusterSigner> {
  const held = await readOrMakeSecret(db, box, { name: NAME, make: makeKey, now });
  const key = createPrivateKey(held.reveal());
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString();
  return {
    publicKey,
    sign: (body) => ({ body, signature: sign(null, Buffer.from(body), key).toString('base64') }),
    signBytes: (bytes) => sign(null, bytes, key),
  };
}

export function isSignedBy({ body, signature }: SignedCheckpoint, publicKey: string): boolean {
  try {
    return verify(null, Buffer.from(body), createPublicKey(publicKey), Buffer.from(signature, 'base64'));
  } catch {
    return false;
  }
}

function makeKey(): Secret {
  const { privateKey } = generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  } as never);
  return new Secret(String(privateKey));
}
