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

interface Account {
  /** Of the service account, and of the roles that it is given. */
  name: string;
  namespace: string;
}

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

function binding({ name, namespace }: Account): KubeManifest {
  return {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name, labels: LABELS },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', name, namespace }],
  };
}

/** The account that acts as people, with its rights; in the order in which they must be made. */
export function accountManifests(groups: readonly string[], account: Account): KubeManifest[] {
  const { name, namespace } = account;
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels: LABELS } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace, labels: LABELS } },
    impersonator(groups, name),
    binding(account),
  ];
}

/** A token that does not end by itself: the cluster fills it in. Removing it, or the account, ends it. */
export function tokenSecret({ name, namespace }: Account): KubeManifest {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: `${name}-token`,
      namespace,
      labels: LABELS,
      annotations: { 'kubernetes.io/service-account.name': name },
    },
    type: 'kubernetes.io/service-account-token',
  };
}

/** Where its API has it: the collection, and what is created there. */
export function collectionOf({ apiVersion, kind, metadata: { namespace } }: KubeManifest): string {
  const base = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
  return `${base}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${kind.toLowerCase()}s`;
}
