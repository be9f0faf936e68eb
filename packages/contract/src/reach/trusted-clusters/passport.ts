/** What a root says of a person with every stream it opens to a leaf: a compact JWS, EdDSA alone, good for a minute and once. */
import { z } from 'zod';
import { SIGN_IN_KINDS } from '../../identity/sign-ins.ts';
import { clusterId } from './cluster-entry.ts';

export const PASSPORT_VERSION = 1;
export const PASSPORT_SECONDS = 60;
/** A longer one is refused before it is read: what goes with a stream has 16 KiB, and names of its own. */
export const PASSPORT_CHARACTERS = 16 * 1024 - 128;

const seconds = z.number().int().min(0).max(1e11);
const word = z.string().min(1).max(256);

export const passport = z.object({
  v: z.literal(PASSPORT_VERSION),
  /** The root by its id, and the leaf it is meant for. */
  iss: clusterId,
  aud: clusterId,
  /** Which running gateway of the leaf: what it remembers of those it was shown is then all there is to remember. */
  gateway: word,
  /** Whom the root calls so; held to the grammar of users by the leaf. */
  sub: word,
  /** Their sign-in at the root; not the secret of it. */
  sid: word,
  roles: z.array(word).max(256),
  /** The number of what they hold: it grows with each change. Absent: a root of an older release. */
  version: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
  /** Those the leaf asked for, and no others. */
  traits: z.record(word, z.array(z.string().max(1024)).max(256)),
  authType: z.enum(['local', 'sso']),
  kind: z.enum(SIGN_IN_KINDS),
  /** When they last showed a second factor; never in place of one that is asked for at each connection. */
  mfa_at: seconds.optional(),
  addr: z.string().max(64),
  /** When their sign-in runs out. */
  until: seconds,
  device: word.optional(),
  requests: z.array(word).max(64).optional(),
  iat: seconds,
  exp: seconds,
  jti: z.string().regex(/^[A-Za-z0-9_-]{22}$/, 'must be 16 bytes in base64url'),
});
export type Passport = z.output<typeof passport>;
