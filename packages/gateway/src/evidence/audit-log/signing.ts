/** The key checkpoints are signed with: made once, sealed like every secret, its public half given to whoever may read the log. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import type { SignedCheckpoint } from '@gatehouse/contract/audit/search';
import type { SecretBox } from '../../platform/secrets/secret-box.ts';
import { readOrMakeSecret } from '../../platform/secrets/secret-store.ts';
import { Secret } from '../../platform/std/secret.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { keepKey, knownKeys } from './signing-keys.ts';

const NAME = 'audit-checkpoint-key';

export interface Signer {
  /** PEM. */
  publicKey: string;
  sign(body: string): SignedCheckpoint;
}

export interface ClusterSigner extends Signer {
  /** PEM: those that signed before. None, unless a key was lost. */
  earlierKeys: readonly string[];
  /** There was another key before, and it is gone. */
  isNewAfterLoss: boolean;
  /** For recordings: what is signed must not begin like a checkpoint does. */
  signBytes(bytes: Uint8Array): Uint8Array;
}

/** `remembered`: the public key this gateway knows to have signed. */
export async function openSigner(db: Db, box: SecretBox, now: number, remembered?: string): Promise<ClusterSigner> {
  let isLost = false;
  const onLost = () => {
    isLost = true;
  };
  const held = await readOrMakeSecret(db, box, { name: NAME, make: makeKey, now, onLost });
  const key = createPrivateKey(held.reveal());
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString();
  const known = [...new Set([...(await knownKeys(db, box)), ...(remembered === undefined ? [] : [remembered])])];
  const isKnown = known.includes(publicKey);
  for (const pem of new Set([...known, publicKey])) await keepKey(db, box, pem, now);
  return {
    publicKey,
    earlierKeys: known.filter((pem) => pem !== publicKey),
    isNewAfterLoss: isLost || (!isKnown && known.length > 0),
    sign: (body) => ({ body, signature: sign(null, Buffer.from(body), key).toString('base64') }),
    signBytes: (bytes) => sign(null, bytes, key),
  };
}

/** A file may hold several, one after the other: the one that signs, and those before it. */
export function keysIn(pem: string): string[] {
  return pem.match(/-----BEGIN PUBLIC KEY-----[^-]*-----END PUBLIC KEY-----/g) ?? [pem];
}

export function isSignedBy({ body, signature }: SignedCheckpoint, publicKey: string): boolean {
  return keysIn(publicKey).some((pem) => {
    try {
      return verify(null, Buffer.from(body), createPublicKey(pem), Buffer.from(signature, 'base64'));
    } catch {
      return false;
    }
  });
}

function makeKey(): Secret {
  const { privateKey } = generateKeyPairSync('ed25519', {
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  } as never);
  return new Secret(String(privateKey));
}
