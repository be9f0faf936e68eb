/** Asks an OpenID provider whether somebody is still known there, and what it says of them now. */
import type { OpenConnector, ProviderDeps, Recheck } from '../provider.ts';
import { ProviderError } from '../provider-error.ts';
import { readIdToken } from './id-token.ts';
import { readTokens, writeTokens } from './kept-tokens.ts';
import { oauthErrorOf, oidcTrouble } from './oidc-trouble.ts';
import { type OpenClient, openClient } from './open-client.ts';
import { fetchPerson, renewedClaims } from './person.ts';

type Renewed = Awaited<ReturnType<OpenClient['openid']['refreshTokenGrant']>>;

const GONE = 'the provider takes the refresh token no more: they are gone, were signed out there, or took it back';
const NOT_RENEWED = 'the provider renews no ID token: claims that are in it alone are those of the last sign-in';

export async function recheck(deps: ProviderDeps, connector: OpenConnector<'oidc'>, text: string): Promise<Recheck> {
  const known = readTokens(text);
  const client = await openClient(deps, connector);
  const renewed = await renew(client, known.refresh);
  if (renewed === 'gone') return { state: 'gone', why: GONE };
  // From here on the old refresh token may be used up: whatever happens, the new one must be kept.
  const tokens = writeTokens({ ...known, refresh: renewed.refresh_token ?? known.refresh });
  try {
    const idToken = await readRenewed(deps, connector, client, renewed, known.subject);
    const userinfo = await fetchPerson(client, renewed.access_token, known.subject);
    const { claims, notes, stale } = renewedClaims(known.held, idToken, userinfo);
    const isHeld = idToken === undefined && known.held.size > 0;
    return { state: 'confirmed', claims, stale, tokens, notes: isHeld ? [...notes, NOT_RENEWED] : notes };
  } catch (error) {
    const { message: why, isTrouble } = oidcTrouble('identity', error);
    return { state: 'unanswered', why, isTrouble, tokens };
  }
}

async function renew({ openid, config }: OpenClient, refresh: string): Promise<Renewed | 'gone'> {
  try {
    return await openid.refreshTokenGrant(config, refresh);
  } catch (error) {
    if (oauthErrorOf(error) === 'invalid_grant') return 'gone';
    throw oidcTrouble('token', error);
  }
}

async function readRenewed(
  deps: ProviderDeps,
  connector: OpenConnector<'oidc'>,
  { settings }: OpenClient,
  { id_token }: Renewed,
  wanted: string,
): Promise<object | undefined> {
  if (id_token === undefined) return undefined;
  const { subject, payload } = await readIdToken(deps, connector, settings, id_token);
  if (subject === wanted) return payload;
  throw new ProviderError('identity', 'the provider answers with the ID token of somebody else');
}
