/** Passwords at no price, so that tests about everything else do not wait for argon2. */
import { createHash } from 'node:crypto';
import { checkPasswordLength } from '../src/identity/credentials/password-hash.ts';
import type { Passwords } from '../src/identity/identity-deps.ts';

export interface CountedPasswords extends Passwords {
  /** How many checks were made: a refusal without one took less time than others. */
  checks: number;
}

export function cheapPasswords(): CountedPasswords {
  const cheap = (plain: string) => `cheap:${createHash('sha256').update(plain).digest('hex')}`;
  const passwords: CountedPasswords = {
    checks: 0,
    async hash(plain) {
      checkPasswordLength(plain);
      return cheap(plain);
    },
    async verify(plain, stored) {
      passwords.checks++;
      return { ok: cheap(plain) === stored, rehash: false };
    },
    async verifyNobody() {
      passwords.checks++;
      return { ok: false, rehash: false };
    },
  };
  return passwords;
}
