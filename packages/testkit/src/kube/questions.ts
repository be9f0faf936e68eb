/**
 * Questions that a real API server was asked, so that the small one can be held against its answers. What differs from run to run is
 * taken out of both: names of versions, times, marks. Texts that describe are the real one's own and are not kept.
 */
import { request } from 'node:https';
import { at, type Json, type JsonRecord, list, record, text } from './kube-object.ts';

export interface Question {
  name: string;
  method?: string;
  path: string;
  headers?: Readonly<Record<string, string>>;
  body?: Json;
  /** What of the answer is compared: all of it, its reason, its columns, its status, its events in any order, or the names of its fields. */
  hold?: 'all' | 'reason' | 'columns' | 'fields' | 'status' | 'events';
}

export interface Answer {
  code: number;
  type: string;
  body: Json;
}

export const SPACE = 'compared';
const MAPS = `/api/v1/namespaces/${SPACE}/configmaps`;
const TABLE = { Accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' };
const METADATA = { Accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json' };
const ANN = { 'Impersonate-User': 'ann' };
const map = (name: string, data: JsonRecord, more: JsonRecord = {}): JsonRecord => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: SPACE, ...more },
  data,
});
const patch = (kind: string) => ({ 'Content-Type': `application/${kind}` });
const apply = (manager: string, more = '') => `${MAPS}/applied?fieldManager=${manager}${more}`;
const review = (resourceAttributes: JsonRecord) => ({
  apiVersion: 'authorization.k8s.io/v1',
  kind: 'SelfSubjectAccessReview',
  spec: { resourceAttributes },
});
const tables = [
  '/api/v1/pods',
  '/api/v1/nodes',
  '/api/v1/services',
  '/api/v1/secrets',
  '/api/v1/serviceaccounts',
  '/api/v1/events',
  '/api/v1/namespaces',
  '/api/v1/configmaps',
  '/apis/apps/v1/deployments',
  '/apis/apps/v1/replicasets',
  '/apis/apps/v1/statefulsets',
  '/apis/apps/v1/daemonsets',
  '/apis/batch/v1/jobs',
  '/apis/rbac.authorization.k8s.io/v1/clusterroles',
  '/apis/rbac.authorization.k8s.io/v1/rolebindings',
  '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
];

