/** NTLMv2 of the client, with a signature over the whole exchange: proves that one has the password, without telling it. */
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { DesktopFailure, malformed } from '../desktop-link.ts';
import { FieldReader } from '../field-reader.ts';
import { md4, Rc4 } from './old-ciphers.ts';

const SIGNATURE = Buffer.from('NTLMSSP\0', 'latin1');
/** Unicode, request target, sign, seal, NTLM, always sign, extended session security, target info, version, 128 bits, key exchange, 56 bits. */
const FLAGS = 0xe2888235;
/** Without these nothing would be sealed by a key of this exchange alone. */
const NEEDED = 0x40080030;
const VERSION = Buffer.from([10, 0, 0x61, 0x4a, 0, 0, 0, 15]);
const AV = { end: 0, flags: 6, time: 7 } as const;
const HAS_SIGNATURE = Buffer.from([AV.flags, 0, 4, 0, 2, 0, 0, 0]);
const MAX_AV_PAIRS = 64;
/** Of the year 1601, in milliseconds before 1970. */
const WINDOWS_EPOCH_MS = 11_644_473_600_000n;
const MIC_AT = 72;
const AUTHENTICATE_HEAD_BYTES = 88;

export interface NtlmAccount {
  user: string;
  domain: string;
  password: string;
}

const hmac = (key: Buffer, ...parts: readonly Buffer[]): Buffer =>
  createHmac('md5', key).update(Buffer.concat(parts)).digest();
const wide = (text: string): Buffer => Buffer.from(text, 'utf16le');

export function negotiateMessage(): Buffer {
  const message = Buffer.alloc(40);
  SIGNATURE.copy(message);
  message.writeUInt32LE(1, 8);
  message.writeUInt32LE(FLAGS, 12);
  VERSION.copy(message, 32);
  return message;
}

interface Challenge {
  flags: number;
  nonce: Buffer;
  /** As the host told them, without those that are ours to say. */
  pairs: Buffer[];
  time: Buffer | undefined;
}

function readChallenge(message: Buffer): Challenge {
  const reader = new FieldReader(message, "the host's challenge");
  if (!reader.take(8).equals(SIGNATURE) || reader.u32() !== 2)
    throw new DesktopFailure('sign_in', 'no_ntlm', 'the host does not take NTLM, and Kerberos is not supported yet', {
      next: 'let the host take NTLM for this account, or use another account',
    });
  reader.skip(8);
  const flags = reader.u32();
  const nonce = reader.take(8);
  reader.skip(8);
  const length = reader.u16();
  reader.skip(2);
  const at = reader.u32();
  if ((flags & NEEDED) >>> 0 !== NEEDED) throw malformed('the host offers NTLM without sealing');
  const info = new FieldReader(
    new FieldReader(message, "the host's challenge", at).take(length),
    "the host's challenge",
  );
  const pairs: Buffer[] = [];
  let time: Buffer | undefined;
  while (info.left >= 4 && pairs.length < MAX_AV_PAIRS) {
    const from = info.at;
    const id = info.u16();
    const value = info.take(info.u16());
    if (id === AV.end) break;
    if (id === AV.time && value.length === 8) time = value;
    if (id !== AV.flags) pairs.push(info.bytes.subarray(from, info.at));
  }
  return { flags, nonce, pairs, time };
}

/** As Windows does it: letter by letter, and none becomes two. */
function upperCase(text: string): string {
  return [...text]
    .map((letter) => (letter.toUpperCase().length === letter.length ? letter.toUpperCase() : letter))
    .join('');
}

/** Gives the answer to the challenge, and the key that both sides have then. */
export function authenticateMessage(negotiate: Buffer, challenge: Buffer, account: NtlmAccount) {
  const { flags, nonce, pairs, time } = readChallenge(challenge);
  const own = hmac(md4(wide(account.password)), wide(upperCase(account.user) + account.domain));
  const stamp = time ?? windowsTime();
  const signed = time ? [...pairs, HAS_SIGNATURE] : pairs;
  const blob = Buffer.concat([
    Buffer.from([1, 1, 0, 0, 0, 0, 0, 0]),
    stamp,
    randomBytes(8),
    Buffer.alloc(4),
    ...signed,
    Buffer.alloc(8),
  ]);
  const proof = hmac(own, nonce, blob);
  const key = randomBytes(16);
  const fields = [
    Buffer.alloc(24),
    Buffer.concat([proof, blob]),
    wide(account.domain),
    wide(account.user),
    wide('GATEHOUSE'),
    new Rc4(hmac(own, proof)).run(key),
  ];
  const head = Buffer.alloc(AUTHENTICATE_HEAD_BYTES);
  SIGNATURE.copy(head);
  head.writeUInt32LE(3, 8);
  let at = AUTHENTICATE_HEAD_BYTES;
  for (const [index, field] of fields.entries()) {
    head.writeUInt16LE(field.length, 12 + 8 * index);
    head.writeUInt16LE(field.length, 14 + 8 * index);
    head.writeUInt32LE(at, 16 + 8 * index);
    at += field.length;
  }
  head.writeUInt32LE((flags & FLAGS) >>> 0, 60);
  VERSION.copy(head, 64);
  const message = Buffer.concat([head, ...fields]);
  // Over all three, with its own place empty.
  hmac(key, negotiate, challenge, message).copy(message, MIC_AT);
  return { message, key };
}

function windowsTime(): Buffer {
  const time = Buffer.alloc(8);
  time.writeBigUInt64LE((BigInt(Date.now()) + WINDOWS_EPOCH_MS) * 10_000n);
  return time;
}

export type SealDirection = 'client-to-server' | 'server-to-client';
const SEAL_HEAD_BYTES = 16;

/** Seals or opens the messages of one direction, in their order. */
export class NtlmSeal {
  readonly #signing: Buffer;
  readonly #cipher: Rc4;
  #sequence = 0;

  constructor(key: Buffer, direction: SealDirection) {
    const derived = (what: string): Buffer =>
      createHash('md5').update(key).update(`session key to ${direction} ${what} key magic constant\0`).digest();
    this.#signing = derived('signing');
    this.#cipher = new Rc4(derived('sealing'));
  }

  seal(message: Buffer): Buffer {
    const sequence = this.#next();
    const body = this.#cipher.run(message);
    const mac = this.#cipher.run(hmac(this.#signing, sequence, message).subarray(0, 8));
    return Buffer.concat([Buffer.from([1, 0, 0, 0]), mac, sequence, body]);
  }

  /** Undefined: it was not sealed by who has the key. */
  open(sealed: Buffer): Buffer | undefined {
    if (sealed.length < SEAL_HEAD_BYTES) return undefined;
    const sequence = this.#next();
    const message = this.#cipher.run(sealed.subarray(SEAL_HEAD_BYTES));
    const mac = this.#cipher.run(hmac(this.#signing, sequence, message).subarray(0, 8));
    return mac.equals(sealed.subarray(4, 12)) ? message : undefined;
  }

  #next(): Buffer {
    const sequence = Buffer.alloc(4);
    sequence.writeUInt32LE(this.#sequence);
    this.#sequence += 1;
    return sequence;
  }
}
