/** The kinds of sign-in providers, and what their connectors may be called and drawn with. */
export const CONNECTOR_KINDS = ['github', 'oidc', 'saml'] as const;
export type ConnectorKind = (typeof CONNECTOR_KINDS)[number];

/** Drawn by the console itself: an address here would tell a stranger who opens the login page. */
export const CONNECTOR_ICONS = [
  'github',
  'gitlab',
  'google',
  'microsoft',
  'okta',
  'auth0',
  'keycloak',
  'authentik',
  'onelogin',
  'ping',
  'generic',
] as const;
export type ConnectorIcon = (typeof CONNECTOR_ICONS)[number];

/** They stand in addresses beside names of connectors, or mean the way in that needs no provider. */
export const RESERVED_CONNECTOR_NAMES: readonly string[] = [
  'login',
  'callback',
  'sso',
  'acs',
  'metadata',
  'finish',
  'local',
  'passwordless',
  'headless',
  'test',
  'backchannel',
];
