/** What an OpenID provider publishes about itself, believed only where it agrees with the connector. */
import { isLoopbackName, providerAddress } from '@gatehouse/contract/identity/connectors/connector-document';
import { z } from 'zod';
import { ProviderError } from '../provider-error.ts';
import type { ProviderMemory } from '../provider-memory.ts';
import { oidcTrouble, printable } from './oidc-trouble.ts';

const SETTINGS_MS = 10 * 60_000;

/** Never `none`, and nothing with a shared secret: whoever knows the client's would be everybody. */
export const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA'];

const names = z.array(z.string().max(1024)).max(1024).optional();

/** The rest is left out: what we do not know cannot change what the library does. */
const settings = z.object({
  issuer: z.string().min(1).max(2048),
  authorization_endpoint: providerAddress,
  token_endpoint: providerAddress,
  jwks_uri: providerAddress,
  userinfo_endpoint: providerAddress.optional(),
  end_session_endpoint: providerAddress.optional(),
  scopes_supported: names,
  prompt_values_supported: names,
  // A hint alone: what cannot be read of it keeps nobody out.
  claims_supported: names.catch(undefined),
  id_token_signing_alg_values_supported: names,
  userinfo_signing_alg_values_supported: names,
  token_endpoint_auth_methods_supported: names,
  authorization_response_iss_parameter_supported: z.boolean().optional(),
});
export type ProviderSettings = z.output<typeof settings>;

export interface Discovered {
  settings: ProviderSettings;
  /** For whoever tests the connector. */
  words: string;
}

/** Read once for as long as the provider's page is remembered. `maxAgeMs`: how long ago it may have answered. */
export async function discover(
  recall: ProviderMemory,
  issuer: string,
  maxAgeMs: number = SETTINGS_MS,
): Promise<Discovered> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const found = await recall.as(address, maxAgeMs, readSettings).catch((error: unknown) => {
    throw oidcTrouble('discovery', error);
  });
  // With and without a slash at its end, two issuers have one page.
  requireSameIssuer(issuer, found.settings.issuer, address);
  return found;
}

function readSettings(text: string, address: string): Discovered {
  const read = readObject(text, address);
  const parsed = settings.safeParse(read);
  if (!parsed.success) throw new ProviderError('discovery', unusable(address, parsed.error));
  requireAsSafe(address, parsed.data);
  return {
    settings: {
      ...parsed.data,
      id_token_signing_alg_values_supported: forIdTokens(parsed.data.id_token_signing_alg_values_supported),
      userinfo_signing_alg_values_supported: usable(parsed.data.userinfo_signing_alg_values_supported),
    },
    words: `found ${Object.keys(read).length} settings at ${address}`,
  };
}

function readObject(text: string, address: string): object {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    throw new ProviderError('discovery', `what lies at ${address} is not JSON`);
  }
  if (typeof read === 'object' && read !== null) return read;
  throw new ProviderError('discovery', `what lies at ${address} is not the settings of an OpenID provider`);
}

function unusable(address: string, { issues }: z.ZodError): string {
  const [first] = issues;
  return `the settings at ${address} cannot be used: ${printable(first?.path.join('.') ?? '')} ${first?.message ?? ''}`;
}

/** Exactly: tokens name the issuer as the settings do, and identities are kept under the name in the connector. */
function requireSameIssuer(wanted: string, found: string, address: string): void {
  if (found === wanted) return;
  const advice = found.includes('{tenantid}')
    ? "that stands for every tenant: write the address with your tenant's own id"
    : 'write issuer_url exactly so, if that is the provider you mean';
  throw new ProviderError('discovery', `the provider at ${address} calls itself '${printable(found)}': ${advice}`);
}

/** A provider far away could otherwise make the gateway speak to this machine, or let codes cross the network in the open. */
function requireAsSafe(published: string, found: ProviderSettings): void {
  const { protocol: wanted, hostname: home } = new URL(published);
  const { authorization_endpoint, token_endpoint, jwks_uri, userinfo_endpoint, end_session_endpoint } = found;
  const endpoints = { authorization_endpoint, token_endpoint, jwks_uri, userinfo_endpoint, end_session_endpoint };
  for (const [name, address] of Object.entries(endpoints)) {
    if (address === undefined) continue;
    const { protocol, hostname } = new URL(address);
    const isSafe = protocol === 'https:' || wanted === 'http:';
    if (!isSafe || (isLoopbackName(hostname) && !isLoopbackName(home)))
      throw new ProviderError('discovery', `${name} of the provider is '${printable(address)}', not a safe address`);
  }
}

function usable(announced: readonly string[] | undefined): string[] {
  return announced ? ALGORITHMS.filter((name) => announced.includes(name)) : ALGORITHMS;
}

function forIdTokens(announced: readonly string[] | undefined): string[] {
  const both = usable(announced);
  if (both.length > 0) return both;
  throw new ProviderError('discovery', `the provider signs with none of ${ALGORITHMS.join(', ')}`);
}
