/** In which form an answer is wanted, and writing objects, lists and events of watches in it. */
import { createHash } from 'node:crypto';
import { type JsonRecord, KubeFailure, type KubeObject } from './kube-object.ts';
import type { StoredObject } from './kube-store.ts';
import { apiVersionOf, type KubeType } from './kube-types.ts';

export interface Form {
  as: 'object' | 'table' | 'metadata';
  /** Of the group `meta.k8s.io`. */
  version: string;
  /** What a row of a table holds of its object. */
  include: string;
}

/** The first that a client wants and this server has. */
export function formOf(accept: string | undefined, query: URLSearchParams): Form {
  const include = query.get('includeObject') ?? 'Metadata';
  for (const wanted of (accept ?? '*/*').split(',')) {
    const [media = '', ...parameters] = wanted.split(';').map((part) => part.trim());
    if (!['application/json', '*/*', 'application/*'].includes(media)) continue;
    const value = (name: string) => parameters.find((each) => each.startsWith(`${name}=`))?.slice(name.length + 1);
    const version = value('v') ?? 'v1';
    const as = value('as');
    if (as === undefined) return { as: 'object', version, include };
    if (value('g') !== 'meta.k8s.io' || !['v1', 'v1beta1'].includes(version)) continue;
    if (as === 'Table') return { as: 'table', version, include };
    if (as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList')
      return { as: 'metadata', version, include };
  }
  throw new KubeFailure(406, 'NotAcceptable', 'only the following media types are accepted: application/json');
}

export interface ListMeta {
  resourceVersion: string;
  continue?: string;
  remainingItemCount?: number;
}

export function printList(form: Form, type: KubeType, items: readonly StoredObject[], metadata: ListMeta): string {
  const meta = JSON.stringify(metadata);
  if (form.as === 'table') return tableOf(form, type, items, metadata, true);
  if (form.as === 'metadata') {
    const rows = items.map(({ object }) => JSON.stringify(metadataOf(form, object)));
    return `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/${form.version}","metadata":${meta},"items":[${rows}]}\n`;
  }
  // As a server writes it: the kind of the whole says that of each, which goes without.
  const rows = items.map(({ json }) => withoutKind(json));
  return `{"kind":"${type.kind}List","apiVersion":"${apiVersionOf(type)}","metadata":${meta},"items":[${rows}]}\n`;
}

export function printObject(form: Form, type: KubeType, stored: StoredObject): string {
  if (form.as === 'table') {
    return tableOf(form, type, [stored], { resourceVersion: stored.object.metadata.resourceVersion ?? '' }, true);
  }
  return form.as === 'metadata' ? `${JSON.stringify(metadataOf(form, stored.object))}\n` : `${stored.json}\n`;
}

/** A line of a watch. Only the first of a Table carries its columns. */
export function printEvent(
  form: Form,
  type: KubeType,
  happened: string,
  stored: StoredObject,
  isFirst: boolean,
): string {
  const version = { resourceVersion: stored.object.metadata.resourceVersion ?? '' };
  const object =
    form.as === 'table'
      ? tableOf(form, type, happened === 'BOOKMARK' ? [] : [stored], version, isFirst).trimEnd()
      : form.as === 'metadata'
        ? JSON.stringify(metadataOf(form, stored.object))
        : stored.json;
  return `{"type":"${happened}","object":${object}}\n`;
}

/** Objects in the store begin with these two, in this order. */
function withoutKind(json: string): string {
  return json
    .replace(/^\{"apiVersion":"[^"]*","kind":"[^"]*",/, '{')
    .replace(/^\{"kind":"[^"]*","apiVersion":"[^"]*",/, '{');
}

function metadataOf({ version }: Form, { metadata }: KubeObject): JsonRecord {
  return { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${version}`, metadata };
}

function tableOf(
  form: Form,
  type: KubeType,
  items: readonly StoredObject[],
  metadata: ListMeta,
  hasColumns: boolean,
): string {
  const columns = type.columns.map(({ name, type: kind, format = '', priority = 0 }) => ({
    name,
    type: kind,
    format,
    description: '',
    priority,
  }));
  const rows = items.map((stored) => {
    const cells = JSON.stringify(type.columns.map((column) => column.cell(stored.object)));
    if (form.include === 'None') return `{"cells":${cells}}`;
    const object = form.include === 'Object' ? stored.json : JSON.stringify(metadataOf(form, stored.object));
    return `{"cells":${cells},"object":${object}}`;
  });
  const head = `{"kind":"Table","apiVersion":"meta.k8s.io/${form.version}","metadata":${JSON.stringify(metadata)}`;
  return `${head},"columnDefinitions":${hasColumns ? JSON.stringify(columns) : 'null'},"rows":[${rows}]}\n`;
}

/** Where a list that was cut goes on. */
export function continueToken(revision: number, key: string): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start: key })).toString('base64url');
}

export function readContinue(token: string): { revision: number; key: string } {
  try {
    const { rv, start } = JSON.parse(Buffer.from(token, 'base64url').toString()) as { rv: number; start: string };
    return { revision: rv, key: start };
  } catch {
    throw new KubeFailure(400, 'BadRequest', 'continue key is not valid');
  }
}

/** A short name for what an object is made of, as ReplicaSets carry it. */
export function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 10);
}
