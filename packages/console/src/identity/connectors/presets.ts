/** Providers that many have: what their connector begins as, and what is peculiar about each. */
import type { ConnectorIcon, ConnectorKind } from '@gatehouse/contract/identity/connectors/connector-kinds';

export const PRESETS = [
  'github',
  'google',
  'microsoft',
  'okta',
  'keycloak',
  'gitlab',
  'authentik',
  'auth0',
  'oidc',
  'saml',
] as const;
export type PresetName = (typeof PRESETS)[number];

export interface Preset {
  kind: ConnectorKind;
  icon: ConnectorIcon;
  /** Of the connector; people see it in addresses. */
  name: string;
  /** What its button says; absent where nobody knows yet who it will be. */
  display?: string;
  /** Where it is the same for everybody. */
  issuer?: string;
  /** What an issuer looks like there; capitals are to be filled in. */
  issuerLike?: string;
  scope?: readonly string[];
  usernameClaim?: string;
  /** What a first entry of the mapping looks at, where that is the same for everybody, and what both may look like: shown, and never written. */
  entry: { from?: string; fromLike?: string; valueLike: string };
}

const OIDC = { kind: 'oidc', scope: ['openid', 'profile', 'email', 'groups'] } as const;
const GROUP = { from: 'groups', valueLike: 'gatehouse-users' };

export const PRESET: Readonly<Record<PresetName, Preset>> = {
  github: {
    kind: 'github',
    icon: 'github',
    name: 'github',
    display: 'GitHub',
    entry: { fromLike: 'acme', valueLike: 'platform' },
  },
  google: {
    kind: 'oidc',
    icon: 'google',
    name: 'google',
    display: 'Google',
    issuer: 'https://accounts.google.com',
    scope: ['openid', 'profile', 'email'],
    usernameClaim: 'email',
    // It sends no groups; the domain of the organisation is what there is.
    entry: { from: 'hd', valueLike: 'acme.example' },
  },
  microsoft: {
    kind: 'oidc',
    icon: 'microsoft',
    name: 'entra',
    display: 'Microsoft',
    issuerLike: 'https://login.microsoftonline.com/TENANT-ID/v2.0',
    scope: ['openid', 'profile', 'email', 'offline_access'],
    usernameClaim: 'preferred_username',
    entry: { from: 'groups', valueLike: '00000000-0000-0000-0000-000000000000' },
  },
  okta: {
    ...OIDC,
    icon: 'okta',
    name: 'okta',
    display: 'Okta',
    issuerLike: 'https://ORGANISATION.okta.com',
    scope: [...OIDC.scope, 'offline_access'],
    entry: GROUP,
  },
  keycloak: {
    ...OIDC,
    icon: 'keycloak',
    name: 'keycloak',
    display: 'Keycloak',
    issuerLike: 'https://HOST/realms/REALM',
    scope: ['openid', 'profile', 'email', 'offline_access'],
    usernameClaim: 'preferred_username',
    entry: GROUP,
  },
  gitlab: {
    kind: 'oidc',
    icon: 'gitlab',
    name: 'gitlab',
    display: 'GitLab',
    issuer: 'https://gitlab.com',
    scope: ['openid', 'profile', 'email'],
    usernameClaim: 'nickname',
    entry: { from: 'groups', valueLike: 'acme/platform' },
  },
  authentik: {
    ...OIDC,
    icon: 'authentik',
    name: 'authentik',
    display: 'authentik',
    issuerLike: 'https://HOST/application/o/APPLICATION/',
    scope: ['openid', 'profile', 'email', 'offline_access'],
    usernameClaim: 'preferred_username',
    entry: GROUP,
  },
  auth0: {
    kind: 'oidc',
    icon: 'auth0',
    name: 'auth0',
    display: 'Auth0',
    issuerLike: 'https://TENANT.auth0.com/',
    scope: ['openid', 'profile', 'email', 'offline_access'],
    entry: { from: 'https://gatehouse/groups', valueLike: 'gatehouse-users' },
  },
  oidc: { ...OIDC, icon: 'generic', name: 'oidc', entry: GROUP },
  saml: { kind: 'saml', icon: 'generic', name: 'saml', entry: GROUP },
};

/** What stands in an address may be anything. */
export function presetOf(kind: ConnectorKind, given: string | undefined): PresetName {
  const named = PRESETS.find((preset) => preset === given);
  return named && PRESET[named].kind === kind ? named : kind;
}

/** Of a connector that is there already: told by its icon, or by its issuer. */
export function presetLike(kind: ConnectorKind, icon: string | undefined, issuer: string | undefined): PresetName {
  const like = PRESETS.find(
    (name) =>
      PRESET[name].kind === kind &&
      ((icon !== 'generic' && PRESET[name].icon === icon) || (issuer && PRESET[name].issuer === issuer)),
  );
  return like ?? kind;
}
