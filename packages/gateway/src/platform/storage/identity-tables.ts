/** The tables of users and their sign-ins as Kysely sees them. Secrets are hashed where they are only compared, sealed where they are needed again. */
import type { ColumnType } from 'kysely';

export interface IdentityTables {
  user: UserTable;
  user_identity: UserIdentityTable;
  user_token: UserTokenTable;
  mfa_device: MfaDeviceTable;
  recovery_code: RecoveryCodeTable;
  sign_in: SignInTable;
  sign_in_secret: SignInSecretTable;
  sign_in_failure: SignInFailureTable;
  lock_out: LockOutTable;
  webauthn_challenge: WebauthnChallengeTable;
  cli_login: CliLoginTable;
  headless_request: HeadlessRequestTable;
  ssh_bound_key: SshBoundKeyTable;
  connector: ConnectorTable;
  sso_attempt: SsoAttemptTable;
  provider_logout: ProviderLogoutTable;
  former_identity: FormerIdentityTable;
}

interface UserTable {
  name: string;
  /** Null: no password, so none is right. */
  password_hash: string | null;
  /** The sign-in that it was chosen in. */
  password_set_in: string | null;
  roles: string;
  traits: string;
  /** Random bytes in base64url that keys know the user by; never the name. */
  webauthn_handle: string;
  created: number;
  created_by: string;
  /** By a browser or a command line; what tokens do is not signing in. */
  last_sign_in: number | null;
  /** The connector whose mapping gave the roles and traits; null where somebody here did. */
  given_by: string | null;
  /** Grows with each change of roles and traits, also over somebody of that name who was deleted. */
  version: number;
}

/** Who a user is to a sign-in provider. */
interface UserIdentityTable {
  user: string;
  connector_kind: string;
  connector: string;
  subject: string;
  /** The claims of the last sign-in or recheck, and what the provider calls them. */
  data: string;
  created: number;
  /** Who the connector's provider was when they were seen; another one's subjects are other people. */
  issuer: string;
  /** When the provider last said that they are still theirs. */
  confirmed: number;
  /** When it is asked again; null where it cannot be. */
  next_recheck: number | null;
  /** While a gateway asks it, until then at most: no other one uses what it is asked with. Null: none does. */
  asking_until: number | null;
  /** A name of this row for what is sealed in it. */
  sealed_id: string;
  /** What it is asked with. */
  sealed_tokens: string | null;
  /** What the last recheck failed with; empty: it did not. */
  trouble: string;
  /** Whose word it is that they are the user. */
  linked_by: string;
}

/** Links and proofs: invite, password, recovery, privilege. */
interface UserTokenTable {
  hash: string;
  type: string;
  user: string;
  created: number;
  created_by: string;
  expires: number;
  used_at: number | null;
  /** For an authenticator app that is being enrolled. */
  sealed_totp: string | null;
  /** For a key that is being enrolled. */
  challenge: string | null;
  challenge_usage: string | null;
  challenge_expires: number | null;
  /** For a privilege: where the sign-in was that it was given to. */
  tied_to: string | null;
  /** The sign-in of a narrowed token that made it; null for anybody who could do all their roles allow. */
  made_with: string | null;
}

interface MfaDeviceTable {
  id: string;
  user: string;
  name: string;
  type: string;
  usage: string;
  sealed_secret: string | null;
  last_step: number | null;
  credential_id: string | null;
  public_key: string | null;
  counter: number | null;
  transports: string | null;
  added: number;
  /** Where from; null where nobody knows. */
  address: string | null;
  last_used: number | null;
}

interface RecoveryCodeTable {
  user: string;
  hash: string;
  created: number;
  used_at: number | null;
}

interface SignInTable {
  id: string;
  user: string;
  kind: string;
  /** What the user calls it: a token's name, a command line's machine. */
  name: string;
  scope: string | null;
  created: number;
  expires: number;
  last_active: number;
  address: string;
  user_agent: string;
  /** When whoever began it proved who they are; null where a provider does not say, and for what is no browser's. */
  proven_at: number | null;
  /** When the password was last proven under this sign-in. */
  password_at: number | null;
  /** When a second factor was last proven. */
  mfa_at: number | null;
  /** Which device that was; null where a provider has proven it. */
  mfa_device: string | null;
  /** The address it belongs to, or the network of an IPv6 one; null until a token for scripts is first used. */
  tied_to: string | null;
  ended: number | null;
  ended_reason: string | null;
  /** The identity it stands on; null for one of this gateway alone. */
  connector: string | null;
  subject: string | null;
  /** What the provider calls its own session (`sid`, SessionIndex). */
  provider_session: string | null;
}

