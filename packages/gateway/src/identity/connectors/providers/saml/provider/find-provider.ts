/** Who the provider of a connector is: written down in it, described by its entity descriptor, or fetched and kept for a few minutes. */
import type { SamlDocument } from '@gatehouse/contract/identity/connectors/connector-document';
import { AppError } from '../../../../../platform/std/app-error.ts';
import type { OpenConnector, ProviderDeps } from '../../provider.ts';
import { ProviderError } from '../../provider-error.ts';
import type { ProviderMemory } from '../../provider-memory.ts';
import { CertificateRefused, readCertificates, validCertificates } from './certificates.ts';
import { DescriptorRefused, type IdentityProvider, readEntityDescriptor } from './entity-descriptor.ts';

const DESCRIPTOR_MS = 5 * 60_000;

/** `maxAgeMs`: how long ago it may have answered, where it has to be fetched. */
export async function findProvider(
  deps: ProviderDeps,
  connector: OpenConnector<'saml'>,
  { maxAgeMs = DESCRIPTOR_MS, isSparing = false }: { maxAgeMs?: number; isSparing?: boolean | undefined } = {},
): Promise<IdentityProvider> {
  try {
    const provider = await described(deps, connector, { maxAgeMs, isSparing });
    if (provider.validUntil !== undefined && provider.validUntil <= deps.now())
      throw new DescriptorRefused(
        `said that it holds until ${new Date(provider.validUntil).toISOString()}: get a newer one`,
      );
    return { ...provider, certificates: validCertificates(provider.certificates, deps.now()) };
  } catch (cause) {
    if (cause instanceof CertificateRefused)
      throw new ProviderError('settings', `the provider of '${connector.name}' ${cause.message}`, { cause });
    if (cause instanceof DescriptorRefused)
      throw new ProviderError('discovery', `the entity descriptor ${cause.message}`, { cause });
    throw cause;
  }
}

async function described(
  deps: ProviderDeps,
  connector: OpenConnector<'saml'>,
  { maxAgeMs, isSparing }: { maxAgeMs: number; isSparing: boolean },
): Promise<IdentityProvider> {
  const { document, facts } = connector;
  const { issuer, entity_descriptor_url: url } = document.spec;
  // Anybody may begin a sign-in: what an administrator wrote is read once for all of them.
  const written = deps.memo(document, writtenProvider);
  if (written) return written;
  if (url === undefined)
    throw new ProviderError('settings', 'no provider is described: give issuer, sso and cert, or an entity descriptor');
  const provider = await fetchProvider(
    isSparing ? deps.recall.sparing : deps.recall,
    url,
    maxAgeMs,
    deps.memo(document, readerFor),
  );
  // Without an issuer in the document, whoever answers first is the one: the address must not become somebody else later.
  if (issuer === undefined && typeof facts.entity === 'string' && facts.entity !== provider.issuer)
    throw new DescriptorRefused(
      `at '${url}' is now of '${provider.issuer}', and was of '${facts.entity}' before: write the one that is meant as 'issuer'`,
    );
  return provider;
}

/** Nothing where it has to be fetched. */
export function writtenProvider({ spec }: SamlDocument): IdentityProvider | undefined {
  const { issuer, sso, cert, entity_descriptor: descriptor } = spec;
  if (descriptor !== undefined) return readEntityDescriptor(descriptor, issuer);
  if (issuer === undefined || sso === undefined || cert === undefined) return undefined;
  return { issuer, sso, certificates: readCertificates(cert), wantsSignedRequests: false, validUntil: undefined };
}

/** The same for one document, so that what was fetched is read once. */
function readerFor({ spec }: SamlDocument): (text: string) => IdentityProvider {
  return (text) => readEntityDescriptor(text, spec.issuer);
}

async function fetchProvider(
  recall: ProviderMemory,
  url: string,
  maxAgeMs: number,
  read: (text: string) => IdentityProvider,
): Promise<IdentityProvider> {
  try {
    return await recall.as(url, maxAgeMs, read);
  } catch (cause) {
    if (cause instanceof AppError) throw new ProviderError('discovery', cause.message, { cause });
    throw cause;
  }
}
