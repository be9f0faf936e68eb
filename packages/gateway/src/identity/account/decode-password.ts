/** Passwords travel as base64 of their UTF-8 bytes. */
import { AppError } from '../../platform/std/app-error.ts';

export function decodePassword(encoded: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(encoded, 'base64'));
  } catch (cause) {
    throw new AppError('bad_request', 'the password is not UTF-8 text in base64', { cause });
  }
}
