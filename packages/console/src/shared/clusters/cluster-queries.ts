/** The clusters somebody can look at, and the way to another one. */
import { clusterRoutes } from '@gatehouse/contract/console/clusters';
import { PAGES, pagePath } from '@gatehouse/contract/console/pages';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useApi } from '../../platform/browser/use-api.ts';
import { useCurrentPage } from '../../platform/routing/routing.tsx';

const CLUSTERS_FRESH_MS = 60_000;

/** Every cluster this user can reach, by name. */
export function useClusters({ refetchInterval = false }: { refetchInterval?: number | false } = {}) {
  const api = useApi();
  return useQuery({
    queryKey: ['clusters'],
    queryFn: ({ signal }) => api(clusterRoutes.sites, {}, signal),
    select: (clusters) => clusters.toSorted((a, b) => a.name.localeCompare(b.name)),
    staleTime: CLUSTERS_FRESH_MS,
    refetchInterval,
  });
}

/** Goes to the same screen of another cluster, or to that cluster's start. */
export function useSwitchCluster() {
  const page = useCurrentPage();
  const navigate = useNavigate();
  return (clusterId: string) => {
    const stays = page !== undefined && PAGES[page.name].path.endsWith(`:clusterId/${lastSegment(page.name)}`);
    void navigate({ to: pagePath(stays ? page.name : 'cluster', { clusterId }) });
  };
}

/** Deeper pages name a server or a session that the other cluster does not have. */
function lastSegment(page: keyof typeof PAGES): string {
  return PAGES[page].path.split('/').at(-1) ?? '';
}
