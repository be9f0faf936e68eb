/** What a provider says of itself: its name, where browsers are sent, and what it signs with. Trusted like the place it came from. */
import type { X509Certificate } from 'node:crypto';
import { providerAddress } from '@gatehouse/contract/identity/connectors/connector-document';
import { readXml, type XmlElement, XmlRefused } from '../xml/read-xml.ts';
import { attributeOf, childrenOf, everyElement, isElement, NAMESPACES } from '../xml/xml-tree.ts';
import { CertificateRefused, MAX_CERTIFICATES, readCertificates } from './certificates.ts';

/** Those of whole federations have some ten thousand; what holds more is no description of anybody. */
const MAX_NODES = 100_000;
const REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';

export interface IdentityProvider {
  issuer: string;
  sso: string;
  certificates: readonly X509Certificate[];
  /** Whether it says that it takes only signed requests. */
  wantsSignedRequests: boolean;
  /** When it says that this may not be used any longer. */
  validUntil: number | undefined;
}

/** Its message continues a sentence that names the descriptor. */
export class DescriptorRefused extends Error {
  override name = 'DescriptorRefused';
}

/** `issuer` chooses where several providers are described. */
export function readEntityDescriptor(text: string, issuer: string | undefined): IdentityProvider {
  try {
    return fromElement(entityOf(readXml(text, { comments: 'skipped', maxNodes: MAX_NODES }), issuer));
  } catch (cause) {
    if (cause instanceof XmlRefused || cause instanceof CertificateRefused)
      throw new DescriptorRefused(
        cause instanceof XmlRefused ? `cannot be read: ${cause.message}` : `names a certificate that ${cause.message}`,
        { cause },
      );
    throw cause;
  }
}

function entityOf(root: XmlElement, issuer: string | undefined): XmlElement {
  const described = everyElement(root).filter(
    (element) => isElement(element, 'metadata', 'EntityDescriptor') && identityProviders(element).length > 0,
  );
  if (described.length === 0)
    throw new DescriptorRefused('describes no identity provider of SAML 2.0 (IDPSSODescriptor)');
  const fitting =
    issuer === undefined ? described : described.filter((element) => attributeOf(element, 'entityID') === issuer);
  const names = described
    .map((element) => `'${attributeOf(element, 'entityID')}'`)
    .slice(0, 5)
    .join(', ');
  if (fitting.length === 0) throw new DescriptorRefused(`describes ${names}, not '${issuer}'`);
  if (fitting.length > 1) throw new DescriptorRefused(`describes several providers (${names}): say which by 'issuer'`);
  return fitting[0]!;
}

function identityProviders(entity: XmlElement): XmlElement[] {
  return childrenOf(entity, 'metadata', 'IDPSSODescriptor').filter((role) =>
    attributeOf(role, 'protocolSupportEnumeration')?.split(/\s+/).includes(NAMESPACES.protocol),
  );
}

function fromElement(entity: XmlElement): IdentityProvider {
  const [role] = identityProviders(entity);
  const issuer = attributeOf(entity, 'entityID');
  if (!role || !issuer) throw new DescriptorRefused('describes a provider without a name (entityID)');
  const sso = childrenOf(role, 'metadata', 'SingleSignOnService')
    .filter((service) => attributeOf(service, 'Binding') === REDIRECT)
    .map((service) => attributeOf(service, 'Location') ?? '')[0];
  if (sso === undefined) throw new DescriptorRefused('names no address for HTTP-Redirect (SingleSignOnService)');
  if (!providerAddress.safeParse(sso).success)
    throw new DescriptorRefused(`sends browsers to '${sso.slice(0, 200)}', which is not an https:// address`);
  const written = childrenOf(role, 'metadata', 'KeyDescriptor')
    .filter((key) => (attributeOf(key, 'use') ?? 'signing') === 'signing')
    .flatMap(everyElement)
    .filter((element) => isElement(element, 'signature', 'X509Certificate'));
  // Before any is read: each is tried with every answer.
  if (written.length > MAX_CERTIFICATES)
    throw new DescriptorRefused(`names more than ${MAX_CERTIFICATES} certificates to sign with`);
  const certificates = written.flatMap(({ text }) => readCertificates(text));
  if (certificates.length === 0) throw new DescriptorRefused('names no certificate to sign with (KeyDescriptor)');
  const ends = [entity, role].flatMap((element) => Date.parse(attributeOf(element, 'validUntil') ?? '') || []);
  return {
    issuer,
    sso,
    certificates,
    wantsSignedRequests: attributeOf(role, 'WantAuthnRequestsSigned') === 'true',
    validUntil: ends.length === 0 ? undefined : Math.min(...ends),
  };
}
