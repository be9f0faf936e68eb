/** The sign-in of Apple's hosts of VNC: an account of the machine, sealed with a key that both sides make up. Nothing proves who answers: whoever does is told the password. */
import { createCipheriv, createDiffieHellman, createHash, randomFillSync } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { ByteSource } from '../byte-source.ts';
import { DesktopFailure, malformed } from '../desktop-link.ts';

/** In bytes. What Macs send has 128; more would keep the gateway busy for whoever answers. */
const MIN_PRIME = 64;
const MAX_PRIME = 256;
/** A name and a password, each ended by a zero. */
const FIELD_BYTES = 64;

export async function signInAtApple(
  source: ByteSource,
  stream: Duplex,
  { user, password }: { user: string; password: string },
): Promise<void> {
  const head = await source.take(4);
  const length = head.readUInt16BE(2);
  if (length < MIN_PRIME || length > MAX_PRIME) throw malformed('the host makes up a key of no size that is used');
  const [prime, theirs] = [await source.take(length), await source.take(length)];
  const credentials = Buffer.concat([field(user), field(password)]);
  const { secret, ours } = agree(prime, head.subarray(0, 2), theirs);
  const key = createHash('md5').update(padded(secret, length)).digest();
  const cipher = createCipheriv('aes-128-ecb', key, null).setAutoPadding(false);
  stream.write(Buffer.concat([cipher.update(credentials), cipher.final(), padded(ours, length)]));
}

function agree(prime: Buffer, generator: Buffer, theirs: Buffer): { secret: Buffer; ours: Buffer } {
  try {
    const own = createDiffieHellman(prime, generator);
    const ours = own.generateKeys();
    return { secret: own.computeSecret(theirs), ours };
  } catch {
    throw malformed('the host makes up a key that is none');
  }
}

/** What stands behind the zero is chance: alike passwords look alike otherwise. */
function field(text: string): Buffer {
  const bytes = Buffer.from(`${text}\0`);
  if (bytes.length > FIELD_BYTES)
    throw new DesktopFailure('sign_in', 'too_long', 'the host takes names and passwords of at most 63 letters');
  const whole = randomFillSync(Buffer.alloc(FIELD_BYTES));
  bytes.copy(whole);
  return whole;
}

function padded(number: Buffer, length: number): Buffer {
  return Buffer.concat([Buffer.alloc(Math.max(0, length - number.length)), number]);
}
