/** What the parts of identity work with. */
import type { LOCAL_CONNECTORS, SecondFactor } from '@gatehouse/contract/console/page-config';
import type { AccessControl } from '../access/create-access.ts';
import type { Audit } from '../platform/audit/emit.ts';
import type { Actor } from '../platform/http/actor.ts';
import type { SecretBox } from '../platform/secrets/secret-box.ts';
import type { Log } from '../platform/std/log.ts';
import type { Db, Tx } from '../platform/storage/tables.ts';
import type { PasswordCheck } from './credentials/password-hash.ts';
import type { SignInCache } from './stores/sign-in-cache.ts';
import type { User } from './stores/user-store.ts';

export interface AuthSettings {
  secondFactor: SecondFactor;
  /** What the sign-in page leads with. */
  connectorName: (typeof LOCAL_CONNECTORS)[number];
  /** 0: a sign-in may rest for as long as it lives. */
  inactivityTimeoutMs: number;
  /** The host that keys are bound to. */
  rpId: string;
  /** Where keys may be used, beside the origin of the request itself when its host is the one keys are bound to. */
  origins: readonly string[];
  clusterName: string;
  /** Where people open the console; links begin with it. */
  publicOrigin(): string;
}

/** Tests use a cheap one; everything else is the real argon2. */
export interface Passwords {
  hash(plain: string): Promise<string>;
  verify(plain: string, stored: string): Promise<PasswordCheck>;
  /** As long as `verify` takes, and never right. */
  verifyNobody(plain: string): Promise<PasswordCheck>;
}

export interface IdentityDeps {
  db: Db;
  now: () => number;
  log: Log;
  audit: Audit;
  access: AccessControl;
  passwords: Passwords;
  secrets: SecretBox;
  settings: AuthSettings;
  cache: SignInCache;
  /** Before somebody signs in by a way of this gateway: throws where the provider their roles came from does not stand for them any more. */
  enterOtherwise(tx: Tx, user: string): Promise<void>;
  /** Before somebody opens a way into an account: throws where a provider could give it what they could not. */
  refuseProvidersGift(db: Db, actor: Actor, user: User): Promise<void>;
}
