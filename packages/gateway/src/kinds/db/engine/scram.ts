/** SCRAM-SHA-256 (RFC 5802, RFC 7677), the client's side: the password is never sent, and the server proves that it knows it as well. */
import {
  createHash,
  createHmac,
  createSecretKey,
  type KeyObject,
  pbkdf2,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { promisify } from 'node:util';
import { BoundedMap } from '../../../platform/std/bounded-map.ts';
import { DbFailure } from './db-failure.ts';

/** Fewer make guessing cheap for whoever listened; more let a hostile server use up a core. */
const MIN_ROUNDS = 4_096;
const MAX_ROUNDS = 1_000_000;
const NONCE_BYTES = 18;
const MAX_NONCE_CHARACTERS = 512;
const MAX_SALT_BYTES = 1_024;
/** No channel binding, in base64: `n,,`. */
const NO_BINDING = 'biws';

const derive = promisify(pbkdf2);

/** What a password is worth with one salt: neither it nor what was made of it is needed any more. To make a key ready takes four times as long as to use it. */
interface Keys {
  key: Buffer;
  /** The hash of it, which the server has. */
  stored: KeyObject;
  /** What the server proves itself by. */
  server: KeyObject;
}

/** What thousands of rounds made of a password, for programs that connect again and again: a core would do little else otherwise. Found only by who has the password, so that a changed one finds nothing, and forgotten soon. */
const kept = new BoundedMap<string, { until: number; keys: Promise<Keys> }>(256);
const KEPT_MS = 10 * 60_000;
const ownKey = createSecretKey(randomBytes(32));

function keysOf(password: string, salt: Buffer, rounds: number): Promise<Keys> {
  const name = createHmac('sha256', ownKey)
    .update(`${rounds}\0${salt.toString('hex')}\0${password}`)
    .digest('base64');
  const now = performance.now();
  for (const [each, { until }] of kept) if (until <= now) kept.delete(each);
  const known = kept.get(name);
  if (known) return known.keys;
  const keys = derivedKeys(password, salt, rounds);
  kept.set(name, { until: now + KEPT_MS, keys });
  keys.catch(() => kept.delete(name));
  return keys;
}

async function derivedKeys(password: string, salt: Buffer, rounds: number): Promise<Keys> {
  const salted = await derive(password, salt, rounds, 32, 'sha256');
  const key = hmac(salted, 'Client Key');
  const stored = createHash('sha256').update(key).digest();
  return { key, stored: createSecretKey(stored), server: createSecretKey(hmac(salted, 'Server Key')) };
}

export class ScramClient {
  readonly #password: string;
  readonly #nonce = randomBytes(NONCE_BYTES).toString('base64');
  readonly #bare: string;
  #expected: Buffer | undefined;
  #isProven = false;

  /** `user` where the protocol says it here; PostgreSQL has said it before. */
  constructor(password: string, user = '') {
    this.#password = prepared(password);
    this.#bare = `n=${user.replaceAll('=', '=3D').replaceAll(',', '=2C')},r=${this.#nonce}`;
  }

  /** Whether the server has proven that it knows the password. */
  get isProven(): boolean {
    return this.#isProven;
  }

  first(): string {
    return `n,,${this.#bare}`;
  }

  /** Throws where the server's answer is none that a server would give. */
  async answer(challenge: string): Promise<string> {
    if (this.#expected) throw wrong('it asks twice');
    const { nonce, salt, rounds } = readChallenge(challenge);
    if (!nonce.startsWith(this.#nonce) || nonce.length <= this.#nonce.length || nonce.length > MAX_NONCE_CHARACTERS)
      throw wrong('its number used once does not go on from ours');
    if (!(rounds >= MIN_ROUNDS && rounds <= MAX_ROUNDS))
      throw wrong(`it wants ${rounds} rounds, and ${MIN_ROUNDS} to ${MAX_ROUNDS} are taken`);
    if (salt.length === 0 || salt.length > MAX_SALT_BYTES) throw wrong('its salt is empty or too long');
    const { key, stored, server } = await keysOf(this.#password, salt, rounds);
    const final = `c=${NO_BINDING},r=${nonce}`;
    const all = `${this.#bare},${challenge},${final}`;
    const signature = hmac(stored, all);
    this.#expected = hmac(server, all);
    const proof = Buffer.from(key.map((byte, at) => byte ^ (signature[at] ?? 0)));
    return `${final},p=${proof.toString('base64')}`;
  }

  /** Throws unless the server knows the password. */
  check(final: string): void {
    const given = Buffer.from(/^v=([^,]*)/.exec(final)?.[1] ?? '', 'base64');
    const expected = this.#expected;
    if (!expected || given.length !== expected.length || !timingSafeEqual(given, expected))
      throw new DbFailure('unsafe', 'the database did not prove that it knows the password', {
        next: 'look whether it is the database that you mean, and not something in between',
      });
    this.#isProven = true;
  }
}

function readChallenge(text: string): { nonce: string; salt: Buffer; rounds: number } {
  const parts = new Map(text.split(',').map((part) => [part.slice(0, 2), part.slice(2)]));
  if (parts.has('m=')) throw wrong('it wants an extension that nobody knows');
  const rounds = parts.get('i=') ?? '';
  return {
    nonce: parts.get('r=') ?? '',
    salt: Buffer.from(parts.get('s=') ?? '', 'base64'),
    rounds: /^\d{1,9}$/.test(rounds) ? Number(rounds) : Number.NaN,
  };
}

function wrong(why: string): DbFailure {
  return new DbFailure('unsafe', `the database does not speak SCRAM as it should: ${why}`);
}

function hmac(key: Buffer | KeyObject, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

const SPACES = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/gu;
const MAPPED_TO_NOTHING = /\u00ad|\u034f|\u1806|[\u180b-\u180d]|[\u200b-\u200d]|\u2060|[\ufe00-\ufe0f]|\ufeff/gu;

/** SASLprep, as servers do it to the passwords that they are given (RFC 4013). */
function prepared(password: string): string {
  return password.replaceAll(SPACES, ' ').replaceAll(MAPPED_TO_NOTHING, '').normalize('NFKC');
}
