/**
 * Which certificates a signature can be of, without a look at what it is about. To verify means to read the document several times for
 * each of them, at a cost that whoever wrote it chooses; without a key nobody writes a value that opens to anything but noise.
 * It only refuses: what is left is verified by the library.
 */
import { constants, createHash, type KeyObject, publicDecrypt, X509Certificate } from 'node:crypto';
import type { XmlElement } from '../xml/read-xml.ts';
import { attributeOf, childrenOf, textOf } from '../xml/xml-tree.ts';
import { refuse } from './refuse.ts';

const PSS = 'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1';
const PSS_HASH = 'sha256';
const PSS_HASH_BYTES = 32;
const PSS_LAST_BYTE = 0xbc;

/** Each signature must be of one of them. Given back: those that any is of. */
export function certificatesBehind(
  signatures: readonly { of: string; signature: XmlElement }[],
  certificates: readonly string[],
): string[] {
  const keys = certificates.map((pem) => ({ pem, key: new X509Certificate(pem).publicKey }));
  const behind = new Set<string>();
  for (const { of, signature } of signatures) {
    const made = keys.filter(({ key }) => canHaveMade(key, signature));
    if (made.length === 0) refuse(unfitting(of, certificates.length));
    for (const { pem } of made) behind.add(pem);
  }
  return [...behind];
}

/** The words for every signature that no certificate of the provider verifies, however far it came. */
export function unfitting(of: string, count: number): string {
  return `the signature of the ${of} does not fit ${count === 1 ? 'the certificate' : `any of the ${count} certificates`} of the provider: it was changed on its way, or signed with another key`;
}

export function canHaveMade(key: KeyObject, signature: XmlElement): boolean {
  const [info] = childrenOf(signature, 'signature', 'SignedInfo');
  const [method] = info ? childrenOf(info, 'signature', 'SignatureMethod') : [];
  const [value] = childrenOf(signature, 'signature', 'SignatureValue');
  if (!method || !value) return false;
  const bytes = Buffer.from(textOf(value), 'base64');
  try {
    if (attributeOf(method, 'Algorithm') === PSS)
      return isPss(publicDecrypt({ key, padding: constants.RSA_NO_PADDING }, bytes), bitsOf(key) - 1);
    publicDecrypt({ key, padding: constants.RSA_PKCS1_PADDING }, bytes);
    return true;
  } catch {
    return false;
  }
}

/** As RFC 8017 pads for RSA-PSS, with a salt as long as the hash: zeros, a one and the salt under a mask, the hash, and 0xbc. */
function isPss(opened: Buffer, bits: number): boolean {
  const padded = opened.subarray(opened.length - Math.ceil(bits / 8));
  const maskedLength = padded.length - PSS_HASH_BYTES - 1;
  if (padded.at(-1) !== PSS_LAST_BYTE || maskedLength <= PSS_HASH_BYTES) return false;
  const masked = padded.subarray(0, maskedLength);
  const mask = maskOf(padded.subarray(maskedLength, -1), maskedLength);
  const block = Buffer.from(masked.map((byte, at) => byte ^ mask[at]!));
  // Above the bits of the key, whatever the mask says there.
  block[0]! &= 0xff >> (8 * padded.length - bits);
  const one = maskedLength - PSS_HASH_BYTES - 1;
  return block[one] === 1 && block.subarray(0, one).every((byte) => byte === 0);
}

function bitsOf({ asymmetricKeyDetails }: KeyObject): number {
  return asymmetricKeyDetails?.modulusLength ?? 0;
}

function maskOf(seed: Buffer, length: number): Buffer {
  const counter = Buffer.alloc(4);
  const blocks = Array.from({ length: Math.ceil(length / PSS_HASH_BYTES) }, (_, at) => {
    counter.writeUInt32BE(at);
    return createHash(PSS_HASH).update(seed).update(counter).digest();
  });
  return Buffer.concat(blocks, length);
}
