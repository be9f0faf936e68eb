/** Connectors for tests of screens. */

/** A connector whose secret the gateway keeps. */
export const OKTA = {
  id: 'oidc:okta',
  kind: 'oidc',
  name: 'okta',
  revision: 'okta-1',
  display: 'Okta',
  icon: 'okta',
  enabled: true,
  hasSecret: true,
  users: 3,
  lastSignIn: '2026-11-15T03:00:00Z',
  content: `kind: oidc
version: v3
metadata:
  name: okta
spec:
  display: Okta
  icon: okta
  issuer_url: https://acme.okta.example # ours
  client_id: c-1
  claims_to_roles:
    - claim: groups
      value: payments
      roles: [access]
    - claim: groups
      value: '*-oncall'
      roles: [editor]
`,
};

export const CHECKED = {
  name: 'okta',
  notes: [],
  enter: [
    { what: 'callback', value: 'https://one.example.com/v1/webapi/oidc/callback/okta' },
    { what: 'backchannel', value: 'https://one.example.com/v1/webapi/oidc/backchannel/okta' },
  ],
};
