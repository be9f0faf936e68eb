/** What the small cluster prints of each type: the columns of a Table, whose texts clients take as they are. */
import { at, type Json, type JsonRecord, type KubeObject, list, record, text } from './kube-object.ts';

export interface Column {
  name: string;
  type: 'string' | 'integer' | 'date';
  format?: string;
  /** Above 0: only for those who ask for more (`-o wide`). */
  priority?: number;
  cell(object: KubeObject): Json;
}

const name: Column = { name: 'Name', type: 'string', format: 'name', cell: ({ metadata }) => metadata.name };
const age: Column = { name: 'Age', type: 'string', cell: ({ metadata }) => ageOf(text(metadata.creationTimestamp)) };
const created: Column = {
  name: 'Created At',
  type: 'date',
  cell: ({ metadata }) => metadata.creationTimestamp ?? null,
};

export const NAME_AND_AGE: readonly Column[] = [name, created];

/** Without a format of its own a server prints name and age of a custom resource. */
export function customColumns(wanted: readonly JsonRecord[]): readonly Column[] {
  if (wanted.length === 0) return [name, { ...age, type: 'date' }];
  return [
    name,
    ...wanted.map(
      (column): Column => ({
        name: text(column.name),
        type: column.type === 'integer' || column.type === 'date' ? column.type : 'string',
        priority: Number(column.priority ?? 0),
        cell: (object) => valueAt(object, text(column.jsonPath), column.type === 'date'),
      }),
    ),
  ];
}

function valueAt(object: KubeObject, path: string, isDate: boolean): Json {
  const value = at(object, ...path.split(/[.[\]]+/).filter((step) => step !== ''));
  if (value === undefined) return isDate ? '<unknown>' : '<none>';
  return isDate ? ageOf(text(value)) : value;
}

