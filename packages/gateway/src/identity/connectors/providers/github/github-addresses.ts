/** Where GitHub is: the public one, a GitHub Enterprise server, or a tenant under ghe.com. */
import type { GithubDocument } from '@gatehouse/contract/identity/connectors/connector-document';

const PUBLIC = 'https://github.com';
const PUBLIC_API = 'https://api.github.com';

type Addresses = Pick<GithubDocument['spec'], 'endpoint_url' | 'api_endpoint_url'>;

/** Where people sign in and codes become tokens. */
export function endpointOf({ endpoint_url }: Addresses): string {
  return withoutSlash(endpoint_url ?? PUBLIC);
}

export function apiOf(spec: Addresses): string {
  const endpoint = new URL(endpointOf(spec));
  if (spec.api_endpoint_url !== undefined) return withoutSlash(spec.api_endpoint_url);
  if (endpoint.origin === PUBLIC) return PUBLIC_API;
  if (endpoint.hostname.endsWith('.ghe.com')) return `${endpoint.protocol}//api.${endpoint.host}`;
  return `${withoutSlash(endpoint.href)}/api/v3`;
}

/** Whether tokens of the public GitHub would be sent to somebody else. */
export function leavesPublic(spec: Addresses): boolean {
  return new URL(endpointOf(spec)).origin === PUBLIC && new URL(apiOf(spec)).origin !== PUBLIC_API;
}

function withoutSlash(address: string): string {
  return new URL(address).href.replace(/\/+$/, '');
}
