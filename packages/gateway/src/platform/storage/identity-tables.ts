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
}

interface UserTable {
  name: string;
  /** Null: no password, so none is right. */
  password_hash: string | null;
  roles: string;
  traits: string;
  /** Random bytes in base64url that keys know the user by; never the name. */
  webauthn_handle: string;
  created: number;
  created_by: string;
  /** By a browser or a command line; what tokens do is not signing in. */
  last_sign_in: number | null;
}

/** Who a user is to a sign-in provider. */
interface UserIdentityTable {
  user: string;
  connector_kind: string;
  connector: string;
  subject: string;
  data: string;
  created: number;
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
  /** When the password was last proven under this sign-in. */
  password_at: number | null;
  /** When a second factor was last proven. */
  mfa_at: number | null;
  /** The address it belongs to, or the network of an IPv6 one; null until a token for scripts is first used. */
  tied_to: string | null;
  ended: number | null;
  ended_reason: string | null;
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
}

interface CliLoginTable {
  id: string;
  secret_hash: string;
  code: string;
  client: string;
  address: string;
  created: number;
  expires: number;
  state: string;
  sign_in: string | null;
}
