/** Which types of objects the small cluster has, as its discovery tells them. Custom resources are added when their definition is. */
import { COLUMNS, type Column, customColumns, NAME_AND_AGE } from './kube-columns.ts';
import { at, type JsonRecord, type KubeObject, list, record, strings, text } from './kube-object.ts';

export interface Subresource {
  name: string;
  kind: string;
  verbs: readonly string[];
  /** Where its kind belongs to another group. */
  group?: string;
  version?: string;
}

export interface KubeType {
  group: string;
  version: string;
  plural: string;
  singular: string;
  kind: string;
  namespaced: boolean;
  verbs: readonly string[];
  shortNames?: readonly string[];
  categories?: readonly string[];
  subresources?: readonly Subresource[];
  columns: readonly Column[];
}

const ALL = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const CREATE = ['create'];
const READ = ['get', 'list'];
const STATUS = ['get', 'patch', 'update'];

type Row = Omit<KubeType, 'group' | 'version' | 'columns' | 'singular' | 'verbs'> & {
  verbs?: readonly string[];
  singular?: string;
};

function ofGroup(group: string, version: string, rows: readonly Row[]): KubeType[] {
  return rows.map((row) => ({
    singular: row.kind.toLowerCase(),
    verbs: ALL,
    ...row,
    group,
    version,
    columns: COLUMNS[group === '' ? row.plural : `${row.plural}.${group}`] ?? NAME_AND_AGE,
  }));
}

const status = (kind: string): Subresource => ({ name: 'status', kind, verbs: STATUS });
const scale: Subresource = {
  name: 'scale',
  kind: 'Scale',
  verbs: STATUS,
  group: 'autoscaling',
  version: 'v1',
};

const CORE = ofGroup('', 'v1', [
  { plural: 'configmaps', kind: 'ConfigMap', namespaced: true, shortNames: ['cm'] },
  { plural: 'endpoints', kind: 'Endpoints', singular: 'endpoints', namespaced: true, shortNames: ['ep'] },
  { plural: 'events', kind: 'Event', namespaced: true, shortNames: ['ev'] },
  {
    plural: 'namespaces',
    kind: 'Namespace',
    namespaced: false,
    shortNames: ['ns'],
    verbs: ALL.filter((verb) => verb !== 'deletecollection'),
    subresources: [status('Namespace')],
  },
  {
    plural: 'nodes',
    kind: 'Node',
    namespaced: false,
    shortNames: ['no'],
    subresources: [{ name: 'proxy', kind: 'NodeProxyOptions', verbs: [...CREATE, 'get'] }, status('Node')],
  },
  {
    plural: 'pods',
    kind: 'Pod',
    namespaced: true,
    shortNames: ['po'],
    categories: ['all'],
    subresources: [
      { name: 'attach', kind: 'PodAttachOptions', verbs: ['create', 'get'] },
      { name: 'ephemeralcontainers', kind: 'Pod', verbs: STATUS },
      { name: 'exec', kind: 'PodExecOptions', verbs: ['create', 'get'] },
      { name: 'log', kind: 'Pod', verbs: ['get'] },
      { name: 'portforward', kind: 'PodPortForwardOptions', verbs: ['create', 'get'] },
      { name: 'proxy', kind: 'PodProxyOptions', verbs: ['create', 'get'] },
      status('Pod'),
    ],
  },
  { plural: 'secrets', kind: 'Secret', namespaced: true },
  {
    plural: 'serviceaccounts',
    kind: 'ServiceAccount',
    namespaced: true,
    shortNames: ['sa'],
    subresources: [
      { name: 'token', kind: 'TokenRequest', verbs: CREATE, group: 'authentication.k8s.io', version: 'v1' },
    ],
  },
  {
    plural: 'services',
    kind: 'Service',
    namespaced: true,
    shortNames: ['svc'],
    categories: ['all'],
    subresources: [{ name: 'proxy', kind: 'ServiceProxyOptions', verbs: ['create', 'get'] }, status('Service')],
  },
]);

const WORKLOAD = { namespaced: true, categories: ['all'] };

