/** Random tokens, what is stored of them, and how two are compared. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { AppError } from '../std/app-error.ts';

const TOKEN_BYTES = 32;
/** Anything shorter could be guessed by trying. */
const TOKEN_BYTES_MIN = 16;

/** Hex: it survives addresses, shells and a double click, which base64url with its leading dashes does not. */
export function newToken(bytes: number = TOKEN_BYTES): string {
  if (!Number.isInteger(bytes) || bytes < TOKEN_BYTES_MIN) {
    throw new RangeError(`a token has at least ${TOKEN_BYTES_MIN} bytes`);
  }
  return randomBytes(bytes).toString('hex');
}

/**
 * The only form of a token that is stored. Refuses the empty one: stored before it was filled in, it would be matched
 * by everybody who sends nothing.
 */
export function hashToken(token: string): string {
  if (!isText(token)) throw new AppError('bad_request', 'the token is missing');
  return createHash('sha256').update(token, 'utf8').digest('hex');
}

/** Compares secrets in constant time. Empty or missing values equal nothing, not even each other. */
export function sameText(a: string | null | undefined, b: string | null | undefined): boolean {
  if (!isText(a) || !isText(b)) return false;
  const left = Buffer.from(a, 'utf8');
  const right = Buffer.from(b, 'utf8');
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Values from the wire and from rows are checked at run time too: a wrong type must refuse, not pass or crash. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
