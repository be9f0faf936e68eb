/** What roles say of the objects of Kubernetes clusters: the verbs, and how each version of roles names kinds. */
import { z } from 'zod';
import { MAX_TEXT, text } from './role-values.ts';

export const KUBE_VERBS = [
  'get',
  'list',
  'watch',
  'create',
  'update',
  'patch',
  'delete',
  'deletecollection',
  'exec',
  'portforward',
  'proxy',
] as const;
export type KubeVerb = (typeof KUBE_VERBS)[number];

/** One object, or with an empty name a collection, and what is done to it. */
export interface KubeObject {
  /** Empty for the group of pods. */
  apiGroup: string;
  /** The plural, as it stands in paths. */
  resource: string;
  /** Empty outside namespaces. */
  namespace: string;
  name: string;
  verb: KubeVerb;
}

/** What may stand in an entry differs by the version of the role; the gateway says on which line. */
export const kubeObjectRule = z.strictObject({
  kind: text,
  api_group: z.string().max(MAX_TEXT).optional(),
  namespace: z.string().max(MAX_TEXT).optional(),
  name: text,
  verbs: z
    .array(z.enum([...KUBE_VERBS, '*']))
    .min(1)
    .max(20)
    .optional(),
});
export type KubeObjectRule = z.output<typeof kubeObjectRule>;

export interface KubeResource {
  resource: string;
  apiGroup: string;
  /** Lies outside namespaces. */
  isWide: boolean;
}

const inside = (resource: string, apiGroup = ''): KubeResource => ({ resource, apiGroup, isWide: false });
const wide = (resource: string, apiGroup = ''): KubeResource => ({ resource, apiGroup, isWide: true });
const RBAC = 'rbac.authorization.k8s.io';

/** Kinds as roles of version v7 name them. */
export const V7_KINDS: ReadonlyMap<string, KubeResource> = new Map([
  ['pod', inside('pods')],
  ['secret', inside('secrets')],
  ['configmap', inside('configmaps')],
  ['namespace', wide('namespaces')],
  ['service', inside('services')],
  ['serviceaccount', inside('serviceaccounts')],
  ['kube_node', wide('nodes')],
  ['persistentvolume', wide('persistentvolumes')],
  ['persistentvolumeclaim', inside('persistentvolumeclaims')],
  ['deployment', inside('deployments', 'apps')],
  ['replicaset', inside('replicasets', 'apps')],
  ['statefulset', inside('statefulsets', 'apps')],
  ['daemonset', inside('daemonsets', 'apps')],
  ['clusterrole', wide('clusterroles', RBAC)],
  ['kube_role', inside('roles', RBAC)],
  ['clusterrolebinding', wide('clusterrolebindings', RBAC)],
  ['rolebinding', inside('rolebindings', RBAC)],
  ['cronjob', inside('cronjobs', 'batch')],
  ['job', inside('jobs', 'batch')],
  ['certificatesigningrequest', wide('certificatesigningrequests', 'certificates.k8s.io')],
  ['ingress', inside('ingresses', 'networking.k8s.io')],
]);

/** Those in the group without a name: where one of them is meant, no group need be written. */
const CORE: readonly KubeResource[] = [
  ...['bindings', 'configmaps', 'endpoints', 'events', 'limitranges', 'persistentvolumeclaims', 'pods'],
  ...['podtemplates', 'replicationcontrollers', 'resourcequotas', 'secrets', 'serviceaccounts', 'services'],
]
  .map((resource) => inside(resource))
  .concat(['componentstatuses', 'namespaces', 'nodes', 'persistentvolumes'].map((resource) => wide(resource)));

export const CORE_RESOURCES: ReadonlyMap<string, KubeResource> = new Map(CORE.map((each) => [each.resource, each]));

/** One object can be had by several groups: a rule about one of them is a rule about all. What pods and nodes use is theirs. */
const SAME_GROUPS: ReadonlyMap<string, readonly string[]> = new Map([
  ['daemonsets', ['apps', 'extensions']],
  ['deployments', ['apps', 'extensions']],
  ['replicasets', ['apps', 'extensions']],
  ['ingresses', ['networking.k8s.io', 'extensions']],
  ['networkpolicies', ['networking.k8s.io', 'extensions']],
  ['podsecuritypolicies', ['policy', 'extensions']],
  ['events', ['', 'events.k8s.io']],
  ['pods', ['', 'metrics.k8s.io']],
  ['nodes', ['', 'metrics.k8s.io']],
]);

export function sameGroups(apiGroup: string, resource: string): readonly string[] {
  const groups = SAME_GROUPS.get(resource);
  return groups?.includes(apiGroup) ? groups : [apiGroup];
}
