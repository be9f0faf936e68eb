import type { MongoDocument } from '@gatehouse/contract/kinds/db/mongo/mongo-value';
import { readMongo } from '@gatehouse/contract/kinds/db/mongo/read-mongo';
import { expect, test } from 'vitest';
import { deleteOf, insertOf, updateOf } from './change-document.ts';

const WHERE = { database: 'shop', collection: 'orders' };
const read = (text: string) => readMongo(text) as MongoDocument;

test('an update names what is different, and finds the document only as it was', () => {
  expect(
    updateOf(WHERE, read('{_id: 1, a: 1, b: null, c: {x: 1}, d: 1}'), read('{_id: 1, a: 2, b: 5, c: {x: 1}, e: []}')),
  ).toEqual({
    text: '{ update: "orders", updates: [{ q: { _id: 1, a: { $eq: 1 }, b: { $eq: null, $exists: true }, e: { $exists: false }, d: { $eq: 1 } }, u: { $set: { a: 2, b: 5, e: [] }, $unset: { d: "" } } }], $db: "shop" }',
  });
});

test('the kind of a number is a difference, the order of fields is none', () => {
  expect(updateOf(WHERE, read('{_id: 1, a: 1}'), read('{_id: 1, a: 1.0}'))).toMatchObject({
    text: expect.stringContaining('$set: { a: 1.0 }'),
  });
  expect(updateOf(WHERE, read('{_id: 1, a: 1, b: 2}'), read('{b: 2, a: 1, _id: 1}'))).toEqual({ why: 'same' });
});

test.each([
  ['{_id: 1}', '{_id: 2}', 'id'],
  ['{a: 1}', '{a: 2}', 'id'],
  ['{_id: 1}', '{_id: 1, "a.b": 1}', 'names'],
  ['{_id: 1}', '{_id: 1, $a: 1}', 'names'],
  ['{_id: 1}', '{_id: 1, a: 1, a: 2}', 'names'],
])('%s does not become %s', (old, next, why) => {
  expect(updateOf(WHERE, read(old), read(next))).toEqual({ why });
});

test('what is removed is one document with the values that were shown', () => {
  expect(deleteOf(WHERE, read('{_id: 1, a: RegExp("^x", "")}'))).toEqual({
    text: '{ delete: "orders", deletes: [{ q: { _id: 1, a: { $eq: RegExp("^x", "") } }, limit: 1 }], $db: "shop" }',
  });
  expect(deleteOf(WHERE, read('{a: 1}'))).toEqual({ why: 'id' });
});

test.each(['{ $gt: MinKey() }', 'RegExp("", "")', '{ a: 1 }'])('an id that is %s finds nothing but itself', (id) => {
  const old = read(`{_id: ${id}, a: 1}`);
  const text = expect.stringMatching(/q: \{ _id: \{ \$eq: /);
  expect(deleteOf(WHERE, old)).toEqual({ text });
  expect(updateOf(WHERE, old, read(`{_id: ${id}, a: 2}`))).toEqual({ text });
});

test('a new one is inserted as it was typed', () => {
  expect(insertOf(WHERE, read('{a: NumberLong(1)}'))).toEqual({
    text: '{ insert: "orders", documents: [{ a: NumberLong("1") }], $db: "shop" }',
  });
});
