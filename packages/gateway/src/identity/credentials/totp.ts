/** One-time codes of an authenticator app (RFC 6238: SHA-1, 6 digits, 30 seconds) and the picture that sets one up. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import qrcode from 'qrcode';

const STEP_MS = 30_000;
const DIGITS = 6;
/** One step either way: a phone's clock may be off by up to half a minute. */
const STEPS_OFF = 1;
/** As long as the hash (RFC 4226 §4); below 16 bytes codes could be predicted, with none at all by anybody. */
const SECRET_BYTES = 20;
const SECRET_BYTES_MIN = 16;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** A new secret in base32, as authenticator apps take it by hand. */
export function newTotpSecret(): string {
  return toBase32(randomBytes(SECRET_BYTES));
}

/** The address inside the QR code. */
export function totpUri({ issuer, account, secret }: { issuer: string; account: string; secret: string }): string {
  // The label is split at its first colon, encoded or not, so the issuer must have none.
  const label = `${encodeURIComponent(issuer.replaceAll(':', ' '))}:${encodeURIComponent(account)}`;
  const facts = `secret=${secret}&issuer=${encodeURIComponent(issuer)}&algorithm=SHA1&digits=${DIGITS}&period=30`;
  return `otpauth://totp/${label}?${facts}`;
}

/** The step whose code was given. Store it as `lastStep`: a code seen over a shoulder must not work a second time. */
export function checkTotp(given: {
  secret: string;
  code: string;
  /** Milliseconds since 1970. */
  now: number;
  /** The last step that was accepted for this secret. */
  lastStep: number | undefined;
}): { step: number } | undefined {
  const key = fromBase32(given.secret);
  const here = Math.floor(given.now / STEP_MS);
  if (!key || key.length < SECRET_BYTES_MIN || !Number.isSafeInteger(here)) return undefined;
  if (typeof given.code !== 'string' || !/^[0-9]{6}$/.test(given.code)) return undefined;
  const code = Buffer.from(given.code);
  let matched: number | undefined;
  for (let step = Math.max(0, here - STEPS_OFF); step <= here + STEPS_OFF; step++) {
    const fresh = step > (given.lastStep ?? -1);
    if (timingSafeEqual(code, Buffer.from(totpCode(key, step))) && fresh) matched ??= step;
  }
  return matched === undefined ? undefined : { step: matched };
}

/** The code of one step; digits other than six only in the vectors of the RFC. */
export function totpCode(key: Uint8Array, step: number, digits = DIGITS): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', key).update(counter).digest();
  const offset = mac.readUInt8(mac.length - 1) & 15;
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 10 ** digits).padStart(digits, '0');
}

/** A QR code as PNG, with the four quiet modules around it that scanners ask for. */
export function qrPng(text: string): Promise<Buffer> {
  return qrcode.toBuffer(text, { type: 'png', errorCorrectionLevel: 'M', margin: 4, scale: 6 });
}

export function toBase32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xfff;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += BASE32.charAt((held >> (bits - 5)) & 31);
  }
  return bits > 0 ? text + BASE32.charAt((held << (5 - bits)) & 31) : text;
}

export function fromBase32(text: string): Buffer | undefined {
  const bytes: number[] = [];
  let bits = 0;
  let held = 0;
  for (const letter of text.toUpperCase().replace(/=+$/, '')) {
    const value = BASE32.indexOf(letter);
    if (value < 0) return undefined;
    held = ((held << 5) | value) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((held >> bits) & 0xff);
    }
  }
  return Buffer.from(bytes);
}
