/** A text that somebody wrote to make an object of: which it is, and where it goes. */
import type { KubeCollection, KubeKindRow } from '@gatehouse/contract/kinds/kube/browse';
import { z } from 'zod';
import { type KnownKind, kindNamed } from '../kinds.ts';

export interface NewObject {
  kind: KnownKind;
  collection: KubeCollection & { namespace: string };
  /** Empty where the cluster is to choose it. */
  name: string;
  body: string;
}

/** What is wrong with it, as its words are called. */
export type NewObjectProblem = 'no-kind-said' | 'no-such-kind' | 'no-namespace-said';

const written = z.looseObject({
  apiVersion: z.string().min(1),
  kind: z.string().min(1),
  metadata: z.looseObject({ name: z.string().optional(), namespace: z.string().optional() }),
});

/** `namespace`: the one that is looked at, for what says none; `found`: what the cluster has beside what each has. */
export function readNewObject(
  value: Readonly<Record<string, unknown>>,
  { namespace, found }: { namespace: string; found: readonly KubeKindRow[] },
): NewObject | NewObjectProblem {
  const said = written.safeParse(value).data;
  if (!said) return 'no-kind-said';
  const at = said.apiVersion.lastIndexOf('/');
  const [apiGroup, apiVersion] = [said.apiVersion.slice(0, Math.max(0, at)), said.apiVersion.slice(at + 1)];
  const isMeant = (kind: KnownKind | undefined) => kind?.kind === said.kind && kind.apiGroup === apiGroup;
  const known = kindNamed(said.kind);
  const kind = isMeant(known) ? known : found.find(isMeant);
  if (!kind) return 'no-such-kind';
  const where = kind.isNamespaced ? (said.metadata.namespace ?? namespace) : '';
  if (kind.isNamespaced && where === '') return 'no-namespace-said';
  const { name = '' } = said.metadata;
  const metadata = { ...said.metadata, ...(where === '' ? {} : { namespace: where }) };
  return {
    kind: { ...kind, apiVersion },
    collection: { apiGroup, apiVersion, resource: kind.resource, namespace: where },
    name,
    body: JSON.stringify({ ...value, metadata }),
  };
}
