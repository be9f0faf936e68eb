/** Patches as clients send them: JSON patch, merge patch and strategic merge. */
import { at, type Json, type JsonRecord, KubeFailure, list, record, text } from './kube-object.ts';

/** Lists whose members are known by one of their fields; all others are replaced as a whole. */
const KEYS: Readonly<Record<string, string>> = {
  containers: 'name',
  initContainers: 'name',
  ephemeralContainers: 'name',
  env: 'name',
  volumes: 'name',
  volumeMounts: 'mountPath',
  ports: 'containerPort',
  conditions: 'type',
  imagePullSecrets: 'name',
  ownerReferences: 'uid',
  taints: 'key',
};

export function keyOfList(field: string, members: readonly Json[]): string | undefined {
  // Ports of a service are known by `port`, those of a container by `containerPort`.
  const key = field === 'ports' && members.some((each) => at(each, 'port') !== undefined) ? 'port' : KEYS[field];
  return members.every((each) => key !== undefined && at(each, key) !== undefined) ? key : undefined;
}

export function applyPatch(contentType: string, target: JsonRecord, patch: Json): JsonRecord {
  const media = contentType.split(';')[0]?.trim();
  if (media === 'application/merge-patch+json') return record(mergePatch(target, patch));
  if (media === 'application/strategic-merge-patch+json') return strategicMerge(target, record(patch));
  if (media === 'application/json-patch+json') return jsonPatch(target, list(patch));
  throw new KubeFailure(415, 'UnsupportedMediaType', `the body of the request was in an unknown format: ${media}`);
}

function mergePatch(target: Json | undefined, patch: Json): Json {
  if (patch === null || typeof patch !== 'object' || Array.isArray(patch)) return patch;
  const merged: JsonRecord = { ...record(target) };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || value === undefined) delete merged[key];
    else merged[key] = mergePatch(merged[key], value);
  }
  return merged;
}

export function strategicMerge(target: JsonRecord, patch: JsonRecord): JsonRecord {
  const { $patch: directive, ...rest } = patch;
  if (directive === 'replace') return rest;
  const merged: JsonRecord = { ...target };
  const kept = list(rest.$retainKeys).map(String);
  if (kept.length > 0) for (const key of Object.keys(merged)) if (!kept.includes(key)) delete merged[key];
  for (const [key, value] of Object.entries(rest)) {
    if (key.startsWith('$setElementOrder/') || key === '$retainKeys') continue;
    if (key.startsWith('$deleteFromPrimitiveList/')) {
      const field = key.slice('$deleteFromPrimitiveList/'.length);
      const gone = list(value);
      merged[field] = list(merged[field]).filter((each) => !gone.includes(each));
    } else if (value === null || value === undefined) delete merged[key];
    else if (Array.isArray(value)) merged[key] = mergeLists(key, list(merged[key]), value);
    else if (typeof value === 'object') {
      if (value.$patch === 'delete') delete merged[key];
      else merged[key] = strategicMerge(record(merged[key]), value);
    } else merged[key] = value;
  }
  return merged;
}

function mergeLists(field: string, old: readonly Json[], wanted: readonly Json[]): Json[] {
  if (wanted.some((each) => at(each, '$patch') === 'replace'))
    return wanted.filter((each) => at(each, '$patch') === undefined);
  const key = keyOfList(field, wanted);
  if (key === undefined) return [...wanted];
  const merged = [...old];
  for (const each of wanted.map(record)) {
    const found = merged.findIndex((other) => at(other, key) === each[key]);
    if (each.$patch === 'delete') {
      if (found >= 0) merged.splice(found, 1);
    } else if (found >= 0) merged[found] = strategicMerge(record(merged[found]), each);
    else merged.push(each);
  }
  return merged;
}

function jsonPatch(target: JsonRecord, steps: readonly Json[]): JsonRecord {
  const root = { document: structuredClone(target) as Json };
  for (const step of steps.map(record)) {
    const path = pointer(text(step.path));
    if (step.op === 'add') place(root, path, step.value ?? null, true);
    else if (step.op === 'replace') place(root, path, step.value ?? null, false);
    else if (step.op === 'remove') remove(root, path);
    else if (step.op === 'copy' || step.op === 'move') {
      const from = pointer(text(step.from));
      const value = structuredClone(at(root.document, ...from));
      if (value === undefined) throw cannot(`there is nothing at ${text(step.from)}`);
      if (step.op === 'move') remove(root, from);
      place(root, path, value, true);
    } else if (step.op === 'test') {
      if (JSON.stringify(at(root.document, ...path)) !== JSON.stringify(step.value)) {
        throw cannot(`testing value ${text(step.path)} failed`);
      }
    } else throw cannot(`unexpected operation ${String(step.op)}`);
  }
  return record(root.document);
}

function pointer(path: string): string[] {
  return path
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function place(root: { document: Json }, path: readonly string[], value: Json, isNew: boolean): void {
  const last = path.at(-1);
  if (last === undefined) {
    root.document = value;
    return;
  }
  const parent = at(root.document, ...path.slice(0, -1));
  if (Array.isArray(parent)) {
    const index = last === '-' ? parent.length : Number(last);
    parent.splice(index, isNew ? 0 : 1, value);
  } else if (parent !== null && typeof parent === 'object') {
    if (!isNew && parent[last] === undefined) throw cannot(`there is nothing at /${path.join('/')}`);
    parent[last] = value;
  } else throw cannot(`there is nothing at /${path.slice(0, -1).join('/')}`);
}

function remove(root: { document: Json }, path: readonly string[]): void {
  const last = path.at(-1) ?? '';
  const parent = at(root.document, ...path.slice(0, -1));
  if (at(parent, last) === undefined) throw cannot(`there is nothing at /${path.join('/')}`);
  if (Array.isArray(parent)) parent.splice(Number(last), 1);
  else if (parent !== null && typeof parent === 'object') delete parent[last];
}

function cannot(why: string): KubeFailure {
  return new KubeFailure(422, 'Invalid', `the server rejected our request due to an error in our request: ${why}`, {});
}
