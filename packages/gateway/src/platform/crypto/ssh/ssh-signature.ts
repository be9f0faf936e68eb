/** Signatures as `ssh-keygen -Y sign` makes them (PROTOCOL.sshsig): says which key signed a text, if one did. */
import { createHash } from 'node:crypto';
import { isSignedBy } from './public-key.ts';
import { SshReader, sshString } from './ssh-wire.ts';

const MAGIC = Buffer.from('SSHSIG');
const VERSION = 1;
const HASHES: ReadonlySet<string> = new Set(['sha256', 'sha512']);
const ARMOR = /^-----BEGIN SSH SIGNATURE-----\n([A-Za-z0-9+/=\n]+)\n-----END SSH SIGNATURE-----\n?$/;

export interface SignedText {
  /** What the signature is for: one made for anything else does not count here. */
  namespace: string;
  text: string;
}

/** The public key, as it travels, that signed this very text; nothing for whatever else it is. */
export function signerOf(armored: string, { namespace, text }: SignedText): Buffer | undefined {
  try {
    const bytes = Buffer.from(ARMOR.exec(armored)?.[1] ?? '', 'base64');
    if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
    const reader = new SshReader(bytes.subarray(MAGIC.length));
    if (reader.uint32() !== VERSION) return undefined;
    const key = Buffer.from(reader.bytes());
    const [named, reserved, hash, signature] = [reader.text(), reader.bytes(), reader.text(), reader.bytes()];
    if (!reader.atEnd || reserved.length > 0 || named !== namespace || !HASHES.has(hash)) return undefined;
    const digest = createHash(hash).update(text).digest();
    const signed = Buffer.concat([MAGIC, ...[namespace, reserved, hash, digest].map(sshString)]);
    // Neither a certificate nor a key on a stick is a key `isSignedBy` knows.
    return isSignedBy(key, signed, signature) ? key : undefined;
  } catch {
    // Bytes that end too early, a type that is not known, a point beside its curve.
    return undefined;
  }
}
