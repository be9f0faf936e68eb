/** What this gateway is called towards a provider. What is not written down is the address that answers are taken at, as in older connectors. */
import type { SamlDocument } from '@gatehouse/contract/identity/connectors/connector-document';

export interface Service {
  acs: string;
  entity: string;
  audience: string;
  metadata: string;
}

export function serviceOf({ name, document }: { name: string; document: SamlDocument }, origin: string): Service {
  const { spec } = document;
  const acs = spec.acs ?? `${origin}/v1/webapi/saml/acs/${encodeURIComponent(name)}`;
  const entity = spec.service_provider_issuer ?? acs;
  return {
    acs,
    entity,
    audience: spec.audience ?? entity,
    metadata: `${origin}/v1/webapi/saml/metadata/${encodeURIComponent(name)}`,
  };
}
