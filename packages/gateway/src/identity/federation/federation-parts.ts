/** What trust between clusters needs of the floors above: a way to other clusters, and where they find this one. */
import type { ProviderFetches } from '../connectors/providers/provider-fetch.ts';

export interface FederationParts {
  fetches: ProviderFetches;
  /** Where other clusters find this one, and why they could not; `callerOrigin` is what whoever asks came by. */
  /** PEM of who vouches for the certificate it shows, where machines do not know them. */
  authority(): string | undefined;
  endpoint(callerOrigin: string): { origin: string; warning: string | undefined };
}
