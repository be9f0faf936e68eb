import { expect, test } from 'vitest';
import { readObject } from '../read-object.ts';
import { debugName, debugPatch } from './debug-name.ts';

const there = { name: 'debugger-1', image: 'busybox', securityContext: { runAsUser: 7 } };
const podWith = (ephemeralContainers: unknown) => {
  const read = readObject({
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', resourceVersion: '41' } },
    spec: { containers: [{ name: 'main', image: 'shop/api:1' }], ephemeralContainers },
  });
  if (!read) throw new Error('no object');
  return read;
};

test('a debug container is called as none of the pod is', () => {
  expect(debugName(podWith(undefined))).toBe('debugger-1');
  expect(debugName(podWith([there, { name: 'debugger-3' }]))).toBe('debugger-2');
});

test('those that are there stay as they are, and one that came in between is a conflict', () => {
  const asked = JSON.parse(debugPatch(podWith([there]), { name: 'debugger-2', image: 'busybox', sees: 'main' }));

  expect(asked).toMatchObject({
    metadata: { resourceVersion: '41' },
    spec: {
      ephemeralContainers: [there, { name: 'debugger-2', image: 'busybox', targetContainerName: 'main', tty: true }],
    },
  });
  const alone = debugPatch(podWith('no list'), { name: 'debugger-1', image: 'busybox', sees: '' });
  expect(JSON.parse(alone).spec.ephemeralContainers).toHaveLength(1);
  expect(alone).not.toContain('targetContainerName');
});
