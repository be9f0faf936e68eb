import type { ConnectorTest } from '@gatehouse/contract/identity/connectors/connector-tests';
import { expect, test } from 'vitest';
import { tellConnectors, tellConnectorTest, tellEntries } from './connector-text.ts';

const TEST: ConnectorTest = {
  id: 't-1',
  kind: 'oidc',
  connector: 'okta',
  state: 'failed',
  steps: [
    { step: 'settings', status: 'passed', message: 'the document can be read' },
    { step: 'mapping', status: 'failed', message: "no entry of 'okta' gives ann@acme.example a role\u001b[2J" },
    { step: 'user', status: 'skipped', message: '' },
  ],
  claims: { sub: ['00u7'], groups: Array.from({ length: 500 }, (_, at) => `group-${at}`) },
  counts: { groups: 25_000 },
  roles: [{ role: 'opps', entry: 'claims_to_roles[0]', exists: false }],
  unmatched: ['claims_to_roles[1]'],
  traits: { team: ['blue'] },
  lacking: [],
  dropped: [{ claim: 'logins', why: 'no entry of traits names it' }],
  user: 'ann@acme.example',
  outcome: 'refused',
  conflict: "'ann' is a local account",
  expires: '2026-03-04T05:16:07.000Z',
};

test('a test is told step by step, with claims that fit a screen and nothing that steers it', () => {
  const groups = Array.from({ length: 20 }, (_, at) => `group-${at}`).join(', ');

  const told = tellConnectorTest(TEST);

  expect(told).toBe(`✓ settings  the document can be read
✗ mapping   no entry of 'okta' gives ann@acme.example a role\\x1b[2J
- user
Claims:
  sub     00u7
  groups  ${groups} and 24980 more
Roles:
  opps  by claims_to_roles[0]; there is no such role
Entries that nothing matched:
  claims_to_roles[1]
Traits:
  team  blue
Claims that are not kept:
  logins  no entry of traits names it
`);
});

test('a list tells how many come through each, and what is wrong with it', () => {
  const item = { id: 'oidc:okta', kind: 'oidc' as const, name: 'okta', content: '' };

  expect(tellConnectors([])).toBe('no connectors\n');
  expect(
    tellConnectors([
      { ...item, display: 'Okta', users: 12, lastSignIn: '2026-03-04T05:06:07.000Z', enabled: true, hasSecret: true },
      { ...item, name: 'old', enabled: false },
      { ...item, name: 'sick', trouble: 'https://id.example.com does not answer within 5 s' },
      { ...item, name: 'open', hasSecret: false },
      { ...item, name: 'corp', kind: 'saml', hasSecret: false },
    ]),
  ).toBe(`NAME  KIND  SHOWN AS  USERS  LAST SIGN-IN              STATE
okta  oidc  Okta      12     2026-03-04T05:06:07.000Z  on
old   oidc  -         0      -                         off
sick  oidc  -         0      -                         https://id.example.com does not answer within 5 s
open  oidc  -         0      -                         on, without a secret
corp  saml  -         0      -                         on
`);
  expect(tellEntries('oidc', [])).toBe('');
  expect(
    tellEntries('oidc', [{ what: 'callback', value: 'https://gate.example.com/v1/webapi/oidc/callback/okta' }]),
  ).toBe('Enter at the provider:\n  callback address  https://gate.example.com/v1/webapi/oidc/callback/okta\n');
});
