/** The facts of the page's configuration that public pages need. Read by hand: the schema would bring zod along. */
import type { PageConfig, SecondFactor } from '@gatehouse/contract/console/page-config';

export interface Provider extends NamedProvider {
  /** With two places to fill. */
  url: string;
  /** Of e-mail addresses, in small letters: whose have one of these sign in here. */
  domains: readonly string[];
}
type NamedProvider = PageConfig['auth']['providers'][number] & { icon?: string };

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
  const { version, isUnclaimed, connectors } = asRecord(gatehouse);
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
    providers: providersIn(given.providers, connectors),
  };
}

function firstForm(auth: Record<string, unknown>, passkeys: boolean): PublicFacts['first'] {
  if (auth.localConnectorName === 'passwordless' && passkeys) return 'passwordless';
  return auth.authType === undefined || auth.authType === 'local' ? 'local' : 'sso';
}

/** What the reference says of each, and what only we do. */
function providersIn(given: unknown, ours: unknown): Provider[] {
  const looks = listOf(ours).map(asRecord);
  return listOf(given)
    .filter(isProvider)
    .map((provider) => {
      const { icon, domains } = looks.find(({ name }) => name === provider.name) ?? {};
      return {
        ...provider,
        ...(typeof icon === 'string' ? { icon } : {}),
        domains: listOf(domains).map((domain) => String(domain).toLowerCase()),
      };
    });
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function isProvider(value: unknown): value is NamedProvider {
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
