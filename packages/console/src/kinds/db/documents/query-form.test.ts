import { readMongo } from '@gatehouse/contract/kinds/db/mongo/read-mongo';
import { expect, test } from 'vitest';
import { countText, emptyForm, formOfText, isReading, textOfForm, wrongIn } from './query-form.ts';

const WORDS = {
  needsDocument: 'a document',
  needsList: 'a list',
  needsNumber: 'a number',
  needsCollection: 'a collection',
};
const FORM = { ...emptyForm('shop'), collection: 'orders' };

test('fields make a command, and the command makes the same fields', () => {
  const form = { ...FORM, filter: "{state: 'new'}", sort: '{ _id: -1 }', limit: '20' };
  const text = textOfForm(form);
  expect(text).toBe(`{ find: "orders", filter: {state: 'new'}, sort: { _id: -1 }, limit: 20, $db: "shop" }`);
  expect(formOfText(text, 'other')).toEqual(form);
  const piped = { ...FORM, mode: 'aggregate' as const, pipeline: '[\n  { $match: {} } // all\n]' };
  expect(formOfText(textOfForm(piped), 'other')).toEqual(piped);
});

test('a comment at the end of a field takes nothing of the others with it', () => {
  const text = textOfForm({ ...FORM, filter: '{ a: 1 } // one' });
  expect(formOfText(text, '')).toMatchObject({ filter: '{ a: 1 }', limit: '50', database: 'shop' });
  expect(readMongo(countText({ ...FORM, filter: '{ a: 1 } // one' })).is).toBe('document');
});

test.each([
  '{ find: "orders", hint: "x" }',
  '{ find: 5 }',
  '{ aggregate: "orders", pipeline: [], cursor: { batchSize: 5 } }',
  '{ find: "a", find: "b" }',
  '{ ping: 1 }',
  'not a command',
])('%s stays a command as it stands', (text) => {
  const form = formOfText(text, 'shop');
  expect(form).toMatchObject({ mode: 'command', command: text });
  expect(textOfForm(form)).toBe(text);
});

test('nothing chosen is nothing to keep', () => {
  expect(textOfForm(emptyForm('shop'))).toBe('');
  expect(formOfText('  ', 'shop')).toEqual(emptyForm('shop'));
});

test('what is wrong is said of its field, and where', () => {
  expect(wrongIn(FORM, WORDS)).toBe(undefined);
  expect(wrongIn({ ...FORM, collection: '' }, WORDS)).toMatchObject({ field: 'collection' });
  expect(wrongIn({ ...FORM, filter: '{a: b}' }, WORDS)).toMatchObject({ field: 'filter', position: 4 });
  expect(wrongIn({ ...FORM, filter: '[1]' }, WORDS)).toMatchObject({ field: 'filter', message: 'a document' });
  // What would close the filter and begin another field is no filter.
  expect(wrongIn({ ...FORM, filter: '{}, $db: "private"' }, WORDS)).toMatchObject({ field: 'filter' });
  expect(wrongIn({ ...FORM, limit: '5, x: 1' }, WORDS)).toMatchObject({ field: 'limit' });
  expect(wrongIn({ ...FORM, mode: 'aggregate', pipeline: '{}' }, WORDS)).toMatchObject({ message: 'a list' });
  expect(wrongIn({ ...FORM, mode: 'command', command: '' }, WORDS)).toMatchObject({ field: 'command' });
});

test('only what reads is run once more for a file', () => {
  expect(isReading('{ find: "a" }')).toBe(true);
  expect(isReading('{ aggregate: "a", pipeline: [{ $match: {} }], cursor: {} }')).toBe(true);
  expect(isReading('{ aggregate: "a", pipeline: [{ $out: "b" }], cursor: {} }')).toBe(false);
  expect(isReading('{ insert: "a", documents: [{}] }')).toBe(false);
});
