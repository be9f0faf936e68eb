/** Server-side apply: who owns which field, and a conflict where somebody else owns one that would change. */
import {
  at,
  type Json,
  type JsonRecord,
  KubeFailure,
  type KubeObject,
  list,
  now,
  record,
  text,
} from './kube-object.ts';
import { keyOfList, strategicMerge } from './kube-patch.ts';
import type { KubeType } from './kube-types.ts';
import { apiVersionOf } from './kube-types.ts';

/** Nobody's: the server says them, or they say which object it is. */
const NOT_OWNED = new Set(['apiVersion', 'kind', 'status']);
const NOT_OWNED_METADATA = /^(name|namespace|uid|resourceVersion|generation|creationTimestamp|managedFields)$/;

export interface Apply {
  type: KubeType;
  manager: string;
  isForced: boolean;
  wanted: KubeObject;
  /** Nothing: it is made now. */
  there: KubeObject | undefined;
}

export function applyOnServer({ type, manager, isForced, wanted, there }: Apply): KubeObject {
  const owned = fieldsOf(wanted);
  const others = list(there?.metadata.managedFields)
    .map(record)
    .filter((entry) => entry.manager !== manager || entry.operation !== 'Apply');
  if (!isForced && there !== undefined) {
    const fought = others.flatMap((entry) =>
      pathsOf(record(entry.fieldsV1))
        .filter((path) => hasPath(owned, path) && !isSame(valueBy(there, path), valueBy(wanted, path)))
        .map((path) => ({
          reason: 'FieldManagerConflict',
          message: `conflict with "${text(entry.manager)}"${entry.operation === 'Update' ? ` using ${text(entry.apiVersion)}` : ''}`,
          field: path
            .map((step) => step.replace(/^[fk]:/, ''))
            .join('.')
            .replace(/^/, '.'),
        })),
    );
    if (fought.length > 0) {
      const many = fought.length === 1 ? '1 conflict' : `${fought.length} conflicts`;
      throw new KubeFailure(
        409,
        'Conflict',
        `Apply failed with ${many}: ${fought.map((each) => `${each.message}: ${each.field}`).join(', ')}`,
        { causes: fought },
      );
    }
  }
  const merged = strategicMerge(there ?? {}, wanted) as KubeObject;
  // Nobody is named who owns nothing any more.
  const left = others
    .map((entry) => (isForced ? { ...entry, fieldsV1: without(record(entry.fieldsV1), owned) } : entry))
    .filter((entry) => Object.keys(record(entry.fieldsV1)).length > 0);
  dropGivenUp(merged, there, manager, owned);
  merged.metadata.managedFields = [...left, entryOf(type, manager, 'Apply', owned)];
  return merged;
}

/** What one who writes the whole object or a patch now owns: what they owned and left, and what differs from before. */
export function noteUpdate(type: KubeType, manager: string, object: KubeObject, before: KubeObject | undefined): void {
  const all = fieldsOf(object);
  const changed = before === undefined ? all : without(all, sameFields(object, before));
  const old = list(object.metadata.managedFields ?? before?.metadata.managedFields).map(record);
  const isMine = (entry: JsonRecord) => entry.manager === manager && entry.operation === 'Update';
  const mine = record(old.find(isMine)?.fieldsV1);
  const kept = pathsOf(mine).filter((path) => path.at(-1) !== '.' && hasPath(all, path));
  const owned = withMaps(
    joined(
      kept.reduce<JsonRecord>((tree, path) => joined(tree, branch(path)), {}),
      changed,
    ),
  );
  object.metadata.managedFields = [
    ...old
      .filter((entry) => !isMine(entry))
      .map((entry) => ({ ...entry, fieldsV1: without(record(entry.fieldsV1), changed) }))
      .filter((entry) => Object.keys(entry.fieldsV1).length > 0),
    ...(Object.keys(owned).length === 0 ? [] : [entryOf(type, manager, 'Update', owned)]),
  ];
}

/** Who writes a map owns that it is there, too; the large parts of an object are there anyway. */
function withMaps(tree: JsonRecord, isTop = true): JsonRecord {
  const out: JsonRecord = {};
  for (const [key, below] of Object.entries(tree)) {
    const rest = withMaps(record(below), false);
    const isMap = Object.keys(rest).length > 0 && !(isTop && ['f:metadata', 'f:spec', 'f:status'].includes(key));
    const isList = Object.keys(rest).some((name) => name.startsWith('k:'));
    out[key] = isMap && !isList ? { '.': {}, ...rest } : rest;
  }
  return out;
}

