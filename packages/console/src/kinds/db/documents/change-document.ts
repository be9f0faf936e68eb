/** Changes of one document as commands, which are shown before they are sent. Each must find the document as it was shown, or does nothing. */
import {
  fieldOf,
  type MongoDocument,
  type MongoField,
  type MongoValue,
  mongoDocument,
} from '@gatehouse/contract/kinds/db/mongo/mongo-value';
import { writeMongo } from '@gatehouse/contract/kinds/db/mongo/write-mongo';

export interface CollectionName {
  database: string;
  collection: string;
}

/** `same`: nothing is different. `id`: it would be another document. `names`: fields that no update can name. */
export type Change = { text: string } | { why: 'same' | 'id' | 'names' };

const ONE: MongoValue = { is: 'int', text: '1' };
const NOTHING: MongoValue = { is: 'text', text: '' };
const HAS: MongoValue = { is: 'bool', value: true };
const HAS_NOT: MongoValue = { is: 'bool', value: false };

export function updateOf(where: CollectionName, old: MongoDocument, next: MongoDocument): Change {
  const id = fieldOf(old, '_id');
  if (!id || !isSame(fieldOf(next, '_id'), id)) return { why: 'id' };
  if (hasTwins(old) || hasTwins(next)) return { why: 'names' };
  const changed = next.fields.filter(({ name, value }) => !isSame(fieldOf(old, name), value));
  const removed = old.fields.filter(({ name }) => fieldOf(next, name) === undefined);
  if (changed.length + removed.length === 0) return { why: 'same' };
  if (![...changed, ...removed].every(({ name }) => isPlain(name))) return { why: 'names' };
  const before = [...changed, ...removed].map(({ name }) => ({ name, value: asItWas(fieldOf(old, name)) }));
  const update = documentOf([
    ...(changed.length > 0 ? [{ name: '$set', value: documentOf(changed) }] : []),
    ...(removed.length > 0
      ? [{ name: '$unset', value: documentOf(removed.map(({ name }) => ({ name, value: NOTHING }))) }]
      : []),
  ]);
  const q = documentOf([{ name: '_id', value: thatOne(id) }, ...before]);
  return written(where, 'update', 'updates', mongoDocument({ q, u: update }));
}

export function insertOf(where: CollectionName, document: MongoDocument): Change {
  return written(where, 'insert', 'documents', document);
}

export function deleteOf(where: CollectionName, old: MongoDocument): Change {
  const id = fieldOf(old, '_id');
  if (!id) return { why: 'id' };
  const rest = old.fields.filter(({ name }) => name !== '_id' && isPlain(name));
  const before = rest.map(({ name, value }) => ({ name, value: asItWas(value) }));
  const q = documentOf([{ name: '_id', value: thatOne(id) }, ...before]);
  return written(where, 'delete', 'deletes', mongoDocument({ q, limit: ONE }));
}

/** No server stores an id that is a question; one that lies would be asked for every document. */
function thatOne(id: MongoValue): MongoValue {
  return id.is === 'document' || id.is === 'regex' ? asItWas(id) : id;
}

/** As a comparison: a value may look like a question. */
function asItWas(value: MongoValue | undefined): MongoDocument {
  if (!value) return mongoDocument({ $exists: HAS_NOT });
  // A field that is not there would be equal to it.
  return value.is === 'null' ? mongoDocument({ $eq: value, $exists: HAS }) : mongoDocument({ $eq: value });
}

function written({ database, collection }: CollectionName, verb: string, list: string, what: MongoDocument): Change {
  const command = documentOf([
    { name: verb, value: { is: 'text', text: collection } },
    { name: list, value: { is: 'array', values: [what] } },
    { name: '$db', value: { is: 'text', text: database } },
  ]);
  return { text: writeMongo(command) };
}

function documentOf(fields: readonly MongoField[]): MongoDocument {
  return { is: 'document', fields };
}

function isSame(one: MongoValue | undefined, two: MongoValue): boolean {
  return one !== undefined && writeMongo(one) === writeMongo(two);
}

/** An update takes a point for a way into the document, and a dollar for something to do. */
function isPlain(name: string): boolean {
  return name !== '' && !name.includes('.') && !name.startsWith('$');
}

function hasTwins({ fields }: MongoDocument): boolean {
  return new Set(fields.map(({ name }) => name)).size < fields.length;
}
