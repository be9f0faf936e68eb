/** Creating, replacing, patching and deleting objects of the small cluster, with dry runs and who manages which fields. */
import { applyOnServer, noteUpdate } from './kube-apply.ts';
import {
  at,
  type Json,
  type JsonRecord,
  KubeFailure,
  type KubeObject,
  list,
  now,
  record,
  strings,
  text,
} from './kube-object.ts';
import { applyPatch, strategicMerge } from './kube-patch.ts';
import type { KubeTarget } from './kube-path.ts';
import { detailsOf, invalid, type KubeStore, notFound, type StoredObject, selects } from './kube-store.ts';
import { apiVersionOf, type KubeType, type KubeTypes } from './kube-types.ts';

export interface WriteOptions {
  store: KubeStore;
  types: KubeTypes;
  target: KubeTarget;
  body: Json;
  contentType: string;
  /** Who did it, where the request does not say: the first word of its User-Agent. */
  agent: string;
}

export interface Written {
  code: number;
  stored?: StoredObject;
  json?: JsonRecord;
}

const APPLY = 'application/apply-patch+yaml';

export function write(options: WriteOptions): Written {
  const { target } = options;
  if (target.verb === 'create') return create(options);
  if (target.verb === 'update') return update(options);
  if (target.verb === 'patch') return patch(options);
  if (target.verb === 'delete') return remove(options);
  return removeMany(options);
}

const isDry = ({ query }: KubeTarget) => query.get('dryRun') === 'All';
const managerOf = ({ target, agent }: WriteOptions) => target.query.get('fieldManager') ?? agent;

/** Held to what the path says; what a server sets by itself is added. */
function checked({ target: { type, namespace, name } }: WriteOptions, body: Json): KubeObject {
  // Who leaves them out means what the path says.
  const given: JsonRecord = { kind: type.kind, apiVersion: apiVersionOf(type), ...record(body) };
  const metadata = record(given.metadata);
  if (given.kind !== type.kind || given.apiVersion !== apiVersionOf(type)) {
    throw new KubeFailure(
      400,
      'BadRequest',
      `${text(given.kind)} in version "${text(given.apiVersion)}" cannot be handled as a ${type.kind}`,
    );
  }
  if (type.namespaced && text(metadata.namespace) !== '' && metadata.namespace !== namespace) {
    throw new KubeFailure(
      400,
      'BadRequest',
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  }
  if (name !== '' && text(metadata.name) !== name) {
    throw new KubeFailure(
      400,
      'BadRequest',
      `the name of the object (${text(metadata.name)}) does not match the name on the URL (${name})`,
    );
  }
  const { apiVersion, kind, metadata: _, ...rest } = given;
  return {
    kind: kind as string,
    apiVersion: apiVersion as string,
    metadata: { ...metadata, name: text(metadata.name), ...(type.namespaced ? { namespace } : {}) },
    ...rest,
  };
}

function create(options: WriteOptions): Written {
  const { store, target, body, types } = options;
  const { type, namespace } = target;
  const object = withDefaults(checked(options, body));
  if (type.namespaced) {
    const spaces = types.find('', 'v1', 'namespaces') as KubeType;
    if (!store.has(spaces, '', namespace)) throw notFound(spaces, namespace);
  }
  const wanted = text(object.metadata.name);
  if (wanted !== '' && !/^[a-z0-9:]([-a-z0-9.:]*[a-z0-9])?$/.test(wanted))
    throw invalid(type, wanted, 'metadata.name: Invalid value');
  noteUpdate(type, managerOf(options), object, undefined);
  return { code: 201, stored: store.create(type, JSON.parse(JSON.stringify(object)) as KubeObject, isDry(target)) };
}

function current({ store, target: { type, namespace, name } }: WriteOptions): StoredObject {
  return store.get(type, type.namespaced ? namespace : '', name);
}

function update(options: WriteOptions): Written {
  const { store, target, body } = options;
  if (target.subresource === 'scale') return scaled(options, current(options).object, body);
  const wanted = checked(options, body);
  const { object: before } = current(options);
  return { code: 200, stored: save(options, store, only(target, before, wanted), before) };
}

/** A subresource changes its own part, and the object everything but that. */
function only({ subresource }: KubeTarget, before: KubeObject, wanted: KubeObject): KubeObject {
  if (subresource === 'status') return { ...before, status: wanted.status };
  if (subresource === 'ephemeralcontainers') {
    const ephemeralContainers = at(wanted, 'spec', 'ephemeralContainers') ?? wanted.ephemeralContainers;
    return { ...before, spec: { ...record(before.spec), ephemeralContainers } };
  }
  return before.status === undefined ? wanted : { ...wanted, status: before.status };
}

function save(options: WriteOptions, store: KubeStore, object: KubeObject, before: KubeObject): StoredObject {
  const made = JSON.parse(JSON.stringify(object)) as KubeObject;
  noteUpdate(options.target.type, managerOf(options), made, before);
  return store.update(options.target.type, made, isDry(options.target));
}

function patch(options: WriteOptions): Written {
  const { store, target, body, contentType } = options;
  const { type, namespace, name, query } = target;
  const where = type.namespaced ? namespace : '';
  if (contentType.startsWith(APPLY)) {
    const wanted = checked(options, body);
    const there = store.has(type, where, name) ? store.get(type, where, name).object : undefined;
    const manager = query.get('fieldManager');
    if (manager === null)
      throw new KubeFailure(422, 'Invalid', 'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value');
    const merged = withDefaults(
      applyOnServer({ type, manager, isForced: query.get('force') === 'true', wanted, there }),
    );
    return there === undefined
      ? { code: 201, stored: store.create(type, merged, isDry(target)) }
      : { code: 200, stored: store.update(type, only(target, there, merged), isDry(target)) };
  }
  const { object: before } = current(options);
  if (target.subresource === 'scale') {
    return scaled(options, before, strategicMerge(scaleOf(type, before), record(body)));
  }
  const isCustom = contentType.startsWith('application/strategic') && !isBuiltIn(type);
  if (isCustom)
    throw new KubeFailure(
      415,
      'UnsupportedMediaType',
      'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
    );
  const wanted = applyPatch(contentType, before, body) as KubeObject;
  const isPart = target.subresource !== '';
  return { code: 200, stored: save(options, store, isPart ? only(target, before, wanted) : wanted, before) };
}

function isBuiltIn({ group }: KubeType): boolean {
  return !group.includes('.') || group.endsWith('.k8s.io');
}

export function scaleOf(type: KubeType, object: KubeObject): JsonRecord {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: at(object, 'spec', 'replicas') ?? 1 },
    status: { replicas: at(object, 'status', 'replicas') ?? 0, selector: type.plural },
  };
}

