/** Whoever makes a call, with what they hold at this moment. */
import type { Acl } from '@gatehouse/contract/access';
import type { SignInKind } from '@gatehouse/contract/auth/sign-ins';

export interface Actor {
  username: string;
  /** Stable through all renewals: audit events, sessions and revocation refer to it. */
  signInId: string;
  /** Tokens for scripts may not touch the account they belong to. */
  signInKind: SignInKind;
  roles: readonly string[];
  traits: Readonly<Record<string, readonly string[]>>;
  authType: 'local' | 'sso';
  acl: Acl;
  /** A token that may do less than its user: it reads or manages what it names, and connects nowhere. */
  isNarrowed?: true;
  /** Whoever owns the account the gateway runs under, and could edit the store by hand anyway. */
  isOwner?: true;
}
