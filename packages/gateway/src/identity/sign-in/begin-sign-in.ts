/** Makes a browser's sign-in and what it gets for it: the cookie and the reply with its bearer. */
import type { SignInReply } from '@gatehouse/contract/identity/sign-in';
import { ZERO_TIME } from '@gatehouse/contract/std/dates';
import type { Exchange } from '../../platform/http/call.ts';
import type { Tx } from '../../platform/storage/tables.ts';
import { type Bearer, issueFirst } from '../stores/sign-in-secrets.ts';
import { insertSignIn, SIGN_IN_MS, type SignIn, type Through } from '../stores/sign-in-store.ts';

export interface BegunSignIn {
  signIn: SignIn;
  cookie: string;
  bearer: Bearer;
}

export interface Proven {
  password: boolean;
  mfa: boolean;
  /** The device of this gateway that did. */
  device?: string | undefined;
  /** When a provider says that they signed in there: one that asked nobody anything tells of hours ago. */
  there?: number | undefined;
}

export async function beginSignIn(
  tx: Tx,
  user: string,
  {
    exchange,
    now,
    proven,
    through,
    until = Number.POSITIVE_INFINITY,
  }: {
    exchange: Pick<Exchange, 'address' | 'userAgent'>;
    now: number;
    proven: Proven;
    /** The provider it stands on, and when what that said ends. */
    through?: Through;
    until?: number | undefined;
  },
): Promise<BegunSignIn> {
  const provenAt = through ? proven.there : now;
  const signIn = await insertSignIn(tx, {
    user,
    kind: 'browser',
    now,
    expires: Math.min(now + SIGN_IN_MS, until),
    through,
    address: exchange.address,
    userAgent: exchange.userAgent,
    provenAt,
    passwordAt: proven.password ? now : undefined,
    mfaAt: proven.device === undefined ? (proven.mfa ? provenAt : undefined) : now,
    mfaDevice: proven.device,
  });
  return { signIn, ...(await issueFirst(tx, signIn, now)) };
}

/** `sessionExpires` is the zero time where other clients of this wire expect that. */
export function signInReply(
  bearer: Bearer,
  {
    user,
    now,
    sessionExpires,
    inactivityTimeoutMs,
  }: { user: string; now: number; sessionExpires?: number; inactivityTimeoutMs: number },
): SignInReply {
  return {
    type: 'Bearer',
    token: bearer.token,
    expires_in: Math.floor((bearer.expires - now) / 1000),
    sessionExpires: sessionExpires === undefined ? ZERO_TIME : new Date(sessionExpires).toISOString(),
    sessionInactiveTimeout: inactivityTimeoutMs,
    user,
  };
}