/** As kubectl says it: in the largest unit, two of them where the first is small. */
export function ageOf(time: string): string {
  if (time === '') return '<unknown>';
  const seconds = Math.max(0, Math.floor((Date.now() - Date.parse(time)) / 1_000));
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const days = Math.floor(hours / 24);
  if (seconds < 120) return `${seconds}s`;
  if (minutes < 10) return two(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  if (hours < 8) return two(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  if (days < 8) return two(days, 'd', hours % 24, 'h');
  return days < 730 ? `${days}d` : `${Math.floor(days / 365)}y`;
}

function two(large: number, unit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${unit}` : `${large}${unit}${small}${smallUnit}`;
}

const count = (value: Json | undefined) => (typeof value === 'number' ? value : 0);
const path =
  (...steps: string[]) =>
  (object: KubeObject): Json =>
    at(object, ...steps) ?? '<none>';
const size =
  (...steps: string[]) =>
  (object: KubeObject): Json =>
    Object.keys(record(at(object, ...steps))).length + list(at(object, ...steps)).length;
const containers = (object: KubeObject) => list(at(object, 'spec', 'template', 'spec', 'containers'));
const images: readonly Column[] = [
  { name: 'Containers', type: 'string', priority: 1, cell: (object) => joined(containers(object), 'name') },
  { name: 'Images', type: 'string', priority: 1, cell: (object) => joined(containers(object), 'image') },
];
const selector: Column = {
  name: 'Selector',
  type: 'string',
  priority: 1,
  cell: (object) => pairs(at(object, 'spec', 'selector', 'matchLabels') ?? at(object, 'spec', 'selector')),
};

function joined(values: readonly Json[], key: string): string {
  return values.map((value) => text(at(value, key))).join(',');
}

function pairs(value: Json | undefined): string {
  const found = Object.entries(record(value)).map(([key, each]) => `${key}=${each}`);
  return found.length === 0 ? '<none>' : found.join(',');
}

function podStatus(pod: KubeObject): string {
  if (pod.metadata.deletionTimestamp !== undefined) return 'Terminating';
  for (const { state } of list(at(pod, 'status', 'containerStatuses')).map(record)) {
    const why = text(at(state, 'waiting', 'reason')) || text(at(state, 'terminated', 'reason'));
    if (why !== '') return why;
  }
  return text(at(pod, 'status', 'reason')) || text(at(pod, 'status', 'phase')) || 'Unknown';
}

function ports(service: KubeObject): string {
  const found = list(at(service, 'spec', 'ports')).map((port) => {
    const outside = at(port, 'nodePort');
    return `${at(port, 'port')}${outside === undefined ? '' : `:${outside}`}/${text(at(port, 'protocol')) || 'TCP'}`;
  });
  return found.length === 0 ? '<none>' : found.join(',');
}

const rolled = (key: string) => (object: KubeObject) => count(at(object, 'status', key));
const wanted = (object: KubeObject) => count(at(object, 'spec', 'replicas') ?? 1);

export const COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  pods: [
    name,
    {
      name: 'Ready',
      type: 'string',
      cell: (pod) => {
        const statuses = list(at(pod, 'status', 'containerStatuses'));
        return `${statuses.filter((each) => at(each, 'ready') === true).length}/${list(at(pod, 'spec', 'containers')).length}`;
      },
    },
    { name: 'Status', type: 'string', cell: podStatus },
    {
      name: 'Restarts',
      type: 'string',
      cell: (pod) =>
        String(
          list(at(pod, 'status', 'containerStatuses')).reduce<number>(
            (sum, each) => sum + count(at(each, 'restartCount')),
            0,
          ),
        ),
    },
    age,
    { name: 'IP', type: 'string', priority: 1, cell: path('status', 'podIP') },
    { name: 'Node', type: 'string', priority: 1, cell: path('spec', 'nodeName') },
    { name: 'Nominated Node', type: 'string', priority: 1, cell: path('status', 'nominatedNodeName') },
    { name: 'Readiness Gates', type: 'string', priority: 1, cell: () => '<none>' },
  ],
  namespaces: [name, { name: 'Status', type: 'string', cell: path('status', 'phase') }, age],
  nodes: [
    name,
    {
      name: 'Status',
      type: 'string',
      cell: (node) =>
        list(at(node, 'status', 'conditions')).some(
          (each) => at(each, 'type') === 'Ready' && at(each, 'status') === 'True',
        )
          ? 'Ready'
          : 'NotReady',
    },
    { name: 'Roles', type: 'string', cell: () => '<none>' },
    age,
    { name: 'Version', type: 'string', cell: path('status', 'nodeInfo', 'kubeletVersion') },
    {
      name: 'Internal-IP',
      type: 'string',
      priority: 1,
      cell: (node) => text(at(node, 'status', 'addresses', 0, 'address')) || '<none>',
    },
    { name: 'External-IP', type: 'string', priority: 1, cell: () => '<none>' },
    { name: 'OS-Image', type: 'string', priority: 1, cell: path('status', 'nodeInfo', 'osImage') },
    { name: 'Kernel-Version', type: 'string', priority: 1, cell: path('status', 'nodeInfo', 'kernelVersion') },
    {
      name: 'Container-Runtime',
      type: 'string',
      priority: 1,
      cell: path('status', 'nodeInfo', 'containerRuntimeVersion'),
    },
  ],
  services: [
    name,
    { name: 'Type', type: 'string', cell: path('spec', 'type') },
    { name: 'Cluster-IP', type: 'string', cell: path('spec', 'clusterIP') },
    { name: 'External-IP', type: 'string', cell: () => '<none>' },
    { name: 'Port(s)', type: 'string', cell: ports },
    age,
    selector,
  ],
  configmaps: [name, { name: 'Data', type: 'string', cell: size('data') }, age],
  secrets: [
    name,
    { name: 'Type', type: 'string', cell: path('type') },
    { name: 'Data', type: 'string', cell: size('data') },
    age,
  ],
  serviceaccounts: [name, { name: 'Secrets', type: 'string', cell: size('secrets') }, age],
  events: [
    { name: 'Last Seen', type: 'string', cell: (event) => ageOf(text(event.lastTimestamp)) },
    { name: 'Type', type: 'string', cell: path('type') },
    { name: 'Reason', type: 'string', cell: path('reason') },
    {
      name: 'Object',
      type: 'string',
      cell: ({ involvedObject }) =>
        `${text(at(involvedObject, 'kind')).toLowerCase()}/${text(at(involvedObject, 'name'))}`,
    },
    { name: 'Subobject', type: 'string', priority: 1, cell: path('involvedObject', 'fieldPath') },
    { name: 'Source', type: 'string', priority: 1, cell: path('source', 'component') },
    { name: 'Message', type: 'string', cell: path('message') },
    { name: 'First Seen', type: 'string', priority: 1, cell: (event) => ageOf(text(event.firstTimestamp)) },
    { name: 'Count', type: 'string', priority: 1, cell: path('count') },
    { ...name, priority: 1 },
  ],
  'deployments.apps': [
    name,
    { name: 'Ready', type: 'string', cell: (object) => `${rolled('readyReplicas')(object)}/${wanted(object)}` },
    { name: 'Up-to-date', type: 'string', cell: rolled('updatedReplicas') },
    { name: 'Available', type: 'string', cell: rolled('availableReplicas') },
    age,
    ...images,
    selector,
  ],
  'replicasets.apps': [
    name,
    { name: 'Desired', type: 'integer', cell: wanted },
    { name: 'Current', type: 'integer', cell: rolled('replicas') },
    { name: 'Ready', type: 'integer', cell: rolled('readyReplicas') },
    age,
    ...images,
    selector,
  ],
  'statefulsets.apps': [
    name,
    { name: 'Ready', type: 'string', cell: (object) => `${rolled('readyReplicas')(object)}/${wanted(object)}` },
    age,
    ...images,
  ],
  'daemonsets.apps': [
    name,
    { name: 'Desired', type: 'integer', cell: rolled('desiredNumberScheduled') },
    { name: 'Current', type: 'integer', cell: rolled('currentNumberScheduled') },
    { name: 'Ready', type: 'integer', cell: rolled('numberReady') },
    { name: 'Up-to-date', type: 'integer', cell: rolled('updatedNumberScheduled') },
    { name: 'Available', type: 'integer', cell: rolled('numberAvailable') },
    {
      name: 'Node Selector',
      type: 'string',
      cell: (object) => pairs(at(object, 'spec', 'template', 'spec', 'nodeSelector')),
    },
    age,
    ...images,
    selector,
  ],
  'jobs.batch': [
    name,
    {
      name: 'Completions',
      type: 'string',
      cell: (job) => `${rolled('succeeded')(job)}/${count(at(job, 'spec', 'completions') ?? 1)}`,
    },
    { name: 'Duration', type: 'string', cell: () => '' },
    age,
    ...images,
    selector,
  ],
  'clusterrolebindings.rbac.authorization.k8s.io': bindings(),
  'rolebindings.rbac.authorization.k8s.io': bindings(),
  'nodes.metrics.k8s.io': [name, age],
  'pods.metrics.k8s.io': [name, age],
};

function bindings(): readonly Column[] {
  const subjects = (kind: string) => (object: KubeObject) =>
    list(object.subjects)
      .filter((each) => at(each, 'kind') === kind)
      .map((each) => (kind === 'ServiceAccount' ? `${text(at(each, 'namespace'))}/` : '') + text(at(each, 'name')))
      .join(', ');
  return [
    name,
    {
      name: 'Role',
      type: 'string',
      cell: (object) => `${text(at(object, 'roleRef', 'kind'))}/${text(at(object, 'roleRef', 'name'))}`,
    },
    age,
    { name: 'Users', type: 'string', priority: 1, cell: subjects('User') },
    { name: 'Groups', type: 'string', priority: 1, cell: subjects('Group') },
    { name: 'ServiceAccounts', type: 'string', priority: 1, cell: subjects('ServiceAccount') },
  ];
}