function entryOf(type: KubeType, manager: string, operation: string, fieldsV1: JsonRecord): JsonRecord {
  return { manager, operation, apiVersion: apiVersionOf(type), time: now(), fieldsType: 'FieldsV1', fieldsV1 };
}

/** Fields as a tree: `f:` before a name, `k:` before what a member of a list is known by. */
function fieldsOf(object: KubeObject): JsonRecord {
  const { metadata, ...rest } = object;
  const top = Object.fromEntries(Object.entries(rest).filter(([key]) => !NOT_OWNED.has(key)));
  const meta = Object.fromEntries(Object.entries(metadata).filter(([key]) => !NOT_OWNED_METADATA.test(key)));
  return treeOf({ ...(Object.keys(meta).length === 0 ? {} : { metadata: meta }), ...top });
}

function treeOf(value: JsonRecord): JsonRecord {
  const tree: JsonRecord = {};
  for (const [key, each] of Object.entries(value)) {
    if (each === undefined) continue;
    const name = Array.isArray(each) ? keyOfList(key, each) : undefined;
    if (Array.isArray(each) && name !== undefined && each.length > 0) {
      tree[`f:${key}`] = Object.fromEntries(
        each.map((member) => [`k:${JSON.stringify({ [name]: at(member, name) })}`, treeOf(record(member))]),
      );
    } else tree[`f:${key}`] = each !== null && typeof each === 'object' && !Array.isArray(each) ? treeOf(each) : {};
  }
  return tree;
}

function pathsOf(tree: JsonRecord, before: readonly string[] = []): string[][] {
  return Object.entries(tree).flatMap(([key, below]) => {
    const path = [...before, key];
    return Object.keys(record(below)).length === 0 ? [path] : pathsOf(record(below), path);
  });
}

function hasPath(tree: JsonRecord, path: readonly string[]): boolean {
  return at(tree, ...path) !== undefined;
}

function valueBy(object: Json | undefined, path: readonly string[]): Json | undefined {
  let here = object;
  for (const step of path) {
    if (step.startsWith('f:')) here = at(here, step.slice(2));
    else {
      const [[name, value] = ['', null]] = Object.entries(JSON.parse(step.slice(2)) as JsonRecord);
      here = list(here).find((member) => at(member, name) === value);
    }
  }
  return here;
}

function isSame(a: Json | undefined, b: Json | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function sameFields(object: KubeObject, before: KubeObject): JsonRecord {
  return pathsOf(fieldsOf(object))
    .filter((path) => isSame(valueBy(object, path), valueBy(before, path)))
    .reduce<JsonRecord>((tree, path) => joined(tree, branch(path)), {});
}

function branch(path: readonly string[]): JsonRecord {
  return path.reduceRight<JsonRecord>((below, step) => ({ [step]: below }), {});
}

function joined(a: JsonRecord, b: JsonRecord): JsonRecord {
  const out: JsonRecord = { ...a };
  for (const [key, below] of Object.entries(b)) out[key] = joined(record(out[key]), record(below));
  return out;
}

function without(tree: JsonRecord, gone: JsonRecord): JsonRecord {
  const out: JsonRecord = {};
  for (const [key, below] of Object.entries(tree)) {
    const other = gone[key];
    if (other === undefined) out[key] = below;
    else {
      const rest = without(record(below), record(other));
      if (Object.keys(rest).length > 0) out[key] = rest;
    }
  }
  return out;
}

/** What this manager owned and does not want any more goes, unless somebody else owns it. */
function dropGivenUp(merged: KubeObject, there: KubeObject | undefined, manager: string, owned: JsonRecord): void {
  const entries = list(there?.metadata.managedFields).map(record);
  const mine = entries.find((entry) => entry.manager === manager && entry.operation === 'Apply');
  const others = entries.filter((entry) => entry !== mine);
  for (const path of pathsOf(record(mine?.fieldsV1))) {
    if (hasPath(owned, path) || others.some((entry) => hasPath(record(entry.fieldsV1), path))) continue;
    const parent = valueBy(merged, path.slice(0, -1));
    const last = path.at(-1) ?? '';
    if (last.startsWith('f:') && parent !== null && typeof parent === 'object' && !Array.isArray(parent)) {
      delete parent[last.slice(2)];
    }
  }
}
