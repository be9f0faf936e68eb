/** What a descriptor costs: it is as long as its provider likes, and wanted with every sign-in that anybody begins. */
import { expect, test } from 'vitest';
import { samlConnector, samlDeps } from '../../../../../../testing/connectors/saml-case.ts';
import { makeSamlKeys } from '../../../../../../testing/connectors/saml-keys.ts';
import { NAMESPACES } from '../xml/xml-tree.ts';
import { readEntityDescriptor } from './entity-descriptor.ts';
import { findProvider } from './find-provider.ts';

const { base64 } = await makeSamlKeys('idp', { from: Date.UTC(2026, 4, 31) });
const key = `<KeyDescriptor><KeyInfo xmlns="${NAMESPACES.signature}"><X509Certificate>${base64}</X509Certificate></KeyInfo></KeyDescriptor>`;

function descriptor({ keys = 1, more = 0 } = {}): string {
  return `<EntityDescriptor xmlns="${NAMESPACES.metadata}" entityID="idp"><IDPSSODescriptor protocolSupportEnumeration="${NAMESPACES.protocol}">${key.repeat(keys)}<SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://idp.example/sso"/>${'<x/>'.repeat(more)}</IDPSSODescriptor></EntityDescriptor>`;
}

test('a descriptor that is written down or fetched is read once, however many begin', async () => {
  let fetched = 0;
  const text = descriptor({ more: 40_000 });
  const deps = samlDeps({
    fetch: async () => {
      fetched++;
      return new Response(text);
    },
  });
  const connectors = [
    samlConnector({ entity_descriptor: text }),
    samlConnector({ entity_descriptor_url: 'https://idp.example/metadata' }),
  ];
  for (const connector of connectors) {
    const first = await findProvider(deps, connector);
    const again = await findProvider(deps, connector);

    // The very same: to read it anew would have made others.
    expect(again.certificates[0]).toBe(first.certificates[0]);
  }
  expect(fetched).toBe(1);
});

test.each([
  ['certificates', { keys: 17 }, 'names more than 16 certificates to sign with'],
  ['elements', { more: 100_000 }, 'cannot be read: it holds more than 100000 elements, attributes and texts'],
])('a descriptor with too many %s is refused in words', (_, many, words) => {
  expect(readEntityDescriptor(descriptor({ keys: 16, more: 50_000 }), undefined).certificates).toHaveLength(16);

  expect(() => readEntityDescriptor(descriptor(many), undefined)).toThrow(words);
});
