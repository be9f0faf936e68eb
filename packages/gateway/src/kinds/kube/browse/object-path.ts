/** Where the API of a cluster has a collection or an object. */
import type { KubeCollection } from '@gatehouse/contract/kinds/kube/browse';

interface InApi extends KubeCollection {
  namespace: string;
  name?: string;
  subresource?: string;
}

type Query = Readonly<Record<string, string | number | undefined>>;

export function objectPath(
  { apiGroup, apiVersion, resource, namespace, name = '', subresource = '' }: InApi,
  query: Query = {},
): string {
  const root = apiGroup === '' ? ['api', apiVersion] : ['apis', apiGroup, apiVersion];
  const parts = [...root, ...(namespace === '' ? [] : ['namespaces', namespace]), resource, name, subresource];
  const path = parts
    .filter((part) => part !== '')
    .map((part) => `/${encodeURIComponent(part)}`)
    .join('');
  const texts = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== undefined) texts.set(key, String(value));
  return texts.size === 0 ? path : `${path}?${texts}`;
}
