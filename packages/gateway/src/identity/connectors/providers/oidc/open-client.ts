/** This gateway as a client of an OpenID provider. The library is loaded with the first use, and asks only through the provider's fetch. */

import type { OpenConnector, ProviderDeps } from '../provider.ts';
import { ProviderError } from '../provider-error.ts';
import { fetchFor, type ProviderFetch } from '../provider-fetch.ts';
import { type Discovered, discover, type ProviderSettings } from './discover.ts';

type OpenId = typeof import('openid-client');
type Configuration = import('openid-client').Configuration;
type ClientAuth = import('openid-client').ClientAuth;
type LibraryFetch = import('openid-client').CustomFetch;

export const SKEW_SECONDS = 30;

export interface OpenClient extends Discovered {
  openid: OpenId;
  config: Configuration;
}

interface KnownClient {
  /** What it was made of, beside the connector. */
  discovered?: Discovered;
  skew?: number;
  client?: OpenClient;
}
const nothingKept = (): KnownClient => ({});

/** The same for a connector as long as the provider publishes the same settings. */
export async function openClient(
  deps: ProviderDeps,
  connector: OpenConnector<'oidc'>,
  { maxAgeMs, isSparing = false }: { maxAgeMs?: number; isSparing?: boolean | undefined } = {},
): Promise<OpenClient> {
  const recall = isSparing ? deps.recall.sparing : deps.recall;
  const discovered = await discover(recall, connector.document.spec.issuer_url, maxAgeMs);
  // The library reads the clock of the machine, and tests have their own.
  const skew = Math.round((deps.now() - Date.now()) / 1000);
  const kept = deps.memo(connector, nothingKept);
  if (kept.client && kept.discovered === discovered && kept.skew === skew) return kept.client;
  const client = await makeClient(deps, connector, discovered, skew);
  Object.assign(kept, { discovered, skew, client });
  return client;
}

async function makeClient(
  deps: ProviderDeps,
  connector: OpenConnector<'oidc'>,
  discovered: Discovered,
  skew: number,
): Promise<OpenClient> {
  const { document, secrets } = connector;
  const { issuer_url, client_id } = document.spec;
  const openid = await import('openid-client');
  const auth = clientAuth(openid, discovered.settings, secrets['spec.client_secret']);
  const config = new openid.Configuration(
    discovered.settings,
    client_id,
    { [openid.clockTolerance]: SKEW_SECONDS, [openid.clockSkew]: skew },
    auth,
  );
  config[openid.customFetch] = libraryFetch(fetchFor(deps.fetch, connector));
  // The fetch has a limit of its own, which is shorter.
  config.timeout = 0;
  if (new URL(issuer_url).protocol === 'http:') openid.allowInsecureRequests(config);
  return { ...discovered, openid, config };
}

/** In the body where that is announced: what providers make of special characters in the header differs. */
function clientAuth(openid: OpenId, settings: ProviderSettings, secret: string | undefined): ClientAuth {
  if (secret === undefined) return openid.None();
  const announced = settings.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  if (announced.includes('client_secret_post')) return openid.ClientSecretPost(secret);
  if (announced.includes('client_secret_basic')) return openid.ClientSecretBasic(secret);
  throw new ProviderError('settings', 'the provider takes no client secret: it wants keys or certificates of clients');
}

function libraryFetch(fetch: ProviderFetch): LibraryFetch {
  return async (url, { method, headers, body, signal }) => {
    if (body instanceof ReadableStream || body instanceof ArrayBuffer)
      throw new TypeError('an OpenID provider is never sent streams');
    return await fetch(url, { method, body, signal, headers: { ...headers, 'user-agent': 'Gatehouse' } });
  };
}
