/** What somebody from an OpenID provider is to be called here. */
import type { OidcDocument } from '@gatehouse/contract/identity/connectors/connector-document';
import type { Claims } from '../provider.ts';
import { ProviderError } from '../provider-error.ts';
import { printable } from './oidc-trouble.ts';

const STANDARD = ['email', 'preferred_username'];

/** `sources`: what the provider said, as it said it. An address counts as theirs only where the same source calls it verified. */
export function userNameFrom(
  { username_claim, allow_unverified_email }: OidcDocument['spec'],
  claims: Claims,
  sources: readonly object[],
): string {
  const wanted = username_claim === undefined ? STANDARD : [username_claim];
  const found = wanted.find((name) => (claims.get(name)?.length ?? 0) > 0);
  if (found === undefined) throw new ProviderError('identity', missing(wanted, claims));
  const values = claims.get(found) ?? [];
  const [name = ''] = values;
  if (values.length > 1 || name === '')
    throw new ProviderError('identity', `'${printable(found)}' of the provider is not one name`);
  if (name.includes('@') && !allow_unverified_email && !sources.some((source) => isVerified(source, name)))
    throw new ProviderError(
      'identity',
      `the provider does not say that '${printable(name)}' is verified as theirs: set username_claim to another claim, or allow_unverified_email where people cannot choose addresses there`,
    );
  return name;
}

function missing(wanted: readonly string[], claims: Claims): string {
  const sent = [...claims.keys()].slice(0, 20).map(printable).join(', ');
  return `the provider sends no ${wanted.map(printable).join(' and no ')} to be called by: set username_claim or scope. It sends: ${sent}`;
}

function isVerified(source: object, name: string): boolean {
  if (!('email' in source) || !('email_verified' in source)) return false;
  const { email, email_verified } = source;
  // Some providers write everything as text.
  const isSaid = email_verified === true || email_verified === 'true';
  return isSaid && typeof email === 'string' && email.toLowerCase() === name.toLowerCase();
}
