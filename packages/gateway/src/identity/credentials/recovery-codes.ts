/** Codes on paper for the day the device is lost: shown once, stored hashed, each good for one sign-in. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

export const RECOVERY_CODES = 8;
const GROUPS = 4;
const GROUP_LENGTH = 5;
const CODE_LENGTH = GROUPS * GROUP_LENGTH;
/** 32 characters, 5 bits each: 100 bits a code. No I, L, O, U: on paper they are read as something else. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CODE = new RegExp(`^[${ALPHABET}]{${CODE_LENGTH}}$`);

/** `codes` are for the person and never kept; `hashes`, in the same order, are for the store. */
export function newRecoveryCodes(): { codes: string[]; hashes: string[] } {
  const plain = Array.from({ length: RECOVERY_CODES }, newCode);
  return { codes: plain.map(inGroups), hashes: plain.map(hashOf) };
}

/** Which of the hashes the code belongs to. Case, spaces and dashes do not count, nor do O for 0 and I or L for 1. */
export function matchRecoveryCode(code: string, hashes: readonly string[]): number | undefined {
  const normal = normalize(code);
  if (normal === undefined) return undefined;
  const given = Buffer.from(hashOf(normal));
  let found: number | undefined;
  // No early exit: how long this takes must not tell which codes are left.
  hashes.forEach((hash, index) => {
    const stored = Buffer.from(hash);
    if (stored.length === given.length && timingSafeEqual(stored, given)) found = index;
  });
  return found;
}

function newCode(): string {
  // 32 divides 256, so the low five bits of a random byte are fair.
  return Array.from(randomBytes(CODE_LENGTH), (byte) => ALPHABET.charAt(byte & 31)).join('');
}

function inGroups(code: string): string {
  return Array.from({ length: GROUPS }, (_, group) =>
    code.slice(group * GROUP_LENGTH, (group + 1) * GROUP_LENGTH),
  ).join('-');
}

function normalize(code: string): string | undefined {
  if (typeof code !== 'string' || code.length > CODE_LENGTH * 4) return undefined;
  const normal = code
    .toUpperCase()
    .replace(/[\s\p{Dash}]/gu, '')
    .replace(/O/g, '0')
    .replace(/[IL]/g, '1');
  return CODE.test(normal) ? normal : undefined;
}

/** A fast hash is enough: nobody tries 2^100 codes. */
function hashOf(normal: string): string {
  return createHash('sha256').update(`recovery-code:${normal}`).digest('hex');
}
