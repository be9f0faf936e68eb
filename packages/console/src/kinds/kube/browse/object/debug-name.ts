/** How the next debug container of a pod is called, and what is asked of the cluster for it. */
import type { KubeObject } from '../read-object.ts';

const NAME = 'debugger';

export function debugName({ facts: { spec } }: Pick<KubeObject, 'facts'>): string {
  const taken = new Set(
    [...spec.containers, ...spec.initContainers, ...spec.ephemeralContainers].map(({ name }) => name),
  );
  let count = 1;
  while (taken.has(`${NAME}-${count}`)) count += 1;
  return `${NAME}-${count}`;
}

export interface WantedDebug {
  name: string;
  image: string;
  /** Whose processes it sees; empty: none's. */
  sees: string;
}

/**
 * A merge patch replaces lists as a whole: those that are there go along as the cluster wrote them. With the version that was looked at,
 * one that somebody else adds meanwhile is a conflict, and not lost.
 */
export function debugPatch({ whole, facts }: KubeObject, { name, image, sees }: WantedDebug): string {
  const spec = typeof whole.spec === 'object' && whole.spec !== null ? (whole.spec as Record<string, unknown>) : {};
  const before = Array.isArray(spec.ephemeralContainers) ? (spec.ephemeralContainers as unknown[]) : [];
  const added = {
    // Waits at a shell of its own until the pod goes: one that had nothing to do would end at once.
    ...{ name, image, stdin: true, tty: true, imagePullPolicy: 'IfNotPresent', terminationMessagePolicy: 'File' },
    ...(sees === '' ? {} : { targetContainerName: sees }),
  };
  return JSON.stringify({
    metadata: { resourceVersion: facts.metadata.resourceVersion },
    spec: { ephemeralContainers: [...before, added] },
  });
}
