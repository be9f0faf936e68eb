/** Takes the values out of a secret: its keys stay, and how long each value is. */
import type { KubeRef } from '@gatehouse/contract/kinds/kube/browse';
import { z } from 'zod';

/** What kubectl apply keeps of what it was given: the values once more. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

export function isSecret({ apiGroup, resource }: Pick<KubeRef, 'apiGroup' | 'resource'>): boolean {
  return apiGroup === '' && resource === 'secrets';
}

const secret = z.looseObject({
  kind: z.unknown().optional(),
  metadata: z.looseObject({ annotations: z.record(z.string(), z.unknown()).optional() }),
  data: z.record(z.string(), z.unknown()).nullish(),
  stringData: z.unknown().optional(),
});

/** Something of another shape is shown as nothing: a value may stand anywhere in it. */
export function hideSecret(object: unknown): unknown {
  const found = secret.safeParse(object).data;
  if (!found) return {};
  const { data, stringData: _, metadata, apiVersion, kind, type, immutable } = found;
  const { annotations, managedFields: __, ...about } = metadata;
  const { [LAST_APPLIED]: ___, ...others } = annotations ?? {};
  return {
    ...{ apiVersion, kind },
    metadata: { ...about, ...(annotations ? { annotations: others } : {}) },
    ...{ type, immutable },
    ...(data ? { data: Object.fromEntries(Object.keys(data).map((key) => [key, ''])) } : {}),
  };
}
