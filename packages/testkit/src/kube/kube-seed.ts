/** What a new cluster has in it: namespaces, a node, and the roles that every cluster comes with. */
import type { JsonRecord, KubeObject } from './kube-object.ts';
import { gitVersionOf } from './kube-version.ts';

const RBAC = 'rbac.authorization.k8s.io';
const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'delete', 'deletecollection', 'patch', 'update'];
const CORE = [
  'configmaps',
  'endpoints',
  'events',
  'pods',
  'pods/log',
  'pods/status',
  'serviceaccounts',
  'services',
  'namespaces',
];
const EDITED = ['configmaps', 'endpoints', 'events', 'pods', 'secrets', 'serviceaccounts', 'services'];
const STREAMS = ['pods/attach', 'pods/exec', 'pods/portforward', 'pods/proxy', 'services/proxy'];
const APPS = [
  'daemonsets',
  'deployments',
  'deployments/scale',
  'replicasets',
  'replicasets/scale',
  'statefulsets',
  'statefulsets/scale',
];

const rule = (apiGroups: string[], resources: string[], verbs: string[]): JsonRecord => ({
  apiGroups,
  resources,
  verbs,
});
const view = [
  rule([''], CORE, READ),
  rule(['apps', 'batch'], [...APPS, 'jobs'], READ),
  rule(['metrics.k8s.io'], ['pods', 'nodes'], READ),
];
const edit = [
  ...view,
  rule([''], ['secrets'], READ),
  rule([''], EDITED, WRITE),
  rule([''], STREAMS, [...READ, ...WRITE]),
  rule(['apps', 'batch'], [...APPS, 'jobs'], WRITE),
];
const admin = [
  ...edit,
  rule([RBAC], ['roles', 'rolebindings'], [...READ, ...WRITE]),
  rule(['authorization.k8s.io'], ['localsubjectaccessreviews'], ['create']),
];
const everything = [rule(['*'], ['*'], ['*']), { nonResourceURLs: ['*'], verbs: ['*'] }];
const discovery = [
  {
    nonResourceURLs: [
      '/api',
      '/api/*',
      '/apis',
      '/apis/*',
      '/healthz',
      '/livez',
      '/openapi',
      '/openapi/*',
      '/readyz',
      '/version',
      '/version/',
    ],
    verbs: ['get'],
  },
];
const everybody = [
  rule(['authorization.k8s.io'], ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'], ['create']),
  rule(['authentication.k8s.io'], ['selfsubjectreviews'], ['create']),
];

export function clusterRole(name: string, rules: JsonRecord[]): KubeObject {
  return { kind: 'ClusterRole', apiVersion: `${RBAC}/v1`, metadata: { name }, rules };
}

export interface RoleSubject {
  kind: 'User' | 'Group' | 'ServiceAccount';
  name: string;
  namespace?: string;
}

/** In one namespace, or everywhere where none is named. */
export function binding(name: string, role: string, subject: RoleSubject, namespace?: string): KubeObject {
  const account = subject.kind === 'ServiceAccount';
  return {
    kind: namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
    apiVersion: `${RBAC}/v1`,
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: role },
    subjects: [
      {
        kind: subject.kind,
        name: subject.name,
        ...(account ? { namespace: subject.namespace ?? 'default' } : { apiGroup: RBAC }),
      },
    ],
  };
}

export function namespaceObject(name: string): KubeObject {
  return {
    kind: 'Namespace',
    apiVersion: 'v1',
    metadata: { name, labels: { 'kubernetes.io/metadata.name': name } },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  };
}

/** One container that runs nothing, unless it is told what. */
export function podObject(
  namespace: string,
  name: string,
  more: { labels?: JsonRecord; annotations?: JsonRecord; containers?: JsonRecord[] } = {},
): KubeObject {
  const { labels, annotations, containers = [{ name: 'main', image: 'example.test/app:1' }] } = more;
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      name,
      namespace,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec: { containers, restartPolicy: 'Always', nodeName: 'node-1', serviceAccountName: 'default' },
    status: { phase: 'Pending' },
  };
}

function node(minor: number): KubeObject {
  const condition = (type: string, status: string) => ({ type, status, reason: `Kubelet${type}`, message: '' });
  return {
    kind: 'Node',
    apiVersion: 'v1',
    metadata: { name: 'node-1', labels: { 'kubernetes.io/hostname': 'node-1', 'kubernetes.io/os': 'linux' } },
    spec: {},
    status: {
      addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
      capacity: { cpu: '2', memory: '4Gi', pods: '110' },
      allocatable: { cpu: '2', memory: '4Gi', pods: '110' },
      conditions: [condition('MemoryPressure', 'False'), condition('Ready', 'True')],
      nodeInfo: {
        kubeletVersion: gitVersionOf(minor),
        osImage: 'Debian GNU/Linux 12 (bookworm)',
        kernelVersion: '6.1.0',
        containerRuntimeVersion: 'containerd://1.6.20',
      },
    },
  };
}

export function firstObjects(minor: number): KubeObject[] {
  const all = { kind: 'Group', name: 'system:authenticated' } as const;
  return [
    ...['default', 'kube-system', 'kube-public', 'kube-node-lease'].map(namespaceObject),
    node(minor),
    clusterRole('cluster-admin', everything),
    clusterRole('admin', admin),
    clusterRole('edit', edit),
    clusterRole('view', view),
    clusterRole('system:discovery', discovery),
    clusterRole('system:basic-user', everybody),
    binding('system:discovery', 'system:discovery', all),
    binding('system:basic-user', 'system:basic-user', all),
  ];
}