/** In this order: later ones ask about what earlier ones made. */
export const QUESTIONS: readonly Question[] = [
  {
    name: 'make a namespace',
    method: 'POST',
    path: '/api/v1/namespaces',
    body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: SPACE } },
    hold: 'fields',
  },
  { name: 'make an object', method: 'POST', path: MAPS, body: map('a', { one: '1' }) },
  { name: 'make it twice', method: 'POST', path: MAPS, body: map('a', {}) },
  {
    name: 'make it where there is no namespace',
    method: 'POST',
    path: '/api/v1/namespaces/none/configmaps',
    body: { ...map('a', {}), metadata: { name: 'a' } },
  },
  {
    name: 'make it as another kind',
    method: 'POST',
    path: MAPS,
    body: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } },
    hold: 'reason',
  },
  {
    name: 'make it in another namespace',
    method: 'POST',
    path: '/api/v1/namespaces/default/configmaps',
    body: map('a', {}),
  },
  { name: 'make one with a bad name', method: 'POST', path: MAPS, body: map('Not_a_name', {}), hold: 'reason' },
  { name: 'make nothing', method: 'POST', path: `${MAPS}?dryRun=All`, body: map('dry', { one: '1' }) },
  { name: 'read it', path: `${MAPS}/a` },
  { name: 'read what was made dry', path: `${MAPS}/dry` },
  { name: 'read it as a table', path: `${MAPS}/a`, headers: TABLE },
  {
    name: 'read it as metadata',
    path: `${MAPS}/a`,
    headers: { Accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' },
  },
  { name: 'read it as something else', path: `${MAPS}/a`, headers: { Accept: 'text/xml' }, hold: 'reason' },
  { name: 'replace an old version', method: 'PUT', path: `${MAPS}/a`, body: map('a', {}, { resourceVersion: '1' }) },
  { name: 'replace it', method: 'PUT', path: `${MAPS}/a`, body: map('a', { one: '1', two: '2' }) },
  { name: 'replace another', method: 'PUT', path: `${MAPS}/b`, body: map('a', {}), hold: 'reason' },
  {
    name: 'merge into it',
    method: 'PATCH',
    path: `${MAPS}/a`,
    headers: patch('merge-patch+json'),
    body: { data: { two: null, three: '3' } },
  },
  {
    name: 'patch it by steps',
    method: 'PATCH',
    path: `${MAPS}/a`,
    headers: patch('json-patch+json'),
    body: [{ op: 'remove', path: '/data/three' }],
  },
  {
    name: 'patch it by steps that fail',
    method: 'PATCH',
    path: `${MAPS}/a`,
    headers: patch('json-patch+json'),
    body: [{ op: 'remove', path: '/data/none' }],
    hold: 'reason',
  },
  {
    name: 'patch it strategically',
    method: 'PATCH',
    path: `${MAPS}/a`,
    headers: patch('strategic-merge-patch+json'),
    body: { metadata: { labels: { app: 'a' } } },
  },
  {
    name: 'patch it in a way there is none',
    method: 'PATCH',
    path: `${MAPS}/a`,
    headers: patch('json'),
    body: {},
    hold: 'reason',
  },
  {
    name: 'apply one',
    method: 'PATCH',
    path: apply('me'),
    headers: patch('apply-patch+yaml'),
    body: map('applied', { one: '1' }),
  },
  {
    name: 'apply it as another',
    method: 'PATCH',
    path: apply('you'),
    headers: patch('apply-patch+yaml'),
    body: map('applied', { one: '2' }),
  },
  {
    name: 'apply it by force',
    method: 'PATCH',
    path: apply('you', '&force=true'),
    headers: patch('apply-patch+yaml'),
    body: map('applied', { one: '2' }),
  },
  {
    name: 'apply it as nobody',
    method: 'PATCH',
    path: `${MAPS}/applied`,
    headers: patch('apply-patch+yaml'),
    body: map('applied', {}),
    hold: 'reason',
  },
  { name: 'list them', path: MAPS },
  { name: 'list one of them', path: `${MAPS}?limit=1` },
  { name: 'list on from nowhere', path: `${MAPS}?limit=1&continue=nonsense`, hold: 'reason' },
  { name: 'list those with a label', path: `${MAPS}?labelSelector=app%3Da` },
  { name: 'list those without', path: `${MAPS}?labelSelector=%21app` },
  { name: 'list one by its field', path: `${MAPS}?fieldSelector=metadata.name%3Da` },
  { name: 'list by a field there is none', path: `${MAPS}?fieldSelector=spec.none%3Da`, hold: 'reason' },
  { name: 'list them as a table', path: MAPS, headers: TABLE },
  { name: 'list them as a table without objects', path: `${MAPS}?includeObject=None`, headers: TABLE },
  { name: 'list them as metadata', path: MAPS, headers: METADATA },
  { name: 'watch them', path: `${MAPS}?watch=true&timeoutSeconds=1`, hold: 'events' },
  {
    name: 'watch them by the old path',
    path: `/api/v1/watch/namespaces/${SPACE}/configmaps?timeoutSeconds=1`,
    hold: 'events',
  },
  { name: 'watch them as a table', path: `${MAPS}?watch=true&timeoutSeconds=1`, headers: TABLE, hold: 'events' },
  { name: 'delete one that is not there', method: 'DELETE', path: `${MAPS}/none` },
  { name: 'delete one', method: 'DELETE', path: `${MAPS}/a` },
  { name: 'delete the others', method: 'DELETE', path: `${MAPS}?labelSelector=none`, hold: 'fields' },
  { name: 'list as somebody', path: MAPS, headers: ANN },
  { name: 'read as somebody', path: `${MAPS}/a`, headers: ANN },
  { name: 'read from a group as somebody', path: '/apis/apps/v1/namespaces/default/deployments/a', headers: ANN },
  { name: 'list everywhere as somebody', path: '/apis/apps/v1/deployments', headers: ANN },
  { name: 'read a path as somebody', path: '/metrics', headers: ANN },
  { name: 'exec as somebody', method: 'POST', path: '/api/v1/namespaces/default/pods/p/exec?command=x', headers: ANN },
  { name: 'exec in no pod', method: 'POST', path: '/api/v1/namespaces/default/pods/p/exec?command=x&stdout=true' },
  {
    name: 'may ann',
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    headers: ANN,
    body: review({ verb: 'get', resource: 'pods', namespace: 'default' }),
    hold: 'status',
  },
  {
    name: 'may the master',
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    body: review({ verb: 'create', resource: 'pods', subresource: 'exec', namespace: 'default' }),
    hold: 'fields',
  },
  { name: 'use a method there is none', method: 'PUT', path: MAPS, body: {}, hold: 'reason' },
  { name: 'use an unknown resource', path: '/api/v1/none' },
  { name: 'use an unknown subresource', path: `${MAPS}/a/none` },
  ...tables.map(
    (path): Question => ({ name: `columns of ${path.split('/').at(-1)}`, path, headers: TABLE, hold: 'columns' }),
  ),
];

