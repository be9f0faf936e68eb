/** What opens an account, as its person is shown it who links themselves to a provider. */
import { z } from 'zod';
import { SIGN_IN_KINDS } from '../sign-ins.ts';

export const OWN_KEY_TYPES = ['password', 'passkey', 'key', 'app', 'codes', 'link', ...SIGN_IN_KINDS] as const;

export const ownKey = z.object({
  id: z.string(),
  type: z.enum(OWN_KEY_TYPES),
  /** What a device or token is called, what a browser says it is, the connector of a link. */
  name: z.string(),
  created: z.string().optional(),
  lastUsed: z.string().optional(),
  /** Of a link: who they are at the provider, and what it calls them, once it has. */
  subject: z.string().optional(),
  calledThere: z.string().optional(),
  /** Of a token: when it ends, and what it may do; `some`: rights that it names. */
  expires: z.string().optional(),
  scope: z.enum(['read', 'all', 'some']).optional(),
  /** Where it was signed in from. */
  address: z.string().optional(),
  /**
   * Stays without being named. `current`: the sign-in in which they link, and what it stands on. `proven`: the device they have just
   * used. `editor`: a link that somebody made who may edit roles.
   */
  stays: z.enum(['current', 'proven', 'editor']).optional(),
  /** Of a link: what they hold comes from it, and goes with it. */
  givesRoles: z.boolean().optional(),
  /** Whether it stays when it is named. Recovery codes never do; a password only if it was chosen in this sign-in. */
  mayStay: z.boolean(),
});
export type OwnKey = z.output<typeof ownKey>;

export const ownKeys = z.object({
  keys: z.array(ownKey),
  /** Without a password or passkey of theirs nobody could put things right while the provider is away: unless one is named, they all stay. */
  isLastAdministrator: z.boolean(),
});
export type OwnKeys = z.output<typeof ownKeys>;

/** More than anybody has: tokens are a hundred at most. */
export const MAX_KEPT_KEYS = 500;
export const keptKeys = z.array(z.string().min(1).max(1500)).max(MAX_KEPT_KEYS);
