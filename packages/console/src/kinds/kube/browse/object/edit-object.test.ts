import { expect, test } from 'vitest';
import { objectYaml, patchOf, readEdited } from './edit-object.ts';

const DEPLOYMENT = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    name: 'api',
    resourceVersion: '41',
    labels: { app: 'api', tier: 'front' },
    managedFields: [{ manager: 'x' }],
  },
  spec: { replicas: 2, template: { spec: { containers: [{ name: 'api', image: 'api:1' }] } } },
};
const NOT_MAP = 'not fields';
const edited = (change: (text: string) => string) => {
  const read = readEdited(change(objectYaml(DEPLOYMENT)), NOT_MAP);
  if (!('value' in read)) throw new Error(read.problem.message);
  return read.value;
};

test('what its writers are told is left out of the text, and not taken for removed', () => {
  expect(objectYaml(DEPLOYMENT)).not.toContain('managedFields');
  expect(objectYaml(DEPLOYMENT, true)).toContain('managedFields');
  expect(
    patchOf(
      DEPLOYMENT,
      edited((text) => text),
    ),
  ).toBeUndefined();
});

test('a patch has what was changed, added and removed, lists whole, and the version that was looked at', () => {
  const value = edited((text) =>
    text.replace('replicas: 2', 'replicas: 3').replace('    tier: front\n', '    team: shop\n'),
  );
  expect(patchOf(DEPLOYMENT, value)).toEqual({
    metadata: { labels: { tier: null, team: 'shop' }, resourceVersion: '41' },
    spec: { replicas: 3 },
  });
  const image = edited((text) => text.replace('api:1', 'api:2'));
  expect(patchOf(DEPLOYMENT, image)).toMatchObject({
    spec: { template: { spec: { containers: [{ name: 'api', image: 'api:2' }] } } },
  });
});

test('the same fields in another order are no change', () => {
  const { metadata, ...rest } = DEPLOYMENT;
  expect(
    patchOf(DEPLOYMENT, { ...rest, metadata: { labels: metadata.labels, name: 'api', resourceVersion: '41' } }),
  ).toBeUndefined();
});

test('a key that means something to the language is a field like any other', () => {
  const read = readEdited('data:\n  __proto__: evil\n', NOT_MAP);
  const patch = 'value' in read ? patchOf({ data: { a: '1' } }, read.value) : undefined;
  expect(JSON.stringify(patch)).toContain('"__proto__":"evil"');
  expect(({} as { evil?: unknown }).evil).toBeUndefined();
});

test('a text that cannot be read says where', () => {
  expect(readEdited('a: 1\nb: [', NOT_MAP)).toMatchObject({ problem: { line: 2 } });
  expect(readEdited('- a', NOT_MAP)).toEqual({ problem: { line: 1, column: 1, message: NOT_MAP } });
});
