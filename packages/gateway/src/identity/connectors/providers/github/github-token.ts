/** From the code that a browser brings to a token, and what is kept of it for rechecks. */
import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { OpenConnector, ProviderDeps } from '../provider.ts';
import { ProviderError } from '../provider-error.ts';
import { endpointOf } from './github-addresses.ts';
import { askToken, quoted } from './github-ask.ts';

/** It stands in a header: nothing that could end the line. */
const token = z.string().regex(/^[\x21-\x7e]{1,1024}$/);

const granted = z.object({
  access_token: token,
  token_type: z.string().regex(/^bearer$/i),
  scope: z.string().max(2048).default(''),
  /** Of GitHub Apps, whose tokens end. */
  refresh_token: token.optional(),
  expires_in: z.number().int().positive().optional(),
});
const refused = z.object({ error: z.string(), error_description: z.string().optional() });
const answer = z.union([refused, granted]);

export interface GithubToken {
  access: string;
  refresh?: string | undefined;
  expires?: number | undefined;
}

export const SCOPE = 'read:org';
/** Each of them contains it. */
const SUFFICIENT = [SCOPE, 'write:org', 'admin:org'];
/** Tokens of a GitHub App have permissions in place of scopes. */
const APP_TOKEN = 'ghu_';
/** Refusals that are about the application, whoever it asks for. */
const OURS = new Set(['incorrect_client_credentials', 'redirect_uri_mismatch']);
/** Renewed before it ends, for clocks that differ. */
const EARLY_MS = 5 * 60_000;

export function createVerifier(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

export async function exchangeCode(
  deps: ProviderDeps,
  connector: OpenConnector<'github'>,
  { code, callback, verifier }: { code: string; callback: string; verifier: string },
): Promise<GithubToken> {
  const fields = { code, redirect_uri: callback, code_verifier: verifier };
  const said = await ask(deps, connector, fields);
  if ('error' in said) throw refusedBy(said);
  const scopes = said.scope.split(/[\s,]+/);
  if (!said.access_token.startsWith(APP_TOKEN) && !SUFFICIENT.some((each) => scopes.includes(each)))
    throw new ProviderError('token', `GitHub did not grant '${SCOPE}': without it no team is shown`);
  return keepable(deps, said);
}

/** The token itself while it is good; nothing when GitHub does not renew it any more. */
export async function renew(
  deps: ProviderDeps,
  connector: OpenConnector<'github'>,
  held: GithubToken,
): Promise<GithubToken | undefined> {
  if (held.refresh === undefined || held.expires === undefined || deps.now() < held.expires - EARLY_MS) return held;
  const said = await ask(deps, connector, { grant_type: 'refresh_token', refresh_token: held.refresh });
  if (!('error' in said)) return keepable(deps, said);
  // Any other refusal is about our application, not about them.
  if (said.error === 'bad_refresh_token') return undefined;
  throw refusedBy(said);
}

async function ask(deps: ProviderDeps, { document, secrets }: OpenConnector<'github'>, fields: Record<string, string>) {
  const secret = secrets['spec.client_secret'];
  if (secret === undefined) throw new ProviderError('settings', 'the connector has no client_secret');
  const body = new URLSearchParams({ client_id: document.spec.client_id, client_secret: secret, ...fields });
  const url = `${endpointOf(document.spec)}/login/oauth/access_token`;
  return await askToken(deps, { step: 'token', url, schema: answer, request: { body } });
}

function keepable({ now }: Pick<ProviderDeps, 'now'>, said: z.output<typeof granted>): GithubToken {
  const { access_token: access, refresh_token: refresh, expires_in } = said;
  return { access, ...(refresh && expires_in ? { refresh, expires: now() + expires_in * 1000 } : {}) };
}

function refusedBy(said: z.output<typeof refused>): ProviderError {
  return new ProviderError('token', tellRefusal(said), { isTrouble: OURS.has(said.error) });
}

function tellRefusal({ error, error_description: description }: z.output<typeof refused>): string {
  const known: Readonly<Record<string, string>> = {
    incorrect_client_credentials: 'GitHub does not take the client_secret: enter the one of this application',
    redirect_uri_mismatch: 'GitHub knows the application by another callback address: enter ours there',
    bad_verification_code: 'GitHub does not take the code: it is old, was used before, or is not for this application',
  };
  return known[error] ?? `GitHub refuses the code: ${quoted(description ?? error)}`;
}