interface SignInSecretTable {
  hash: string;
  sign_in: string;
  type: string;
  expires: number;
}

interface SignInFailureTable {
  id: ColumnType<number, never, never>;
  name: string;
  address: string;
  time: number;
}

interface LockOutTable {
  name: string;
  since: number;
  until: number;
  failures: number;
  address: string;
}

/** Asked once, answered once. */
interface WebauthnChallengeTable {
  challenge: string;
  purpose: string;
  /** Null while nobody has said who they are. */
  user: string | null;
  sign_in: string | null;
  expires: number;
  /** Where it was asked for. */
  tied_to: string | null;
  /** Whom it counts for where there are too many, and which client of it. */
  network: string;
  client_key: string;
}

interface CliLoginTable {
  id: string;
  secret_hash: string;
  code: string;
  client: string;
  address: string;
  /** Whom it counts for where there are too many, and which client of it. */
  network: string;
  client_key: string;
  created: number;
  expires: number;
  state: string;
  sign_in: string | null;
  /** JSON of what a connection of SSH, or a second factor for programs of Kubernetes, is asked for; null of a command line. */
  ssh: string | null;
}

/** A key of SSH that a browser lets in from one address until it signs out. */
interface SshBoundKeyTable {
  id: string;
  fingerprint: string;
  address: string;
  user: string;
  sign_in: string;
  created: number;
}

/** One session that a machine without a browser asks for. The user it names may be nobody. */
interface HeadlessRequestTable {
  id: string;
  user: string;
  /** Base64, as it was sent. */
  public_key: string;
  server: string;
  login: string;
  command: string;
  client: string;
  address: string;
  /** Whom it counts for where there are too many, and which client of it. */
  network: string;
  client_key: string;
  created: number;
  expires: number;
  /** The call that waits for it now. */
  holder: string;
  state: string;
  sign_in: string | null;
}

/** A sign-in provider, as its document says. */
interface ConnectorTable {
  name: string;
  kind: string;
  /** Without its secrets. */
  content: string;
  revision: string;
  enabled: number;
  /** Who its provider is: with another one, identities of this one are nobody's. */
  issuer: string;
  /** The secrets of its document as JSON. */
  sealed: string | null;
  /** What was learnt of the provider. */
  facts: string;
  trouble: string;
  last_sign_in: number | null;
  /** 1: it may be on the machine the gateway runs on. */
  own_machine: number;
  /** 1: what speaks for its provider was written by somebody who may edit roles. */
  vouched: number;
  created: number;
  updated: number;
  updated_by: string;
}

/** Somebody on the way through a provider: begun, answered once, finished once. */
interface SsoAttemptTable {
  /** Of what the provider gives back. */
  state_hash: string;
  /** What the console asks by, for tests and links. */
  id: string;
  kind: string;
  connector: string;
  /** Of the connector when it began; a changed one's answers are not taken. */
  revision: string;
  purpose: string;
  /** Who began a test or a link; null for somebody who signs in. */
  user: string | null;
  sign_in: string | null;
  /** Of the cookie in the browser that began it. */
  browser_hash: string;
  /** Whom it counts for where there are too many, and which client of it. */
  network: string;
  client_key: string;
  /** What the answer is checked with, where the browser goes afterwards, and the draft that is tested. */
  sealed: string;
  created: number;
  expires: number;
  answered: number | null;
  /** Of the code that the page after the answer finishes with. */
  code_hash: string | null;
  code_expires: number | null;
  sealed_answer: string | null;
  finished: number | null;
  /** Of a test: what is shown. */
  sealed_result: string | null;
}

/** Who deleted users were to providers: they return by the name they had. */
interface FormerIdentityTable {
  connector: string;
  /** Of the connector. */
  kind: string;
  subject: string;
  issuer: string;
  user: string;
  /** Whose word it was that they are them. */
  linked_by: string;
  /** When the user, or the connector, was deleted. */
  deleted: number;
}

/** Whom a provider has signed out, for as long as an answer from before that may still be on its way. */
interface ProviderLogoutTable {
  connector: string;
  /** Empty where the provider named its session alone. */
  subject: string;
  /** Empty: all of theirs. */
  provider_session: string;
  heard: number;
}
