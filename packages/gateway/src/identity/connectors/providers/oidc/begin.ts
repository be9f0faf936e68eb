/** Sends a browser to an OpenID provider. */
import type { OidcDocument } from '@gatehouse/contract/identity/connectors/connector-document';
import { keptWish } from '../proof-of-now.ts';
import type { BeginRequest, Begun, OpenConnector, ProviderDeps } from '../provider.ts';
import { SENDING_MS } from '../provider-memory.ts';
import type { ProviderSettings } from './discover.ts';
import { openClient } from './open-client.ts';

const STANDARD_SCOPES = ['openid', 'email', 'profile'];
/** Asked for where the provider knows them: others answer unknown scopes with an error. */
const ANNOUNCED_SCOPES = ['groups'];
/** Gives the refresh token that a recheck needs. */
const OFFLINE = 'offline_access';

/** Longer than any sign-in over there lasts, so that nobody is asked anew. */
const ANY_AGE_MS = 365 * 86_400_000;

/** Gives refresh tokens for a parameter of its own, and knows no scope for them. */
const GOOGLE = 'https://accounts.google.com';

export async function begin(
  deps: ProviderDeps,
  connector: OpenConnector<'oidc'>,
  { state, callback, asksWho = false, isFresh = false, isSparing }: BeginRequest,
): Promise<Begun> {
  const { spec } = connector.document;
  const sending = { maxAgeMs: SENDING_MS, isSparing };
  const { openid, config, settings, words } = await openClient(deps, connector, sending);
  const verifier = openid.randomPKCECodeVerifier();
  const nonce = openid.randomNonce();
  const asksAnew = isFresh && knowsLogin(spec, settings);
  // To choose an account is what some can be asked for at most: whoever links theirs does, and what wants a proof has none.
  const isProof = asksAnew || (isFresh && !asksWho);
  const prompt = asksAnew ? freshPrompt(spec) : promptOf(spec, settings, asksWho);
  const maxAge = isProof ? 0 : maxAgeOf(spec, settings);
  const url = openid.buildAuthorizationUrl(config, {
    redirect_uri: callback,
    scope: scopesOf(spec, settings).join(' '),
    state,
    nonce,
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(prompt === '' ? {} : { prompt }),
    ...(spec.acr_values === undefined ? {} : { acr_values: spec.acr_values }),
    // With any, the answer has to say when they signed in.
    ...(maxAge === undefined ? {} : { max_age: String(Math.floor(maxAge / 1000)) }),
    ...(spec.issuer_url === GOOGLE ? { access_type: 'offline' } : {}),
  });
  return { url: url.href, kept: { verifier, nonce, ...keptWish(isProof, deps.now()) }, discovery: words };
}

/** The last is what nearly all know. Others answer what they do not know with an error, so that it is asked for only where it is announced. */
const ASKING = ['select_account', 'login'] as const;

/** In words of ours alone, beside what the document says. */
export function promptOf(
  { prompt = '', issuer_url }: Pick<OidcDocument['spec'], 'prompt' | 'issuer_url'>,
  { prompt_values_supported: announced }: Pick<ProviderSettings, 'prompt_values_supported'>,
  asksWho: boolean,
): string {
  const written = prompt.split(/\s+/).filter((word) => word !== '');
  if (!asksWho || written.some((word) => ASKING.some((asking) => asking === word))) return prompt;
  const unannounced = issuer_url === GOOGLE ? 'select_account' : 'login';
  const asking = announced ? ASKING.find((word) => announced.includes(word)) : unannounced;
  return [...(asking ? [asking] : []), ...written].join(' ');
}

/**
 * Many say when somebody signed in only to whoever asks by this: left out, those who have just done so over there would be sent to do it
 * once more before they add their first device.
 */
export function maxAgeOf(
  { max_age }: Pick<OidcDocument['spec'], 'max_age'>,
  { claims_supported: announced = [] }: Pick<ProviderSettings, 'claims_supported'>,
): number | undefined {
  return max_age ?? (announced.includes('auth_time') ? ANY_AGE_MS : undefined);
}

/** Others answer it with an error. */
export function knowsLogin(
  { issuer_url }: Pick<OidcDocument['spec'], 'issuer_url'>,
  { prompt_values_supported: announced }: Pick<ProviderSettings, 'prompt_values_supported'>,
): boolean {
  return announced ? announced.includes('login') : issuer_url !== GOOGLE;
}

/** Whoever is signed in there signs in again; what else the document asks for stays. */
export function freshPrompt({ prompt = '' }: Pick<OidcDocument['spec'], 'prompt'>): string {
  return [...new Set(['login', ...prompt.split(/\s+/).filter((word) => word !== '')])].join(' ');
}

export function scopesOf(
  { scope }: Pick<OidcDocument['spec'], 'scope'>,
  { scopes_supported = [] }: Pick<ProviderSettings, 'scopes_supported'>,
): string[] {
  const announced = (name: string) => scopes_supported.includes(name);
  const wanted = scope?.flatMap((given) => given.split(/\s+/)).filter((name) => name !== '');
  return [
    ...new Set([
      'openid',
      ...(wanted ?? [...STANDARD_SCOPES, ...ANNOUNCED_SCOPES.filter(announced)]),
      ...(announced(OFFLINE) ? [OFFLINE] : []),
    ]),
  ];
}
