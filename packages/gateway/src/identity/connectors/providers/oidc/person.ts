/** All that an OpenID provider says of somebody: its ID token, and beside it what its userinfo endpoint adds. */
import type { Claims } from '../provider.ts';
import { type FlatClaims, flattenClaims } from './flatten-claims.ts';
import { oidcTrouble } from './oidc-trouble.ts';
import type { OpenClient } from './open-client.ts';

/** They tell of the moment of signing in: a renewed token may leave them out, and nothing has changed. */
const OF_THE_SIGN_IN = new Set(['amr', 'acr']);

export async function fetchPerson(
  { openid, config, settings }: OpenClient,
  accessToken: string,
  subject: string,
): Promise<object | undefined> {
  if (settings.userinfo_endpoint === undefined) return undefined;
  try {
    return await openid.fetchUserInfo(config, accessToken, subject);
  } catch (error) {
    throw oidcTrouble('identity', error);
  }
}

/** Of the ID token alone. */
export function heldClaims(idToken: object, userinfo: object | undefined): Claims {
  const { claims } = flattenClaims([idToken]);
  const elsewhere = userinfo ? flattenClaims([userinfo]).claims : new Map();
  return new Map([...claims].filter(([name]) => !elsewhere.has(name)));
}

/** `stale`: those of the last sign-in, as the provider says nothing of them now. */
export function renewedClaims(
  held: Claims,
  idToken: object | undefined,
  userinfo: object | undefined,
): FlatClaims & { stale: string[] } {
  const { claims, notes } = flattenClaims([idToken, userinfo].filter((source) => source !== undefined));
  const unsaid = [...held].filter(([name]) => !claims.has(name) && (idToken === undefined || OF_THE_SIGN_IN.has(name)));
  for (const [name, values] of unsaid) claims.set(name, values);
  const stale = unsaid.map(([name]) => name).filter((name) => !OF_THE_SIGN_IN.has(name));
  return { claims, notes, stale };
}
