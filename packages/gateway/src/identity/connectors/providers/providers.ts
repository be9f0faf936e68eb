/** The kinds of sign-in providers, one row each. What differs between them is asked of the row and nowhere else. */
import type { ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';
import { githubProvider } from './github/github-provider.ts';
import { oidcProvider } from './oidc/oidc-provider.ts';
import type { ProviderRow } from './provider.ts';
import { samlProvider } from './saml/saml-provider.ts';

export const PROVIDERS: { readonly [K in ConnectorKind]: ProviderRow<K> } = {
  github: githubProvider,
  oidc: oidcProvider,
  saml: samlProvider,
};

/** For whoever has a connector of some kind: what is given to the row must be of that kind, as a connector and its document are. */
export function providerOf(kind: ConnectorKind): ProviderRow<ConnectorKind> {
  return PROVIDERS[kind];
}
