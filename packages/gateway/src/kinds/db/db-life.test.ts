import { expect, test } from 'vitest';
import type { Resource } from '../../inventory/resource-store.ts';
import { dbLife } from './db-life.ts';

const spec = { protocol: 'postgres', uri: 'db.inside', description: 'one' };
const before = { name: 'shop', labels: { env: 'prod' }, spec } as unknown as Resource;
const changedTo = (changed: object) => ({ ...before, ...changed }) as Resource;

test.each([
  ['nothing', {}, false],
  ['what it is described as', { spec: { ...spec, description: 'two' } }, false],
  ['a field as it is without being said', { spec: { ...spec, readOnly: false } }, false],
  ['its address', { spec: { ...spec, uri: 'db.outside' } }, true],
  ['its TLS', { spec: { ...spec, tls: { mode: 'insecure' } } }, true],
  ['its passwords', { spec: { ...spec, mark: 'other' } }, true],
  ['a label', { labels: { env: 'test' } }, true],
])('with a change of %s it is another database: %o, %s', (_, changed, isAnother) => {
  expect(dbLife.isAnother(before, changedTo(changed))).toBe(isAnother);
});
