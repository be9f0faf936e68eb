/** Where a browser begins a sign-in through a connector, and which kinds of providers say when somebody signed in there. */
import type { ConnectorKind } from './connector-kinds.ts';

const BEGIN = {
  github: '/v1/webapi/github/login/web',
  oidc: '/v1/webapi/oidc/login/web',
  saml: '/v1/webapi/saml/sso',
} as const satisfies Record<ConnectorKind, string>;

export function beginPath<K extends ConnectorKind>(kind: K): (typeof BEGIN)[K] {
  return BEGIN[kind];
}

/** Coming through one that does not is never a proof of now. */
export const SAYS_WHEN: Readonly<Record<ConnectorKind, boolean>> = { github: false, oidc: true, saml: true };
