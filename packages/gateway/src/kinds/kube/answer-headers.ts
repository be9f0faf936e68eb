/** Of the headers of a cluster's answer, what goes back to whoever asked. */
import { KUBE_DOOR } from '@gatehouse/contract/kinds/kube/kube-pass';
import { kubeDialAddress } from '@gatehouse/contract/kinds/kube/kube-spec';
import { endToEnd } from '../../reach/http/hop-by-hop.ts';
import type { ListedKube } from './listed-kube.ts';

/** Ours: the console is served under the same name, and nothing of a cluster may pass for a part of it. */
const GUARDS = ['x-content-type-options', 'nosniff', 'content-security-policy', "default-src 'none'; sandbox"];
const DROPPED: ReadonlySet<string> = new Set([
  ...['set-cookie', 'strict-transport-security', 'x-request-id', 'clear-site-data', 'refresh', 'www-authenticate'],
  ...GUARDS.filter((_, at) => at % 2 === 0),
]);

type Answering = Pick<ListedKube, 'address' | 'resource'>;

/** Names in lower case and values, in turn. */
export function answerHeaders(headers: readonly string[], cluster: Answering, requestId: string): string[] {
  return guardedHeaders(headers, (location) => throughDoor(location, cluster), requestId);
}

/** `through`: where clients are sent instead; undefined: nowhere. */
export function guardedHeaders(
  headers: readonly string[],
  through: (location: string) => string | undefined,
  requestId: string,
): string[] {
  const kept = endToEnd(headers);
  const out: string[] = [];
  for (let at = 0; at < kept.length; at += 2) {
    const name = kept[at]!;
    const value = name === 'location' ? through(kept[at + 1]!) : kept[at + 1]!;
    if (value !== undefined && !DROPPED.has(name)) out.push(name, value);
  }
  return [...out, ...GUARDS, 'x-request-id', requestId];
}

/** Clients show their pass wherever they are sent, to other hosts too: they are sent to this cluster through this door, or nowhere. */
function throughDoor(location: string, { address, resource }: Answering): string | undefined {
  if (!address) return undefined;
  const base = URL.parse(`https://${kubeDialAddress(address)}`);
  const meant = base && URL.parse(location, base.href);
  if (!meant || meant.origin !== base.origin || !meant.pathname.startsWith(`${address.path}/`)) return undefined;
  return `${KUBE_DOOR}${resource.name}${meant.pathname.slice(address.path.length)}${meant.search}`;
}
