/** Whoever makes a call, with what they hold at this moment; and what may be kept of somebody who stays longer. */

import type { Acl } from '@gatehouse/contract/access/acl';
import type { SignInKind } from '@gatehouse/contract/identity/sign-ins';

/** Whom events, rows and messages name. */
export interface Who {
  readonly username: string;
  /** Stable through all renewals: audit events, sessions and revocation refer to it. */
  readonly signInId: string;
}

/**
 * What sockets, sessions and everything else that outlives one call may keep of somebody. Roles change while it is open,
 * so nothing that lives on has a field of type `Actor`: tools/rights-at-use.test.ts holds that.
 */
export interface Caller extends Who {
  /** With what they hold now, read from the store; throws `not_signed_in` once the sign-in is over. To be used at once. */
  now(): Promise<Actor>;
}

/** Somebody as they are this instant: it is true for one decision, and stale after the next wait for anything slow. */
export interface Actor extends Who {
  /** Tokens for scripts may not touch the account they belong to. */
  signInKind: SignInKind;
  roles: readonly string[];
  traits: Readonly<Record<string, readonly string[]>>;
  authType: 'local' | 'sso';
  acl: Acl;
  /** Where the call comes from; nobody knows it of somebody who is only asked about. */
  address?: string;
  /** A token that may do less than its user: it reads, or does what it names, and connects nowhere. */
  isNarrowed?: 'reads' | 'names';
  /** Whoever owns the account the gateway runs under, and could edit the store by hand anyway. */
  isOwner?: true;
}
