import { oidcDocument } from '@gatehouse/contract/identity/connectors/connector-document';
import { expect, test } from 'vitest';
import { scopesOf } from './begin.ts';
import { oidcProvider } from './oidc-provider.ts';

const documentOf = (spec: object = {}) =>
  oidcDocument.parse({
    kind: 'oidc',
    version: 'v3',
    metadata: { name: 'okta' },
    spec: {
      issuer_url: 'https://id.acme.example',
      client_id: 'gatehouse',
      claims_to_roles: [
        { claim: 'groups', value: 'admins', roles: ['editor'] },
        { claim: 'groups', value: '*', roles: ['access'] },
      ],
      ...spec,
    },
  });

test('entries are told by their places', () => {
  expect(oidcProvider.entries(documentOf()).map(({ path, value }) => [path, value])).toEqual([
    ['claims_to_roles[0]', 'admins'],
    ['claims_to_roles[1]', '*'],
  ]);
});

test('the callback names the connector unless the document says another', () => {
  const enter = (spec?: object) =>
    oidcProvider.enter({ name: 'okta', document: documentOf(spec) }, 'https://gate.example');

  expect(enter()).toEqual([
    { what: 'callback', value: 'https://gate.example/v1/webapi/oidc/callback/okta' },
    { what: 'backchannel', value: 'https://gate.example/v1/webapi/oidc/backchannel/okta' },
  ]);
  expect(enter({ sign_out_return: true }).at(-1)).toEqual({
    what: 'signout',
    value: 'https://gate.example/web/login',
  });
  expect(enter({ redirect_url: 'https://gate.example/v1/webapi/oidc/callback' })[0]?.value).toBe(
    'https://gate.example/v1/webapi/oidc/callback',
  );
});

test.each([
  [{}, []],
  [{ redirect_url: 'https://gate.example/v1/webapi/oidc/callback/okta' }, []],
  [{ redirect_url: 'https://gate.example/v1/webapi/oidc/callback/other' }, ['spec.redirect_url']],
  [{ redirect_url: 'https://gate.example/v1/webapi/oidc/callback?to=x' }, ['spec.redirect_url']],
  [{ redirect_url: 'https://gate.example/' }, ['spec.redirect_url']],
  [{ issuer_url: 'https://id.acme.example/.well-known/openid-configuration' }, ['spec.issuer_url']],
  [{ issuer_url: 'https://id.acme.example/?a=b' }, ['spec.issuer_url']],
  [{ prompt: 'none' }, ['spec.prompt']],
  [{ prompt: 'login consent' }, []],
])('problems of %j are %j', (spec, paths) => {
  expect(oidcProvider.check(documentOf(spec)).map(({ path }) => path.join('.'))).toEqual(paths);
});

test('another client or another address of answers is another voice, and what else is written is not', () => {
  const voice = (spec: object = {}) =>
    oidcProvider.voiceOf({ name: 'okta', document: documentOf(spec) }, 'https://gate.example');

  expect(voice({ redirect_url: 'https://gate.example/v1/webapi/oidc/callback/okta', display: 'Okta' })).toEqual(
    voice(),
  );
  expect(voice({ client_id: 'another' })).not.toEqual(voice());
  expect(voice({ redirect_url: 'https://gate.example/v1/webapi/oidc/callback' })).not.toEqual(voice());
});

test('scopes: openid always, groups and offline_access where the provider knows them', () => {
  expect(scopesOf({}, {})).toEqual(['openid', 'email', 'profile']);
  expect(scopesOf({}, { scopes_supported: ['openid', 'groups', 'offline_access'] })).toEqual([
    'openid',
    'email',
    'profile',
    'groups',
    'offline_access',
  ]);
  expect(scopesOf({ scope: ['email roles'] }, { scopes_supported: ['groups', 'offline_access'] })).toEqual([
    'openid',
    'email',
    'roles',
    'offline_access',
  ]);
});
