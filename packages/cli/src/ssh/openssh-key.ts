/** An Ed25519 key as OpenSSH keeps it in a file (PROTOCOL.key), without a passphrase. */
import { type KeyObject, randomBytes } from 'node:crypto';

const MAGIC = 'openssh-key-v1\0';
const BLOCK_BYTES = 8;
const LINE_CHARACTERS = 70;

export async function opensshPrivateKey(key: KeyObject, comment: string): Promise<string> {
  const [{ ED25519, ed25519Blob, rawEd25519 }, { sshString, uint32 }] = await Promise.all([
    import('@gatehouse/gateway/platform/crypto/ssh/public-key'),
    import('@gatehouse/gateway/platform/crypto/ssh/ssh-wire'),
  ]);
  const { d } = key.export({ format: 'jwk' });
  if (d === undefined) throw new Error('not a private key');
  const raw = rawEd25519(key);
  // Twice the same: who opens one with a passphrase knows by it that it was the right one.
  const check = randomBytes(4);
  const secret = Buffer.concat([Buffer.from(d, 'base64url'), raw]);
  const inner = Buffer.concat([check, check, ...[ED25519, raw, secret, comment].map(sshString)]);
  const body = Buffer.concat([
    Buffer.from(MAGIC),
    ...['none', 'none', ''].map(sshString),
    uint32(1),
    sshString(ed25519Blob(key)),
    sshString(Buffer.concat([inner, padding(inner.length)])),
  ]);
  const lines = body.toString('base64').match(new RegExp(`.{1,${LINE_CHARACTERS}}`, 'g')) ?? [];
  return ['-----BEGIN OPENSSH PRIVATE KEY-----', ...lines, '-----END OPENSSH PRIVATE KEY-----', ''].join('\n');
}

/** 1, 2, 3 and so on, up to a whole block. */
function padding(length: number): Buffer {
  return Buffer.from(Array.from({ length: (BLOCK_BYTES - (length % BLOCK_BYTES)) % BLOCK_BYTES }, (_, at) => at + 1));
}
