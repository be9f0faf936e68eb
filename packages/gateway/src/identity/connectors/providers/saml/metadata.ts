/** What a SAML provider must know of this gateway, as XML it can import. Nothing in it is secret. */
import type { SamlDocument } from '@gatehouse/contract/identity/connectors/connector-document';
import { readCertificates } from './provider/certificates.ts';
import type { KeyPairField } from './provider/key-pairs.ts';
import { serviceOf } from './service.ts';
import { escapeXml, NAMESPACES } from './xml/xml-tree.ts';

const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';
/** What assertions are decrypted with, the best first. */
const ENCRYPTION_METHODS = [
  'http://www.w3.org/2009/xmlenc11#aes256-gcm',
  'http://www.w3.org/2009/xmlenc11#aes128-gcm',
  'http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p',
];

export function serviceMetadata(connector: { name: string; document: SamlDocument }, origin: string): string {
  const { spec } = connector.document;
  const { entity, acs } = serviceOf(connector, origin);
  const nameIdFormat =
    spec.subject_attribute === undefined ? `\n    <md:NameIDFormat>${PERSISTENT}</md:NameIDFormat>` : '';
  return `<?xml version="1.0" encoding="UTF-8"?>
<md:EntityDescriptor xmlns:md="${NAMESPACES.metadata}" entityID="${escapeXml(entity)}">
  <md:SPSSODescriptor AuthnRequestsSigned="${spec.signing_key_pair !== undefined}" WantAssertionsSigned="true" protocolSupportEnumeration="${NAMESPACES.protocol}">${keyDescriptor(spec, 'signing_key_pair')}${keyDescriptor(spec, 'assertion_key_pair')}${nameIdFormat}
    <md:AssertionConsumerService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="${escapeXml(acs)}" index="0" isDefault="true"/>
  </md:SPSSODescriptor>
</md:EntityDescriptor>
`;
}

function keyDescriptor(spec: SamlDocument['spec'], field: KeyPairField): string {
  const pair = spec[field];
  if (!pair) return '';
  const base64 = readCertificates(pair.cert)[0]!.raw.toString('base64');
  const isForEncryption = field === 'assertion_key_pair';
  const methods = isForEncryption
    ? ENCRYPTION_METHODS.map((method) => `<md:EncryptionMethod Algorithm="${method}"/>`).join('')
    : '';
  return `
    <md:KeyDescriptor use="${isForEncryption ? 'encryption' : 'signing'}"><ds:KeyInfo xmlns:ds="${NAMESPACES.signature}"><ds:X509Data><ds:X509Certificate>${base64}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>${methods}</md:KeyDescriptor>`;
}
