import { expect, test } from 'vitest';
import { EDITOR_TABS, editorOpening, editorReply, editorRequest, MAX_EDITOR_SQL, redisValue } from './editor.ts';

test('a page says what it wants within bounds', () => {
  const run = { type: 'run', id: 1, tab: 0, sql: 'SELECT 1' };
  expect(editorRequest.parse(run)).toEqual(run);
  for (const wrong of [
    { sql: '' },
    { sql: 'x'.repeat(MAX_EDITOR_SQL + 1) },
    { tab: EDITOR_TABS },
    { id: 0 },
    { maxRows: 100_001 },
  ])
    expect(editorRequest.safeParse({ ...run, ...wrong }).success, JSON.stringify(wrong).slice(0, 40)).toBe(false);
});

test('whoever names no database means the usual one', () => {
  expect(editorOpening.parse({ type: 'open', dbUser: 'app' })).toEqual({ type: 'open', dbUser: 'app', dbName: '' });
});

test('a change of a row is one of three', () => {
  const edit = { type: 'edit', id: 1, tab: 0, schema: 'public', table: 't' };
  const update = { what: 'update', key: { id: '1' }, old: { a: null }, values: { a: 'x' } };
  expect(editorRequest.safeParse({ ...edit, changes: [update] }).success).toBe(true);
  expect(editorRequest.safeParse({ ...edit, changes: [{ what: 'drop' }] }).success).toBe(false);
  expect(editorRequest.safeParse({ ...edit, changes: [] }).success).toBe(false);
});

test('answers of Redis stand inside each other', () => {
  const value = { is: 'list', values: [{ is: 'null' }, { is: 'map', values: [{ is: 'text', value: 'a' }] }] };
  expect(redisValue.parse(value)).toEqual(value);
  const reply = { type: 'reply', id: 1, value, ms: { server: 1, gateway: 0 }, dbName: '0' };
  expect(editorReply.parse(reply)).toEqual(reply);
});
