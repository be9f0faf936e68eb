/**
 * Reads bodies in the protobuf of Kubernetes, which kubectl since 1.32 sends for reviews and tokens even though it takes JSON: a server that
 * knows only JSON is none to it. Other kinds come from it as JSON and are refused here.
 */
import { type Json, type JsonRecord, KubeFailure } from './kube-object.ts';

/** Numbers of fields, as the published descriptions of these kinds have them. */
interface Shape {
  [number: number]: { name: string; is: 'text' | 'texts' | 'number' | Shape };
}

const texts = (...names: string[]): Shape =>
  Object.fromEntries(names.map((name, at) => [at + 1, { name, is: 'text' as const }]));
const ATTRIBUTES = texts('namespace', 'verb', 'group', 'version', 'resource', 'subresource', 'name');
const ACCESS: Shape = {
  1: { name: 'resourceAttributes', is: ATTRIBUTES },
  2: { name: 'nonResourceAttributes', is: texts('path', 'verb') },
  3: { name: 'user', is: 'text' },
  4: { name: 'groups', is: 'texts' },
};
const SPECS: Readonly<Record<string, Shape>> = {
  SelfSubjectAccessReview: ACCESS,
  SubjectAccessReview: ACCESS,
  SelfSubjectRulesReview: texts('namespace'),
  SelfSubjectReview: {},
  TokenRequest: { 1: { name: 'audiences', is: 'texts' }, 4: { name: 'expirationSeconds', is: 'number' } },
};
const MAGIC = Buffer.from('k8s\0');
const ENVELOPE: Shape = { 1: { name: 'type', is: texts('apiVersion', 'kind') } };
const RAW = 2;
const SPEC = 2;

export function readProtobuf(body: Buffer): Json {
  if (!body.subarray(0, MAGIC.length).equals(MAGIC)) throw unreadable('it does not begin as protobuf does');
  const fields = readFields(body.subarray(MAGIC.length));
  const { type } = shaped(ENVELOPE, fields) as { type?: { apiVersion?: string; kind?: string } };
  const shape = SPECS[type?.kind ?? ''];
  if (shape === undefined) throw unreadable(`a ${type?.kind} is taken as JSON alone`);
  const raw = fields.find(({ number }) => number === RAW)?.value;
  const spec = readFields(raw instanceof Buffer ? raw : Buffer.alloc(0)).find(({ number }) => number === SPEC)?.value;
  return {
    apiVersion: type?.apiVersion ?? '',
    kind: type?.kind ?? '',
    spec: spec instanceof Buffer ? shaped(shape, readFields(spec)) : {},
  };
}

interface Field {
  number: number;
  value: number | Buffer;
}

function readFields(bytes: Buffer): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++];
      if (byte === undefined) throw unreadable('it ends too early');
      value += (byte & 0x7f) * scale;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const number = Math.floor(tag / 8);
    if (tag % 8 === 0) fields.push({ number, value: varint() });
    else if (tag % 8 === 2) {
      const length = varint();
      if (at + length > bytes.length) throw unreadable('it ends too early');
      fields.push({ number, value: bytes.subarray(at, at + length) });
      at += length;
    } else throw unreadable(`wire type ${tag % 8}`);
  }
  return fields;
}

function shaped(shape: Shape, fields: readonly Field[]): JsonRecord {
  const found: JsonRecord = {};
  for (const { number, value } of fields) {
    const field = shape[number];
    if (field === undefined) continue;
    const { name, is } = field;
    if (is === 'number') found[name] = Number(value);
    else if (!(value instanceof Buffer)) continue;
    else if (is === 'text') found[name] = value.toString();
    else if (is === 'texts') found[name] = [...((found[name] as Json[] | undefined) ?? []), value.toString()];
    else found[name] = shaped(is, readFields(value));
  }
  return found;
}

function unreadable(why: string): KubeFailure {
  return new KubeFailure(415, 'UnsupportedMediaType', `the body of the request was in an unknown format: ${why}`);
}
