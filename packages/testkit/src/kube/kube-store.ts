/** The objects of the small cluster with their versions, in the order of their keys, and everything that happened to them, for watches. */
import { randomUUID } from 'node:crypto';
import { at, type JsonRecord, KubeFailure, type KubeObject, now } from './kube-object.ts';
import { type KubeType, resourceName } from './kube-types.ts';

/** What a watch can begin behind; who asks for older hears 410. */
const MAX_HISTORY = 20_000;

export interface StoredObject {
  object: KubeObject;
  /** The object as JSON, written once for all who list and watch it. */
  json: string;
}

export interface StoreChange {
  type: 'ADDED' | 'MODIFIED' | 'DELETED';
  revision: number;
  /** `deployments.apps` */
  of: string;
  stored: StoredObject;
  /** As it was: an object that leaves what somebody selects is told as deleted. */
  before: StoredObject | undefined;
}

export class KubeStore {
  #objects = new Map<string, Map<string, StoredObject>>();
  #sorted = new Map<string, readonly string[]>();
  #history: StoreChange[] = [];
  #listeners = new Set<(change: StoreChange) => void>();
  #revision = 1_000;
  #oldest = 1_000;
  /** Names of continued lists from before this are too old. */
  get oldest(): number {
    return this.#oldest;
  }
  get revision(): number {
    return this.#revision;
  }

  get(type: KubeType, namespace: string, name: string): StoredObject {
    const found = this.#of(type).get(keyOf(namespace, name));
    if (found === undefined) throw notFound(type, name);
    return found;
  }

  has(type: KubeType, namespace: string, name: string): boolean {
    return this.#of(type).has(keyOf(namespace, name));
  }

  /** In the order of their keys, as etcd gives them: by namespace, then by name. */
  list(type: KubeType, namespace: string, behind = ''): StoredObject[] {
    const objects = this.#of(type);
    const start = namespace === '' ? '' : `${namespace}/`;
    return this.#keys(type)
      .filter((key) => key.startsWith(start) && key > behind)
      .map((key) => objects.get(key) as StoredObject);
  }

  create(type: KubeType, given: KubeObject, isDry = false): StoredObject {
    const object = structuredClone(given);
    const { metadata } = object;
    if (typeof metadata.name !== 'string' || metadata.name === '') {
      const start = metadata.generateName;
      if (typeof start !== 'string') throw invalid(type, '', 'name or generateName is required');
      metadata.name = `${start}${randomUUID().slice(0, 5)}`;
    }
    const key = keyOf(metadata.namespace ?? '', metadata.name);
    if (this.#of(type).has(key)) {
      throw new KubeFailure(
        409,
        'AlreadyExists',
        `${resourceName(type)} "${metadata.name}" already exists`,
        detailsOf(type, metadata.name),
      );
    }
    metadata.uid = randomUUID();
    metadata.creationTimestamp = now();
    if (object.spec !== undefined && type.group !== '') metadata.generation = 1;
    return this.#write('ADDED', type, key, object, undefined, isDry);
  }

  update(type: KubeType, given: KubeObject, isDry = false): StoredObject {
    const object = structuredClone(given);
    const { metadata } = object;
    const before = this.get(type, metadata.namespace ?? '', metadata.name);
    const version = metadata.resourceVersion;
    if (version !== undefined && version !== '' && version !== before.object.metadata.resourceVersion) {
      throw new KubeFailure(
        409,
        'Conflict',
        `Operation cannot be fulfilled on ${resourceName(type)} "${metadata.name}": the object has been modified; please apply your changes to the latest version and try again`,
        detailsOf(type, metadata.name),
      );
    }
    metadata.uid = before.object.metadata.uid;
    metadata.creationTimestamp = before.object.metadata.creationTimestamp;
    const generation = before.object.metadata.generation;
    if (generation !== undefined) {
      const isSame = JSON.stringify(object.spec) === JSON.stringify(before.object.spec);
      metadata.generation = isSame ? generation : generation + 1;
    }
    metadata.resourceVersion = before.object.metadata.resourceVersion;
    if (JSON.stringify(object) === before.json) return before;
    return this.#write('MODIFIED', type, keyOf(metadata.namespace ?? '', metadata.name), object, before, isDry);
  }

  /** Changes what is there, without a version to hold it against. */
  change(type: KubeType, namespace: string, name: string, edit: (object: KubeObject) => void): StoredObject {
    const object = structuredClone(this.get(type, namespace, name).object);
    edit(object);
    return this.update(type, object);
  }

  remove(type: KubeType, namespace: string, name: string, isDry = false): StoredObject {
    const before = this.get(type, namespace, name);
    if (isDry) return before;
    const objects = this.#of(type);
    objects.delete(keyOf(namespace, name));
    this.#sorted.delete(resourceName(type));
    const object = structuredClone(before.object);
    return this.#tell('DELETED', type, object, before);
  }

