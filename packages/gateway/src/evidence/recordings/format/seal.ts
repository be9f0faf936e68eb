/** Seals: what vouches for everything in a recording before it. */
import { encodeHead, type FrameHead, KEY_ID_BYTES, SIGNATURE_BYTES } from './frames.ts';

export interface SealSigner {
  /** PEM, Ed25519. */
  publicKey: string;
  signBytes(bytes: Uint8Array): Uint8Array;
}

/** As bytes of the file. The signature covers all of the seal before it, and by the hash in its head all that came before. */
export function makeSeal(head: FrameHead, keyId: Uint8Array, signer: SealSigner): Buffer {
  const signed = Buffer.concat([encodeHead(head), keyId.subarray(0, KEY_ID_BYTES)]);
  const signature = signer.signBytes(signed);
  if (signature.length !== SIGNATURE_BYTES) throw new RangeError('recordings are signed with Ed25519');
  return Buffer.concat([signed, signature]);
}
