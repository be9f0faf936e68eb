/** How a password is proven to a MySQL server, by the method it names. */
import { createHash } from 'node:crypto';
import { DbFailure } from '../db-failure.ts';
import type { ServerTerms } from '../server-terms.ts';
import { signEd25519 } from './ed25519.ts';
import { nonceOf } from './greeting.ts';

const ED25519_NONCE_BYTES = 32;

export type Method = 'mysql_native_password' | 'caching_sha2_password' | 'client_ed25519' | 'mysql_clear_password';

export function methodNamed(name: string): Method | undefined {
  return Object.hasOwn(PROOFS, name) ? (name as Method) : undefined;
}

/** What the server wants to hear, where that may be said to it. */
export function proofFor(name: string, data: Buffer, terms: ServerTerms): Buffer {
  const method = methodNamed(name);
  if (!method)
    throw new DbFailure('unsupported', `the database wants to be signed in to by '${name}', which is not known here`, {
      next: 'let this user have caching_sha2_password, ed25519, mysql_native_password, or none and REQUIRE SUBJECT',
    });
  return PROOFS[method](terms, data);
}

const PROOFS: Readonly<Record<Method, (terms: ServerTerms, data: Buffer) => Buffer>> = {
  mysql_native_password: (terms, data) => hashed('sha1', terms, data),
  caching_sha2_password: (terms, data) => hashed('sha256', terms, data),
  client_ed25519(terms, data) {
    const nonce = nonceOf(data, ED25519_NONCE_BYTES);
    // An account by certificate has no password: whoever asks for one means another.
    if (terms.credential.method === 'certificate') throw passwordAsked();
    return signEd25519(terms.credential.password, nonce);
  },
  mysql_clear_password: (terms) => wholePassword(terms),
};

/** Only to a server that has shown who it is: whoever else it were would have the password then. */
export function wholePassword(terms: ServerTerms): Buffer {
  if (terms.credential.method === 'certificate') throw passwordAsked();
  if (terms.secure && terms.isVerified) return Buffer.from(`${terms.credential.password}\0`);
  throw new DbFailure('unsafe', 'the database wants the password itself, without TLS that is checked', {
    next: 'have the certificate of the database checked, or let this user have mysql_native_password or ed25519',
  });
}

function passwordAsked(): DbFailure {
  return new DbFailure('refused', 'the database asks for a password, and is signed in to by certificate here', {
    code: '1045',
    next: "make the user without a password: CREATE USER … REQUIRE SUBJECT '/O=…/CN=…'",
  });
}

/** Both methods, each with its hash. Nothing where there is no password: an account by certificate has none. */
function hashed(name: 'sha1' | 'sha256', { credential }: ServerTerms, data: Buffer): Buffer {
  const nonce = nonceOf(data);
  const password = credential.method === 'password' ? credential.password : '';
  if (password === '') return Buffer.alloc(0);
  const digest = (...parts: readonly (string | Buffer)[]): Buffer => {
    const hash = createHash(name);
    for (const part of parts) hash.update(part);
    return hash.digest();
  };
  const once = digest(password);
  const twice = digest(once);
  const mask = name === 'sha1' ? digest(nonce, twice) : digest(twice, nonce);
  return Buffer.from(once.map((byte, at) => byte ^ (mask[at] ?? 0)));
}
