/** What a Kubernetes cluster is given so that the gateway may act as people there, as objects of its API: the one file they come from, whoever applies them. */

/** An object of Kubernetes, as its API takes it. */
export interface KubeManifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string>; annotations?: Record<string, string> };
  [more: string]: unknown;
}

/** Everything of ours in a cluster is called so, and lies in the namespace of this name. */
export const KUBE_ACCOUNT = 'gatehouse';

const ANY = '*';
const RBAC = 'rbac.authorization.k8s.io';
const LABELS = { 'app.kubernetes.io/managed-by': 'gatehouse' };

/**
 * Acting as people, and nothing else. Groups are named one by one: whoever may take any group takes `system:masters`, which may do
 * everything. Users have no such power by themselves, and are not known beforehand.
 */
export function impersonator(groups: readonly string[], name = KUBE_ACCOUNT): KubeManifest {
  const group = { apiGroups: [''], resources: ['groups'], verbs: ['impersonate'] };
  const named = groups.includes(ANY) ? group : { ...group, resourceNames: [...groups] };
  return {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRole',
    metadata: { name, labels: LABELS },
    rules: [{ apiGroups: [''], resources: ['users'], verbs: ['impersonate'] }, ...(groups.length > 0 ? [named] : [])],
  };
}

/** The account that acts as people, with its rights, in the order in which they must be made. What is of the whole cluster is called as the namespace: a second gateway takes another. */
export function accountManifests(groups: readonly string[], namespace = KUBE_ACCOUNT): KubeManifest[] {
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels: LABELS } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: KUBE_ACCOUNT, namespace, labels: LABELS } },
    impersonator(groups, namespace),
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: namespace, labels: LABELS },
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: namespace },
      subjects: [{ kind: 'ServiceAccount', name: KUBE_ACCOUNT, namespace }],
    },
  ];
}

/** A token that does not end by itself: the cluster fills it in. Removing it, or the account, ends it. */
export function tokenSecret(namespace = KUBE_ACCOUNT): KubeManifest {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: `${KUBE_ACCOUNT}-token`,
      namespace,
      labels: LABELS,
      annotations: { 'kubernetes.io/service-account.name': KUBE_ACCOUNT },
    },
    type: 'kubernetes.io/service-account-token',
  };
}

/** Where its API has it: the collection, and what is created there. */
export function collectionOf({ apiVersion, kind, metadata: { namespace } }: KubeManifest): string {
  const base = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
  return `${base}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${kind.toLowerCase()}s`;
}
