/** The row of OpenID Connect in the table of sign-in providers. */
import { PAGES } from '@gatehouse/contract/console/pages';
import type { OidcDocument } from '@gatehouse/contract/identity/connectors/connector-document';
import type { ProviderRow } from '../provider.ts';
import { answer } from './answer.ts';
import { begin } from './begin.ts';
import { endSessionUrl } from './end-session.ts';
import { withClaims } from './kept-tokens.ts';
import { recheck } from './recheck.ts';

const CALLBACK = '/v1/webapi/oidc/callback';
const BACKCHANNEL = '/v1/webapi/oidc/backchannel';

type Problem = ReturnType<ProviderRow<'oidc'>['check']>[number];
type Named = Parameters<ProviderRow<'oidc'>['callbackOf']>[0];

export const oidcProvider: ProviderRow<'oidc'> = {
  issuerOf: ({ spec }) => spec.issuer_url,
  // To another client anybody may be let in over there who was never meant to come here.
  voiceOf: (connector, origin) => [connector.document.spec.client_id, callbackOf(connector, origin)],
  check: (document) => [
    ...issuerProblems(document),
    ...clientProblems(document),
    ...callbackProblems(document),
    ...promptProblems(document),
  ],
  entries: ({ spec }) =>
    spec.claims_to_roles.map(({ claim, value, roles }, index) => ({
      path: `claims_to_roles[${index}]`,
      claim,
      value,
      roles,
    })),
  enter: (connector, origin) => [
    { what: 'callback', value: callbackOf(connector, origin) },
    { what: 'backchannel', value: `${origin}${BACKCHANNEL}/${encodeURIComponent(connector.name)}` },
    ...(connector.document.spec.sign_out_return ? [{ what: 'signout' as const, value: loginPage(origin) }] : []),
  ],
  addressFields: ['issuer_url'],
  callbackField: 'redirect_url',
  callbackOf,
  begin,
  answer,
  recheck,
  keptTokens: withClaims,
  // Back here only where the provider was told of the address: with one it does not know, it signs nobody out.
  signOutUrl: (deps, connector) => {
    const returnTo = connector.document.spec.sign_out_return ? loginPage(deps.publicOrigin()) : undefined;
    return endSessionUrl(deps, connector, { returnTo });
  },
};

function loginPage(origin: string): string {
  return `${origin}${PAGES.login.path}`;
}

function callbackOf({ name, document }: Named, origin: string): string {
  return document.spec.redirect_url ?? `${origin}${CALLBACK}/${encodeURIComponent(name)}`;
}

function issuerProblems({ spec }: OidcDocument): Problem[] {
  const { pathname, search } = new URL(spec.issuer_url);
  const path = ['spec', 'issuer_url'];
  if (pathname.includes('/.well-known/'))
    return [{ path, message: 'must be the address of the provider, without /.well-known/openid-configuration' }];
  return search === '' ? [] : [{ path, message: 'must not hold a question mark' }];
}

/** Copied with what stood around it, it is the id of nobody over there. */
function clientProblems({ spec: { client_id } }: OidcDocument): Problem[] {
  if (client_id === client_id.trim()) return [];
  return [{ path: ['spec', 'client_id'], message: 'begins or ends with a blank' }];
}

/** The provider would send people to a place where nothing of ours listens. */
function callbackProblems({ spec, metadata }: OidcDocument): Problem[] {
  if (spec.redirect_url === undefined) return [];
  const { pathname, search } = new URL(spec.redirect_url);
  const fitting = [CALLBACK, `${CALLBACK}/${encodeURIComponent(metadata.name)}`];
  if (search === '' && fitting.includes(pathname)) return [];
  return [{ path: ['spec', 'redirect_url'], message: `must end in ${fitting[1]}, or be left out` }];
}

function promptProblems({ spec }: OidcDocument): Problem[] {
  if (!spec.prompt?.split(/\s+/).includes('none')) return [];
  return [{ path: ['spec', 'prompt'], message: "must not be 'none': the provider could ask nobody to sign in" }];
}
