/** The answer to a challenge of VNC: DES with a password of eight letters. Whoever listens can try all of them: it is for networks that nobody listens to, or inside TLS. */
import { createCipheriv } from 'node:crypto';

const KEY_BYTES = 8;
export const CHALLENGE_BYTES = 16;

export function answerChallenge(challenge: Buffer, password: string): Buffer {
  const key = Buffer.alloc(KEY_BYTES);
  Buffer.from(password, 'latin1').copy(key);
  for (const [at, byte] of key.entries()) key[at] = mirrored(byte);
  // Three times the same key is DES alone, which OpenSSL has in no other way.
  const cipher = createCipheriv('des-ede3', Buffer.concat([key, key, key]), null);
  cipher.setAutoPadding(false);
  return Buffer.concat([cipher.update(challenge), cipher.final()]);
}

/** VNC takes the bits of its key from the other end. */
function mirrored(byte: number): number {
  let out = 0;
  for (let bit = 0; bit < 8; bit += 1) out |= ((byte >> bit) & 1) << (7 - bit);
  return out;
}
