/** Begins a way through a provider: what the answer will be checked with is kept, and the browser that began is remembered. */
import { hashToken, newToken } from '../../../../platform/crypto/tokens.ts';
import type { Exchange } from '../../../../platform/http/call.ts';
import type { ConnectorDeps } from '../../connector-deps.ts';
import type { OpenConnector } from '../../providers/provider.ts';
import { ProviderError } from '../../providers/provider-error.ts';
import { providerOf } from '../../providers/providers.ts';
import { insertAttempt, type Purpose } from '../../stores/attempt-store.ts';
import { foreignCallback } from '../own-callback.ts';

const BROWSER = /^[0-9a-f]{64}$/;

interface Beginning {
  connector: OpenConnector;
  /** Of the connector, or empty for a draft. */
  revision: string;
  purpose: Purpose;
  /** Who begins a test or a link. */
  who?: { username: string; signInId: string } | undefined;
  /** Where the browser goes afterwards: a path that passed `redirectTarget`. */
  path: string;
  /** Of a link: the keys that stay. */
  keep?: readonly string[] | undefined;
  draft?: { content: string; secrets: Readonly<Record<string, string>>; ownMachine: boolean } | undefined;
  /** Whether the provider is to ask who it is, whoever is signed in there. */
  asksWho?: boolean | undefined;
  /** Whether they must sign in there anew, and the answer say so. */
  isFresh?: boolean | undefined;
  /** Where whoever begins is. */
  address: string;
  /** Of the cookie in the browser; empty where the first that opens it is the one. */
  browserHash: string;
}

/** Throws `ProviderError` or `AppError` where the provider cannot be asked. */
export async function beginAttempt(
  { db, now, secrets, asking }: ConnectorDeps,
  { connector, revision, purpose, who, path, keep, draft, asksWho, isFresh, address, browserHash }: Beginning,
): Promise<{ id: string; url: string }> {
  const provider = asking(connector);
  const state = newToken();
  const row = providerOf(connector.kind);
  const origin = provider.publicOrigin();
  // Also of one that was saved when the gateway had another address.
  const foreign = foreignCallback(connector, origin);
  if (foreign) throw new ProviderError('settings', foreign.message);
  const callback = row.callbackOf(connector, origin);
  const isSparing = purpose === 'browser';
  const wishes = { asksWho, isFresh, isSparing };
  const { url, kept, discovery } = await row.begin(provider, connector, { state, callback, ...wishes });
  const id = await insertAttempt(db, secrets, {
    state,
    kind: connector.kind,
    connector: connector.name,
    revision,
    purpose,
    user: who?.username,
    signInId: who?.signInId,
    browserHash,
    address,
    kept: {
      kept: { ...kept },
      callback,
      path,
      ...(keep ? { keep: [...keep] } : {}),
      discovery,
      url,
      ...(draft ? { draft: { ...draft, secrets: { ...draft.secrets } } } : {}),
    },
    now: now(),
  });
  return { id, url };
}

/** The cookie of this browser, made when it has none: one for all its tabs. */
export function rememberBrowser(exchange: Exchange): string {
  const held = exchange.cookie('gh_sso');
  const token = held && BROWSER.test(held) ? held : newToken();
  exchange.setCookie('gh_sso', token);
  return hashToken(token);
}

export function browserOf(exchange: Exchange): string | undefined {
  const held = exchange.cookie('gh_sso');
  return held && BROWSER.test(held) ? hashToken(held) : undefined;
}
