/** Requests by which servers make an object that is not there, though they are called otherwise. */
import type { KubeRequest } from './kube-request.ts';

/** Of these a PUT makes what is missing: servers allow it for each kind by itself, and for no others of their own. */
const MADE_BY_PUT: ReadonlySet<string> = new Set([
  ...['/endpoints', '/events', '/limitranges', '/services', 'events.k8s.io/events', 'coordination.k8s.io/leases'],
  ...['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'].map(
    (each) => `rbac.authorization.k8s.io/${each}`,
  ),
]);

/** `headers`: names and values in turn. */
export function makesAbsent({ verb, method, apiGroup, resource }: KubeRequest, headers: readonly string[]): boolean {
  if (verb === 'update') return MADE_BY_PUT.has(`${apiGroup}/${resource}`);
  if (method !== 'PATCH') return false;
  const at = headers.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'content-type');
  return at >= 0 && headers[at + 1]!.trim().toLowerCase().startsWith('application/apply-patch');
}