function scaled(options: WriteOptions, before: KubeObject, body: Json): Written {
  const replicas = at(body, 'spec', 'replicas') ?? 0;
  const stored = save(options, options.store, { ...before, spec: { ...record(before.spec), replicas } }, before);
  return { code: 200, json: scaleOf(options.target.type, stored.object) };
}

function remove({ store, target, body }: WriteOptions): Written {
  const { type, namespace, name } = target;
  const where = type.namespaced ? namespace : '';
  const wanted = at(body, 'preconditions', 'uid');
  const there = store.get(type, where, name);
  if (wanted !== undefined && wanted !== there.object.metadata.uid) {
    throw new KubeFailure(
      409,
      'Conflict',
      `the UID in the precondition (${String(wanted)}) does not match the UID in record`,
      detailsOf(type, name),
    );
  }
  const dry = isDry(target) || strings(at(body, 'dryRun')).includes('All');
  const gone = store.remove(type, where, name, dry);
  if (type.plural !== 'pods') {
    const details = { ...detailsOf(type, name), uid: gone.object.metadata.uid };
    return { code: 200, json: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details } };
  }
  const object = {
    ...gone.object,
    metadata: { ...gone.object.metadata, deletionTimestamp: now(), deletionGracePeriodSeconds: 0 },
  };
  return { code: 200, stored: { object, json: JSON.stringify(object) } };
}

function removeMany({ store, target }: WriteOptions): Written {
  const { type, namespace, query } = target;
  const isSelected = selects(query.get('labelSelector') ?? '', query.get('fieldSelector') ?? '');
  const gone = store
    .list(type, type.namespaced ? namespace : '')
    .filter(({ object }) => isSelected(object))
    .map(
      ({ object: { metadata } }) => store.remove(type, metadata.namespace ?? '', metadata.name, isDry(target)).object,
    );
  const items = gone.map(({ kind: _, apiVersion: __, ...rest }) => rest) as Json[];
  return {
    code: 200,
    json: {
      kind: `${type.kind}List`,
      apiVersion: apiVersionOf(type),
      metadata: { resourceVersion: String(store.revision) },
      items,
    },
  };
}

/** As much as programs look at. */
function withDefaults(object: KubeObject): KubeObject {
  const spec = record(object.spec);
  if (object.kind === 'Pod') {
    object.spec = {
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      serviceAccountName: 'default',
      nodeName: 'node-1',
      ...spec,
    };
    object.status ??= { phase: 'Pending', qosClass: 'BestEffort' };
  } else if (object.kind === 'Namespace') {
    object.spec = { finalizers: ['kubernetes'], ...spec };
    object.status = { phase: 'Active' };
  } else if (object.kind === 'Service') {
    object.spec = { type: 'ClusterIP', clusterIP: '10.96.0.10', sessionAffinity: 'None', ...spec };
    object.status ??= { loadBalancer: {} };
  } else if (object.kind === 'Secret') {
    object.type ??= 'Opaque';
    const plain = Object.entries(record(object.stringData)).map(([key, value]) => [
      key,
      Buffer.from(text(value)).toString('base64'),
    ]);
    if (plain.length > 0) object.data = { ...record(object.data), ...Object.fromEntries(plain) };
    delete object.stringData;
  } else if (['Deployment', 'ReplicaSet', 'StatefulSet'].includes(object.kind)) {
    object.spec = { replicas: 1, ...spec };
    object.status ??= {};
  }
  const containers = object.kind === 'Pod' ? list(at(object.spec, 'containers')).map(record) : [];
  for (const container of containers) container.imagePullPolicy ??= 'IfNotPresent';
  return object;
}
