/** Turns passwords into argon2id hashes that carry their own parameters, and checks them at the same price for everyone. */
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { MAX_PASSWORD_BYTES, MIN_PASSWORD_BYTES } from '@gatehouse/contract/identity/password-limits';
import { AppError } from '../../platform/std/app-error.ts';
import { createSemaphore } from '../../platform/std/semaphore.ts';

/** OWASP's second choice for argon2id: 19 MiB, two passes, one lane. About 55 ms on the machine it was measured on. */
export const ARGON2_MEMORY_KIB = 19_456;
export const ARGON2_PASSES = 2;
export const ARGON2_LANES = 1;
const SALT_BYTES = 16;
const TAG_BYTES = 32;

/** A row that asks for more than this was tampered with; computing it would hand over the gateway's memory. */
const MEMORY_KIB_MAX = 262_144;
const PASSES_MAX = 16;
const LANES_MAX = 8;

/**
 * Argon2 runs in libuv's pool, which has four threads unless UV_THREADPOOL_SIZE says otherwise. One stays free, or a
 * flood of sign-ins would hold up every file read and name lookup of the gateway. Memory is bounded by the same number.
 */
export const HASHES_AT_ONCE = Math.max(1, Math.min(availableParallelism(), 3));
export const HASHES_WAITING_MAX = 256;

interface Argon2Cost {
  memoryKib: number;
  passes: number;
  lanes: number;
}

interface Argon2Hash extends Argon2Cost {
  salt: Buffer;
  tag: Buffer;
}

export interface PasswordCheck {
  ok: boolean;
  /** The password is right but was hashed with other parameters than today's: hash it again and store that. */
  rehash: boolean;
}

const TODAY: Argon2Cost = { memoryKib: ARGON2_MEMORY_KIB, passes: ARGON2_PASSES, lanes: ARGON2_LANES };

// The pool is one per process, so the queue in front of it is too.
const queue = createSemaphore({
  total: HASHES_AT_ONCE,
  waiting: HASHES_WAITING_MAX,
  refuse: () => new AppError('unavailable', 'too many people are signing in right now: try again in a moment'),
});
const argon2Async = promisify(argon2);

/** Throws what to tell the person choosing the password. */
export function checkPasswordLength(plain: string): void {
  const { length } = bytesOf(plain);
  if (length < MIN_PASSWORD_BYTES) {
    throw new AppError('bad_request', `the password is too short: it needs at least ${MIN_PASSWORD_BYTES} characters`);
  }
  if (length > MAX_PASSWORD_BYTES) {
    throw new AppError(
      'bad_request',
      `the password is too long: at most ${MAX_PASSWORD_BYTES} bytes, where letters beyond plain English count two to four`,
    );
  }
}

export async function hashPassword(plain: string): Promise<string> {
  checkPasswordLength(plain);
  const salt = randomBytes(SALT_BYTES);
  return toPhc({ ...TODAY, salt, tag: await tagOf(plain, { ...TODAY, salt }, TAG_BYTES) });
}

/** Never throws because of `phc`: a damaged row is a wrong password that takes as long as any other. */
export async function verifyPassword(plain: string, phc: string): Promise<PasswordCheck> {
  const stored = fromPhc(phc);
  if (!stored) return verifyNobody(plain);
  const tag = await tagOf(plain, stored, stored.tag.length);
  const ok = timingSafeEqual(tag, stored.tag);
  return { ok, rehash: ok && !isToday(stored) };
}

/** What to call when there is no such user, or one without a password: the same time, always refused. */
export async function verifyNobody(plain: string): Promise<PasswordCheck> {
  await tagOf(plain, { ...TODAY, salt: randomBytes(SALT_BYTES) }, TAG_BYTES);
  return { ok: false, rehash: false };
}

function tagOf(plain: string, { memoryKib, passes, lanes, salt }: Omit<Argon2Hash, 'tag'>, tagLength: number) {
  const message = bytesOf(plain);
  return queue.run(() =>
    argon2Async('argon2id', { message, nonce: salt, memory: memoryKib, passes, parallelism: lanes, tagLength }),
  );
}

/** The same letters arrive in two encodings from different keyboards; as NFC (RFC 8265) they are one password. */
function bytesOf(plain: string): Buffer {
  return Buffer.from(plain.normalize('NFC'), 'utf8');
}

function toPhc({ memoryKib, passes, lanes, salt, tag }: Argon2Hash): string {
  return `$argon2id$v=19$m=${memoryKib},t=${passes},p=${lanes}$${unpadded(salt)}$${unpadded(tag)}`;
}

/** Version 1.3 of argon2id, salt of 8 to 64 bytes, tag of 16 to 64: anything else is not ours. */
const PHC =
  /^\$argon2id\$v=19\$m=([1-9][0-9]{0,6}),t=([1-9][0-9]?),p=([1-9])\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

function fromPhc(phc: string): Argon2Hash | undefined {
  const parts = PHC.exec(phc);
  if (!parts) return undefined;
  const [, memory, passes, lanes, salt = '', tag = ''] = parts;
  const hash: Argon2Hash = {
    memoryKib: Number(memory),
    passes: Number(passes),
    lanes: Number(lanes),
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
  return isAffordable(hash) ? hash : undefined;
}

function isAffordable({ memoryKib, passes, lanes }: Argon2Cost): boolean {
  return memoryKib <= MEMORY_KIB_MAX && passes <= PASSES_MAX && lanes <= LANES_MAX && memoryKib >= 8 * lanes;
}

function isToday({ memoryKib, passes, lanes, salt, tag }: Argon2Hash): boolean {
  return (
    memoryKib === TODAY.memoryKib &&
    passes === TODAY.passes &&
    lanes === TODAY.lanes &&
    salt.length === SALT_BYTES &&
    tag.length === TAG_BYTES
  );
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
