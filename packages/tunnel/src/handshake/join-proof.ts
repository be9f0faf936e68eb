/** What a machine signs when it joins: that it holds the key it leaves, for this token, name and gateway, and now. */
import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';

export const JOIN_PROOF_CONTEXT = 'gatehouse join proof 1';

export interface JoinProofFields {
  /** From the gateway, a moment ago. */
  nonce: string;
  token: string;
  name: string;
  /** Host and port that were dialled. */
  audience: string;
}

export function signJoin(key: KeyObject, parts: JoinProofFields): string {
  return sign(null, signedBytes(parts), key).toString('base64url');
}

export function verifyJoin(publicKey: string, signature: string, parts: JoinProofFields): boolean {
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' });
    return verify(null, signedBytes(parts), key, Buffer.from(signature, 'base64url'));
  } catch {
    // Not every 32 bytes are a point on the curve.
    return false;
  }
}

/** Fixed lengths after the context: no two different sets of parts give the same bytes. */
function signedBytes({ nonce, token, name, audience }: JoinProofFields): Buffer {
  const digests = [nonce, token, name, audience].map((text) => createHash('sha256').update(text).digest());
  return Buffer.concat([Buffer.from(`${JOIN_PROOF_CONTEXT}\0`), ...digests]);
}
