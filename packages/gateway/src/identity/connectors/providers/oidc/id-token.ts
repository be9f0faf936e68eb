/** The ID token of an OpenID provider: who signed in there, for whom, when and how. The library has checked the nonce. */
import type { JWTPayload } from 'jose';
import type { OpenConnector, ProviderDeps } from '../provider.ts';
import { ProviderError } from '../provider-error.ts';
import type { ProviderSettings } from './discover.ts';
import { oidcTrouble, printable } from './oidc-trouble.ts';
import { readSignedToken } from './signed-token.ts';

/** As OpenID has it; what is longer, or does not print, would not survive every store and list. */
const MAX_SUBJECT = 255;

export interface IdToken {
  subject: string;
  payload: JWTPayload;
}

export async function readIdToken(
  deps: ProviderDeps,
  { document }: OpenConnector<'oidc'>,
  settings: ProviderSettings,
  token: string,
): Promise<IdToken> {
  const { client_id } = document.spec;
  const { payload } = await readSignedToken(deps, settings, token, {
    audience: client_id,
    requiredClaims: ['sub', 'exp', 'iat'],
  }).catch((error: unknown) => {
    throw oidcTrouble('token', error);
  });
  requireParty(payload, client_id);
  return { subject: subjectOf(payload), payload };
}

/** A token that was made for another application, and names us beside it, was got by that one. */
function requireParty({ aud, azp }: JWTPayload, client: string): void {
  if (azp !== undefined && azp !== client)
    throw new ProviderError('token', `the ID token was made for '${printable(String(azp))}' and not for '${client}'`);
  if (azp === undefined && Array.isArray(aud) && aud.length > 1)
    throw new ProviderError('token', 'the ID token names several applications, and not which of them it was made for');
}

function subjectOf({ sub }: JWTPayload): string {
  if (typeof sub !== 'string' || sub === '' || sub.length > MAX_SUBJECT || /\p{C}/u.test(sub))
    throw new ProviderError('identity', `'sub' of the ID token is not 1 to ${MAX_SUBJECT} printable characters`);
  return sub;
}

/** Whoever signs in could take `acr_values` out of the address they were sent to. */
export function requireAcr(asked: string | undefined, { acr }: JWTPayload): void {
  const wanted = asked?.split(/\s+/).filter((value) => value !== '') ?? [];
  if (wanted.length === 0 || (typeof acr === 'string' && wanted.includes(acr))) return;
  const said = typeof acr === 'string' ? `acr '${printable(acr)}'` : 'no acr';
  throw new ProviderError('identity', `the provider answers with ${said}, where ${wanted.join(' or ')} is asked for`);
}