const OTHERS = [
  ...ofGroup('apps', 'v1', [
    {
      ...WORKLOAD,
      plural: 'daemonsets',
      kind: 'DaemonSet',
      shortNames: ['ds'],
      subresources: [status('DaemonSet')],
    },
    {
      ...WORKLOAD,
      plural: 'deployments',
      kind: 'Deployment',
      shortNames: ['deploy'],
      subresources: [scale, status('Deployment')],
    },
    {
      ...WORKLOAD,
      plural: 'replicasets',
      kind: 'ReplicaSet',
      shortNames: ['rs'],
      subresources: [scale, status('ReplicaSet')],
    },
    {
      ...WORKLOAD,
      plural: 'statefulsets',
      kind: 'StatefulSet',
      shortNames: ['sts'],
      subresources: [scale, status('StatefulSet')],
    },
  ]),
  ...ofGroup('batch', 'v1', [{ ...WORKLOAD, plural: 'jobs', kind: 'Job', subresources: [status('Job')] }]),
  ...ofGroup('apiextensions.k8s.io', 'v1', [
    {
      plural: 'customresourcedefinitions',
      kind: 'CustomResourceDefinition',
      namespaced: false,
      shortNames: ['crd', 'crds'],
    },
  ]),
  ...ofGroup('authorization.k8s.io', 'v1', [
    { plural: 'localsubjectaccessreviews', kind: 'LocalSubjectAccessReview', namespaced: true, verbs: CREATE },
    { plural: 'selfsubjectaccessreviews', kind: 'SelfSubjectAccessReview', namespaced: false, verbs: CREATE },
    { plural: 'selfsubjectrulesreviews', kind: 'SelfSubjectRulesReview', namespaced: false, verbs: CREATE },
    { plural: 'subjectaccessreviews', kind: 'SubjectAccessReview', namespaced: false, verbs: CREATE },
  ]),
  ...ofGroup('metrics.k8s.io', 'v1beta1', [
    { plural: 'nodes', kind: 'NodeMetrics', singular: '', namespaced: false, verbs: READ },
    { plural: 'pods', kind: 'PodMetrics', singular: '', namespaced: true, verbs: READ },
  ]),
  ...ofGroup('rbac.authorization.k8s.io', 'v1', [
    { plural: 'clusterrolebindings', kind: 'ClusterRoleBinding', namespaced: false },
    { plural: 'clusterroles', kind: 'ClusterRole', namespaced: false },
    { plural: 'rolebindings', kind: 'RoleBinding', namespaced: true },
    { plural: 'roles', kind: 'Role', namespaced: true },
  ]),
];
/** Since 1.26; who one is to the cluster. */
const SELF_REVIEW = ofGroup('authentication.k8s.io', 'v1', [
  { plural: 'selfsubjectreviews', kind: 'SelfSubjectReview', namespaced: false, verbs: CREATE },
]);

/** Restarts were a number before servers told when the last one was. */
function asBefore(column: Column): Column {
  return column.name === 'Restarts' ? { ...column, type: 'integer', cell: (pod) => Number(column.cell(pod)) } : column;
}

export class KubeTypes {
  #types: KubeType[];
  readonly minor: number;
  constructor(minor: number) {
    this.minor = minor;
    const all = [...CORE, ...OTHERS, ...(minor >= 28 ? SELF_REVIEW : [])];
    this.#types = minor < 22 ? all.map((type) => ({ ...type, columns: type.columns.map(asBefore) })) : all;
  }

  all(): readonly KubeType[] {
    return this.#types;
  }

  find(group: string, version: string, plural: string): KubeType | undefined {
    return this.#types.find((type) => type.group === group && type.version === version && type.plural === plural);
  }

  ofObject({ apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>): KubeType | undefined {
    return this.#types.find((type) => type.kind === kind && apiVersionOf(type) === apiVersion);
  }

  /** A definition was written or removed: types follow it. */
  define(definition: KubeObject, isThere: boolean): void {
    const spec = record(definition.spec);
    const group = text(spec.group);
    const names = record(spec.names);
    this.#types = this.#types.filter((type) => type.group !== group || type.plural !== text(names.plural));
    if (!isThere) return;
    for (const version of list(spec.versions)) {
      if (at(version, 'served') === false) continue;
      this.#types.push({
        group,
        version: text(at(version, 'name')),
        plural: text(names.plural),
        singular: text(names.singular) || text(names.kind).toLowerCase(),
        kind: text(names.kind),
        namespaced: spec.scope !== 'Cluster',
        verbs: ALL,
        shortNames: strings(names.shortNames),
        categories: strings(names.categories),
        subresources: at(version, 'subresources', 'status') === undefined ? [] : [status(text(names.kind))],
        columns: customColumns(list(at(version, 'additionalPrinterColumns')).map(record) as JsonRecord[]),
      });
    }
  }
}

export function apiVersionOf({ group, version }: Pick<KubeType, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}

/** `pods`, `deployments.apps`: as messages of the server name a type. */
export function resourceName({ group, plural }: Pick<KubeType, 'group' | 'plural'>): string {
  return group === '' ? plural : `${plural}.${group}`;
}

/** Where an object of a type is, in the words of OpenAPI. */
export function objectPath(type: KubeType): string {
  const start = type.group === '' ? `/api/${type.version}` : `/apis/${apiVersionOf(type)}`;
  return `${start}${type.namespaced ? '/namespaces/{namespace}' : ''}/${type.plural}/{name}`;
}
