/** Namespaces that somebody may look into where they may not be listed: those the record of a cluster names, and those that rules do. */
import type { Access } from '../../../access/bind-access.ts';
import type { ListedKube } from '../listed-kube.ts';

/** A name and no pattern. */
const NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

export function knownNamespaces({ roles }: Access, { spec, resource }: ListedKube): string[] {
  const ruled = roles
    .filter(({ allow }) => allow.labels.get('kubernetes_labels')?.matches(resource.labels))
    .flatMap(({ allow }) => allow.objects.map(({ namespace }) => namespace.text))
    .filter((text) => NAME.test(text));
  return [...spec.namespaces, ...ruled];
}
