/** The facts of the page's configuration that public pages need. Read by hand: the schema would bring zod along. */
import type { PageConfig, SecondFactor } from '@gatehouse/contract/console/page-config';

export type Provider = PageConfig['auth']['providers'][number];

export interface PublicFacts {
  cluster: string;
  version: string;
  /** Nobody could sign in: no administrator has followed their link yet. */
  isUnclaimed: boolean;
  /** False when only single sign-on is let in. */
  passwords: boolean;
  /** Whether a passkey may take the place of the password. */
  passkeys: boolean;
  secondFactor: SecondFactor;
  /** Which factor is asked for first from someone who has both. */
  preferred: 'webauthn' | 'otp';
  /** Which form the login page shows first. */
  first: 'local' | 'passwordless' | 'sso';
  providers: readonly Provider[];
}

const FACTORS: readonly SecondFactor[] = ['off', 'otp', 'webauthn', 'on', 'optional'];

export function readPublicFacts(config: unknown): PublicFacts {
  const { auth, proxyCluster, gatehouse } = asRecord(config);
  const { version, isUnclaimed } = asRecord(gatehouse);
  const given = asRecord(auth);
  const passkeys = given.allowPasswordless === true;
  return {
    cluster: typeof proxyCluster === 'string' ? proxyCluster : 'localhost',
    version: typeof version === 'string' ? version : '',
    isUnclaimed: isUnclaimed === true,
    passwords: given.localAuthEnabled !== false,
    passkeys,
    secondFactor: FACTORS.find((factor) => factor === given.second_factor) ?? 'off',
    preferred: given.preferredLocalMfa === 'otp' ? 'otp' : 'webauthn',
    first: firstForm(given, passkeys),
    providers: Array.isArray(given.providers) ? given.providers.filter(isProvider) : [],
  };
}

function firstForm(auth: Record<string, unknown>, passkeys: boolean): PublicFacts['first'] {
  if (auth.localConnectorName === 'passwordless' && passkeys) return 'passwordless';
  return auth.authType === undefined || auth.authType === 'local' ? 'local' : 'sso';
}

function isProvider(value: unknown): value is Provider {
  const { name, type, url } = asRecord(value);
  return typeof name === 'string' && typeof type === 'string' && typeof url === 'string';
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

export function takesKeys(factor: SecondFactor): boolean {
  return factor === 'webauthn' || factor === 'on' || factor === 'optional';
}

export function takesCodes(factor: SecondFactor): boolean {
  return factor === 'otp' || factor === 'on' || factor === 'optional';
}
