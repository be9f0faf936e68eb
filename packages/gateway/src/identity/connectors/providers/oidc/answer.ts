/** Takes the answer of an OpenID provider: the code is exchanged, and what comes for it is checked before any of it is used. */

import { checkedProof } from '../proof-of-now.ts';
import type { AnswerRequest, Assertion, OpenConnector, ProviderDeps } from '../provider.ts';
import { ProviderError } from '../provider-error.ts';
import { flattenClaims } from './flatten-claims.ts';
import { readIdToken, requireAcr } from './id-token.ts';
import { writeTokens } from './kept-tokens.ts';
import { oidcTrouble } from './oidc-trouble.ts';
import { type OpenClient, openClient } from './open-client.ts';
import { fetchPerson, heldClaims } from './person.ts';
import { provesTwoFactors } from './proven-factors.ts';
import { userNameFrom } from './user-name.ts';

const MAX_SESSION_ID = 512;
const NO_REFRESH =
  "the provider gave no refresh token: whether they are still known there is asked at their next sign-in alone. Some give one for scope 'offline_access', some only with 'prompt: consent'";

export async function answer(
  deps: ProviderDeps,
  connector: OpenConnector<'oidc'>,
  request: AnswerRequest,
): Promise<Assertion> {
  const { spec } = connector.document;
  const client = await openClient(deps, connector);
  const tokens = await exchange(client, connector, request);
  const { subject, payload } = await readIdToken(deps, connector, client.settings, tokens.id_token ?? '');
  requireAcr(spec.acr_values, payload);
  const userinfo = await fetchPerson(client, tokens.access_token, subject);
  const sources = userinfo ? [payload, userinfo] : [payload];
  const { claims, notes } = flattenClaims(sources);
  const refresh = tokens.refresh_token;
  return {
    issuer: spec.issuer_url,
    subject,
    username: userNameFrom(spec, claims, sources),
    claims,
    mfa: provesTwoFactors(payload),
    provenAt: checkedProof(signedInAt(payload), { field: 'auth_time', kept: request.kept, now: deps.now() }),
    providerSession: sessionOf(payload),
    tokens: refresh === undefined ? undefined : writeTokens({ refresh, subject, held: heldClaims(payload, userinfo) }),
    notes: refresh === undefined ? [...notes, NO_REFRESH] : notes,
  };
}

/** State, `iss` of the answer, nonce, PKCE and `auth_time` are checked by the library. */
async function exchange(
  { openid, config }: OpenClient,
  { document }: OpenConnector<'oidc'>,
  { fields, callback, state, kept }: AnswerRequest,
) {
  const { verifier, nonce } = kept;
  if (!verifier || !nonce) throw new ProviderError('redirect', 'nothing was kept to check the answer with');
  const { max_age } = document.spec;
  try {
    return await openid.authorizationCodeGrant(config, addressOf(callback, fields), {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
      ...(max_age === undefined ? {} : { maxAge: Math.floor(max_age / 1000) }),
    });
  } catch (error) {
    throw oidcTrouble(isOfTheBrowser(error) ? 'redirect' : 'token', error);
  }
}

/** What the browser brought was wrong, and the provider was not asked. */
function isOfTheBrowser(error: unknown): boolean {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.cause : undefined;
  const about = error instanceof Error && error.cause instanceof URLSearchParams;
  return about || (typeof cause === 'object' && cause !== null && 'parameters' in cause);
}

/** As the browser was sent there. What is said twice stays said twice: the library refuses it. */
function addressOf(callback: string, fields: AnswerRequest['fields']): URL {
  const address = new URL(callback);
  for (const [name, value] of Object.entries(fields))
    for (const each of Array.isArray(value) ? value : [value])
      if (typeof each === 'string') address.searchParams.append(name, each);
  return address;
}

/** Where it is asked for by `max_age`, the library has refused what is no number. */
function signedInAt({ auth_time }: Readonly<Record<string, unknown>>): number | undefined {
  return typeof auth_time === 'number' && auth_time > 0 ? auth_time * 1000 : undefined;
}

function sessionOf({ sid }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof sid === 'string' && sid !== '' && sid.length <= MAX_SESSION_ID ? sid : undefined;
}
