/** What the address of a browsed cluster says: which collection or object, in which namespaces, narrowed how. */
import { pagePath } from '@gatehouse/contract/console/pages';
import type { Sort } from '@gatehouse/design/table-head';
import { useCallback, useMemo } from 'react';
import { type SearchTexts, useFollow, usePageParams, useSearch } from '../../../platform/routing/routing.tsx';
import { execPath } from '../connect/exec-path.ts';

/** Stands for the namespace of what belongs to none. */
export const NO_NAMESPACE = '_';
/** The page of all that runs pods, which is no collection. */
export const WORKLOADS_VIEW = 'workloads';
export const MORE_VIEW = 'more';

/** Each is listed by itself. */
export const MAX_NAMESPACES = 8;

export interface ObjectAt {
  /** `pods`, `deployments.apps`. */
  slug: string;
  namespace: string;
  name: string;
}

export interface BrowseAddress {
  /** None chosen: all that may be seen. */
  namespaces: readonly string[];
  search: string;
  /** Only what is not as it should be. */
  isTrouble: boolean;
  sort: Sort | undefined;
  /** Beside the list. */
  open: ObjectAt | undefined;
  tab: string | undefined;
  user: string | undefined;
}

function readTexts({ ns = '', q = '', trouble, sort = '', open = '', tab, as }: SearchTexts): BrowseAddress {
  const [key, direction] = [sort.replace(/^-/, ''), sort.startsWith('-') ? 'desc' : 'asc'] as const;
  const [slug, namespace, ...name] = open.split('/');
  return {
    namespaces: ns.split(',').filter(Boolean).slice(0, MAX_NAMESPACES),
    search: q,
    isTrouble: trouble === '1',
    sort: key === '' ? undefined : { key, direction },
    open:
      slug && namespace && name.length > 0 ? { slug, namespace: fromPath(namespace), name: name.join('/') } : undefined,
    tab,
    user: as,
  };
}

const fromPath = (namespace: string) => (namespace === NO_NAMESPACE ? '' : namespace);
const toPath = (namespace: string) => (namespace === '' ? NO_NAMESPACE : namespace);

export function objectText({ slug, namespace, name }: ObjectAt): string {
  return `${slug}/${toPath(namespace)}/${name}`;
}

export function useBrowseAddress() {
  const { clusterId, name, resource = WORKLOADS_VIEW, namespace, object } = usePageParams('kube');
  const [address, set] = useSearch(readTexts);
  const follow = useFollow();
  const { namespaces, user } = address;
  /** What is true of every page of the cluster. */
  const kept = useMemo(() => {
    const texts = new URLSearchParams();
    if (namespaces.length > 0) texts.set('ns', namespaces.join(','));
    if (user !== undefined) texts.set('as', user);
    return texts.toString();
  }, [namespaces, user]);
  const pathOf = useCallback(
    (params: Record<string, string>, more: Record<string, string> = {}) => {
      const texts = new URLSearchParams(kept);
      for (const [key, value] of Object.entries(more)) texts.set(key, value);
      return `${pagePath('kube', { clusterId, name, ...params })}${texts.size === 0 ? '' : `?${texts}`}`;
    },
    [clusterId, name, kept],
  );
  const listPath = useCallback((slug: string) => pathOf({ resource: slug }), [pathOf]);
  const objectPath = useCallback(
    ({ slug, namespace: of, name: object }: ObjectAt, tab?: string) =>
      pathOf({ resource: slug, namespace: toPath(of), object }, tab === undefined ? {} : { tab }),
    [pathOf],
  );
  const shellPath = useCallback(
    ({ namespace: of, name: pod }: ObjectAt, container?: string) =>
      execPath(clusterId, { cluster: name, namespace: of, pod, container, user }),
    [clusterId, name, user],
  );
  const shown: ObjectAt | undefined = useMemo(
    () =>
      namespace !== undefined && object !== undefined
        ? { slug: resource, namespace: fromPath(namespace), name: object }
        : undefined,
    [resource, namespace, object],
  );
  const actions = useMemo(
    () => ({
      search: (text: string) => void set({ q: text }),
      trouble: (is: boolean) => void set({ trouble: is ? '1' : undefined }),
      sortBy: ({ key, direction }: Sort) => void set({ sort: direction === 'asc' ? key : `-${key}` }),
      open: (at: ObjectAt | undefined) => void set({ open: at && objectText(at) }, 'push'),
      tab: (tab: string | undefined) => void set({ tab }),
      choose: (names: readonly string[]) => void set({ ns: names.join(','), open: undefined }, 'push'),
    }),
    [set],
  );
  return { clusterId, cluster: name, view: resource, shown, address, actions, follow, listPath, objectPath, shellPath };
}

export type UsedAddress = ReturnType<typeof useBrowseAddress>;