  /** Everything behind a version, or nothing where that version is too old to tell. */
  since(type: KubeType, revision: number): StoreChange[] | undefined {
    if (revision < this.#oldest) return undefined;
    const name = resourceName(type);
    return this.#history.filter((change) => change.of === name && change.revision > revision);
  }

  onChange(listener: (change: StoreChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** As etcd does from time to time: what was before now cannot be watched or continued. */
  compact(): void {
    this.#history = [];
    this.#revision += 1;
    this.#oldest = this.#revision;
  }

  #of(type: KubeType): Map<string, StoredObject> {
    const name = resourceName(type);
    let found = this.#objects.get(name);
    if (found === undefined) {
      found = new Map();
      this.#objects.set(name, found);
    }
    return found;
  }

  #keys(type: KubeType): readonly string[] {
    const name = resourceName(type);
    let keys = this.#sorted.get(name);
    if (keys === undefined) {
      keys = [...this.#of(type).keys()].sort();
      this.#sorted.set(name, keys);
    }
    return keys;
  }

  #write(
    happened: StoreChange['type'],
    type: KubeType,
    key: string,
    object: KubeObject,
    before: StoredObject | undefined,
    isDry: boolean,
  ): StoredObject {
    if (isDry) return { object, json: JSON.stringify(object) };
    const stored = this.#tell(happened, type, object, before);
    this.#of(type).set(key, stored);
    if (before === undefined) this.#sorted.delete(resourceName(type));
    return stored;
  }

  #tell(
    happened: StoreChange['type'],
    type: KubeType,
    object: KubeObject,
    before: StoredObject | undefined,
  ): StoredObject {
    this.#revision += 1;
    object.metadata.resourceVersion = String(this.#revision);
    const stored = { object, json: JSON.stringify(object) };
    const change = { type: happened, revision: this.#revision, of: resourceName(type), stored, before };
    this.#history.push(change);
    if (this.#history.length > MAX_HISTORY) {
      const [first] = this.#history.splice(0, MAX_HISTORY / 2).slice(-1);
      this.#oldest = first?.revision ?? this.#oldest;
    }
    // Whoever hears of it may ask for the object at once.
    queueMicrotask(() => {
      for (const listener of [...this.#listeners]) listener(change);
    });
    return stored;
  }
}

function keyOf(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

export function detailsOf(type: KubeType, name: string): JsonRecord {
  return { ...(name === '' ? {} : { name }), ...(type.group === '' ? {} : { group: type.group }), kind: type.plural };
}

export function notFound(type: KubeType, name: string): KubeFailure {
  return new KubeFailure(404, 'NotFound', `${resourceName(type)} "${name}" not found`, detailsOf(type, name));
}

export function invalid(type: KubeType, name: string, why: string): KubeFailure {
  return new KubeFailure(
    422,
    'Invalid',
    `${type.kind}${type.group === '' ? '' : `.${type.group}`} "${name}" is invalid: ${why}`,
    {
      ...detailsOf(type, name),
      kind: type.kind,
    },
  );
}

/** Whether an object is among those that the selectors of a request name. */
export function selects(labelSelector: string, fieldSelector: string): (object: KubeObject) => boolean {
  const byLabel = labelSelector === '' ? [] : labelSelector.split(/,(?![^(]*\))/).map(labelRule);
  const byField = fieldSelector === '' ? [] : fieldSelector.split(',').map(fieldRule);
  return (object) => byLabel.every((rule) => rule(object)) && byField.every((rule) => rule(object));
}

type Rule = (object: KubeObject) => boolean;

function labelRule(given: string): Rule {
  const rule = given.trim();
  const labelOf = (object: KubeObject, key: string) => at(object.metadata.labels, key);
  const [, key = '', no, values = ''] = /^(\S+)\s+(not)?in\s*\(([^)]*)\)$/.exec(rule) ?? [];
  if (key !== '') {
    const among = values.split(',').map((value) => value.trim());
    return (object) => among.includes(String(labelOf(object, key) ?? '')) !== (no !== undefined);
  }
  const [, left = '', sign = '', right = ''] = /^([^=!]+)(==|!=|=)(.*)$/.exec(rule) ?? [];
  if (sign === '!=') return (object) => labelOf(object, left.trim()) !== right.trim();
  if (sign !== '') return (object) => labelOf(object, left.trim()) === right.trim();
  if (rule.startsWith('!')) return (object) => labelOf(object, rule.slice(1)) === undefined;
  return (object) => labelOf(object, rule) !== undefined;
}

const FIELDS =
  /^(metadata\.(name|namespace)|spec\.(nodeName|restartPolicy)|status\.(phase|podIP)|involvedObject\.\w+|type|reason)$/;

function fieldRule(rule: string): Rule {
  const [, path = '', sign = '', value = ''] = /^([^=!]+)(==|!=|=)(.*)$/.exec(rule) ?? [];
  if (!FIELDS.test(path)) throw new KubeFailure(400, 'BadRequest', `field label not supported: ${path || rule}`);
  return (object) => (String(at(object, ...path.split('.')) ?? '') === value) === (sign !== '!=');
}
