/** Whoever makes a call, with what they hold at this moment. */
import type { Acl } from '@gatehouse/contract/access';

export interface Actor {
  username: string;
  /** Stable through all renewals: audit events, sessions and revocation refer to it. */
  signInId: string;
  roles: readonly string[];
  traits: Readonly<Record<string, readonly string[]>>;
  authType: 'local' | 'sso';
  acl: Acl;
}