export interface Asker {
  url: string;
  ca: string;
  token: string;
}

export async function ask(
  { url, ca, token }: Asker,
  { method = 'GET', path, headers = {}, body }: Question,
): Promise<Answer> {
  const sent = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  const answer = await new Promise<{ code: number; type: string; body: string }>((resolve, reject) => {
    const asked = request(
      `${url}${path}`,
      {
        method,
        ca,
        agent: false,
        headers: {
          Authorization: `Bearer ${token}`,
          'User-Agent': 'questions/1',
          Accept: 'application/json',
          ...(sent === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': sent.length }),
          ...headers,
        },
      },
      (response) => {
        let heard = '';
        response.setEncoding('utf8');
        response.on('data', (part: string) => {
          heard += part;
        });
        response.on('end', () =>
          resolve({ code: response.statusCode ?? 0, type: response.headers['content-type'] ?? '', body: heard }),
        );
        response.on('error', reject);
      },
    );
    asked.on('error', reject);
    asked.end(sent);
  });
  return { code: answer.code, type: answer.type, body: steady(read(answer.body)) };
}

function read(body: string): Json {
  try {
    return JSON.parse(body) as Json;
  } catch {
    // A watch: a line for each event.
    const lines = body.split('\n').filter((line) => line !== '');
    try {
      return lines.map((line) => JSON.parse(line) as Json);
    } catch {
      return body.trimEnd();
    }
  }
}

const CHANGING = new Set(['uid', 'resourceVersion', 'creationTimestamp', 'time', 'lastTransitionTime', 'continue']);

/** Without what is another at each run, and without what only describes. */
function steady(value: Json | undefined): Json {
  if (Array.isArray(value)) return value.map(steady);
  if (value === null || typeof value !== 'object') return value ?? null;
  const kept = Object.entries(value)
    // Newer servers name a namespace by a label; 1.20 does not. A server of 1.20 writes what is not there as null.
    .filter(([key, each]) => key !== 'description' && key !== 'remainingItemCount' && each !== null)
    .map(([key, each]): [string, Json] => [
      key,
      CHANGING.has(key) && typeof each === 'string' && each !== '' ? `(${key})` : steady(each),
    ]);
  const cells = list(value.cells).map((cell) => (/^\d+[smhd]$/.test(String(cell)) ? '(age)' : cell));
  return Object.fromEntries(kept.map(([key, each]) => (key === 'cells' ? [key, cells] : [key, each])));
}

/** As much of an answer as a question holds the small cluster to. */
export function heldPart({ hold = 'all' }: Question, { code, type, body }: Answer): Json {
  if (hold === 'all') return { code, type, body };
  if (hold === 'reason') return { code, reason: text(at(body, 'reason')), kind: text(at(body, 'kind')) };
  if (hold === 'events') return { code, type, ...eventsOf(list(body)) };
  if (hold === 'status') return { code, type, status: at(body, 'status') ?? null };
  if (hold === 'fields') return { code, type, fields: Object.keys(record(body)).sort() };
  return list(at(body, 'columnDefinitions')) as Json;
}

/** A real server tells what is there in no order; which of its lines carry the columns of a table is told apart. */
function eventsOf(events: readonly Json[]): JsonRecord {
  const hasColumns = events.map((event) => at(event, 'object', 'columnDefinitions') !== undefined);
  const plain = events.map((event) => {
    const { columnDefinitions: _, ...object } = record(at(event, 'object'));
    return { ...record(event), object };
  });
  return {
    hasColumns,
    events: plain.toSorted((a, b) => (JSON.stringify(keyOf(a)) < JSON.stringify(keyOf(b)) ? -1 : 1)),
  };
}

function keyOf(event: Json): Json {
  return at(event, 'object', 'rows', 0, 'cells', 0) ?? at(event, 'object', 'metadata', 'name') ?? '';
}
