/** The collections that every cluster has, and how addresses of pages write any. */
import type { KubeCollection, KubeKindRow } from '@gatehouse/contract/kinds/kube/browse';

export interface KnownKind extends KubeCollection {
  kind: string;
  isNamespaced: boolean;
}

const known = (
  apiGroup: string,
  apiVersion: string,
  kinds: readonly (readonly [resource: string, kind: string])[],
  isNamespaced = true,
): KnownKind[] => kinds.map(([resource, kind]) => ({ apiGroup, apiVersion, resource, kind, isNamespaced }));

/** Not asked for: the versions that all servers of today have. */
const KNOWN: readonly KnownKind[] = [
  ...known('', 'v1', [
    ['pods', 'Pod'],
    ['services', 'Service'],
    ['configmaps', 'ConfigMap'],
    ['secrets', 'Secret'],
    ['serviceaccounts', 'ServiceAccount'],
    ['persistentvolumeclaims', 'PersistentVolumeClaim'],
    ['events', 'Event'],
  ]),
  ...known(
    '',
    'v1',
    [
      ['nodes', 'Node'],
      ['namespaces', 'Namespace'],
      ['persistentvolumes', 'PersistentVolume'],
    ],
    false,
  ),
  ...known('apps', 'v1', [
    ['deployments', 'Deployment'],
    ['statefulsets', 'StatefulSet'],
    ['daemonsets', 'DaemonSet'],
    ['replicasets', 'ReplicaSet'],
  ]),
  ...known('batch', 'v1', [
    ['jobs', 'Job'],
    ['cronjobs', 'CronJob'],
  ]),
  ...known('networking.k8s.io', 'v1', [['ingresses', 'Ingress']]),
];

/** What runs pods, in the order of the page. */
export const WORKLOADS: readonly KnownKind[] = KNOWN.filter(({ resource }) =>
  ['deployments', 'statefulsets', 'daemonsets', 'jobs', 'cronjobs'].includes(resource),
);

export const PODS = knownKind('pods');
export const EVENTS = knownKind('events');

function knownKind(slug: string): KnownKind {
  const found = KNOWN.find((kind) => kindSlug(kind) === slug);
  if (!found) throw new Error(`'${slug}' is no kind that every cluster has`);
  return found;
}

/** `pods`, `deployments.apps`: as kubectl takes them too. */
export function kindSlug({ apiGroup, resource }: Pick<KubeCollection, 'apiGroup' | 'resource'>): string {
  return apiGroup === '' ? resource : `${resource}.${apiGroup}`;
}

export function kindOfSlug(slug: string, found: readonly KubeKindRow[] = []): KnownKind | undefined {
  return KNOWN.find((kind) => kindSlug(kind) === slug) ?? found.find((kind) => kindSlug(kind) === slug);
}

/** By its name in another object: `ReplicaSet`. */
export function kindNamed(kind: string, found: readonly KubeKindRow[] = []): KnownKind | undefined {
  return KNOWN.find((each) => each.kind === kind) ?? found.find((each) => each.kind === kind);
}

export function isKnown(kind: Pick<KubeCollection, 'apiGroup' | 'resource'>): boolean {
  return KNOWN.some((each) => each.apiGroup === kind.apiGroup && each.resource === kind.resource);
}
