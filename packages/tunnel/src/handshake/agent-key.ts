/** The key an agent is known by, and the bytes it signs to prove that it holds it. */
import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { PROOF_CONTEXT } from '@gatehouse/contract/reach/tunnel/handshake';

export interface AgentKey {
  /** The 32 bytes of the Ed25519 public key in base64url. */
  publicKey: string;
  /** What people compare: `SHA256:` and the base64url digest of those bytes. */
  fingerprint: string;
}

/** What a proof is tied to: the challenge and the payload as they travelled, and the connection they travelled on. */
export interface ProofFields {
  challenge: Buffer;
  binding: Buffer | undefined;
  payload: Buffer;
}

export function agentKeyOf(key: KeyObject): AgentKey {
  const { x } = (key.type === 'private' ? createPublicKey(key) : key).export({ format: 'jwk' });
  if (key.asymmetricKeyType !== 'ed25519' || x === undefined) throw new TypeError("an agent's key must be Ed25519");
  return agentKeyFrom(x);
}

export function agentKeyFrom(publicKey: string): AgentKey {
  const digest = createHash('sha256').update(Buffer.from(publicKey, 'base64url')).digest('base64url');
  return { publicKey, fingerprint: `SHA256:${digest}` };
}

/** Signs with a key that may be held elsewhere, and be another one tomorrow. */
export interface ProofSigner {
  /** The 32 bytes of the Ed25519 public key in base64url. */
  publicKey: string;
  sign(bytes: Buffer): Buffer | Promise<Buffer>;
}

export function signerOf(key: KeyObject): ProofSigner {
  return { publicKey: agentKeyOf(key).publicKey, sign: (bytes) => sign(null, bytes, key) };
}

export async function signProof(signer: ProofSigner, parts: ProofFields): Promise<string> {
  return (await signer.sign(proofBytes(parts))).toString('base64url');
}

export function verifyProof(publicKey: string, signature: string, parts: ProofFields): boolean {
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' });
    return verify(null, proofBytes(parts), key, Buffer.from(signature, 'base64url'));
  } catch {
    // Not every 32 bytes are a point on the curve.
    return false;
  }
}

/** Fixed lengths after the context: no two different sets of parts give the same bytes. */
export function proofBytes({ challenge, binding, payload }: ProofFields): Buffer {
  const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest();
  const context = Buffer.from(`${PROOF_CONTEXT}\0`);
  return Buffer.concat([context, digest(challenge), digest(binding ?? Buffer.alloc(0)), digest(payload)]);
}
