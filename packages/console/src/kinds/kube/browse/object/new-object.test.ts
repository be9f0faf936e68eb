import { expect, test } from 'vitest';
import { readNewObject } from './new-object.ts';

const WIDGETS = {
  ...{ apiGroup: 'shop.example', apiVersion: 'v1', resource: 'widgets', kind: 'Widget', isNamespaced: true },
  verbs: ['list'],
};
const read = (value: object, namespace = 'shop') =>
  readNewObject(value as Record<string, unknown>, { namespace, found: [WIDGETS] });

test('it goes where it says, or else into the namespace that is looked at', () => {
  const text = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'api' }, spec: { replicas: 2 } };
  expect(read(text)).toMatchObject({
    collection: { apiGroup: 'apps', apiVersion: 'v1', resource: 'deployments', namespace: 'shop' },
    name: 'api',
    body: JSON.stringify({ ...text, metadata: { name: 'api', namespace: 'shop' } }),
  });
  expect(read({ ...text, metadata: { name: 'api', namespace: 'bank' } })).toMatchObject({
    collection: { namespace: 'bank' },
  });
  expect(read({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'new' } })).toMatchObject({
    collection: { apiGroup: '', resource: 'namespaces', namespace: '' },
  });
  expect(read({ apiVersion: 'shop.example/v2', kind: 'Widget', metadata: { generateName: 'w-' } })).toMatchObject({
    collection: { apiVersion: 'v2', resource: 'widgets' },
    name: '',
  });
});

test('what is missing or unknown is told, and one of another group is not taken for one of this name', () => {
  expect(read({ kind: 'Pod' })).toBe('no-kind-said');
  expect(read({ apiVersion: 'v1', kind: 'Pod', metadata: 7 })).toBe('no-kind-said');
  expect(read({ apiVersion: 'evil.example/v1', kind: 'Pod', metadata: {} })).toBe('no-such-kind');
  expect(read({ apiVersion: 'v1', kind: 'Nothing', metadata: {} })).toBe('no-such-kind');
  expect(read({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } }, '')).toBe('no-namespace-said');
});
