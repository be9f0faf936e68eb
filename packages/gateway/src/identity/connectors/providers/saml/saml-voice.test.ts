/** Who speaks for a SAML provider, to whom and where: what of a document counts as that. */
import { expect, test } from 'vitest';
import { ORIGIN, samlConnector } from '../../../../../testing/connectors/saml-case.ts';
import { samlProvider } from './saml-provider.ts';

test.each([
  ['https://gate.example/v1/webapi/saml/acs/acme', []],
  ['https://gate.example/v1/webapi/saml/acs', []],
  ['https://gate.example/v1/webapi/saml/acs/other', ['spec.acs']],
  ['https://gate.example/v1/webapi/saml/acs?to=x', ['spec.acs']],
  ['https://gate.example/acs', ['spec.acs']],
])('the acs %s has problems at %j', (acs, paths) => {
  const { document } = samlConnector({ entity_descriptor_url: 'https://idp.example/d', acs });

  expect(samlProvider.check(document).map(({ path }) => path.join('.'))).toEqual(paths);
});

test.each([
  ['acs', { acs: 'https://gate.example/v1/webapi/saml/acs' }],
  ['audience', { audience: 'urn:other' }],
  ['service_provider_issuer', { service_provider_issuer: 'urn:other' }],
  ['subject_attribute', { subject_attribute: 'mail' }],
  ['issuer', { issuer: 'urn:other' }],
])('another %s is another voice', (_, spec) => {
  const voice = (more: object = {}) =>
    samlProvider.voiceOf(samlConnector({ entity_descriptor_url: 'https://idp.example/d', ...more }), ORIGIN);

  expect(voice(spec)).not.toEqual(voice());
  expect(voice({ acs: 'https://gate.example/v1/webapi/saml/acs/acme', display: 'Acme' })).toEqual(voice());
});

test('a certificate is the same one however its lines are broken', () => {
  const voice = (cert: string) =>
    samlProvider.voiceOf(samlConnector({ issuer: 'urn:idp', sso: 'https://idp.example/sso', cert }), ORIGIN);

  expect(voice('-----BEGIN CERTIFICATE-----\nAAAA\n')).toEqual(voice('-----BEGIN CERTIFICATE-----\r\nAAAA'));
  expect(voice('AAAA')).not.toEqual(voice('BBBB'));
});
