/** The cluster the user looks at: the one in the address, or the gateway's own. */
import { useCurrentPage } from '../../platform/routing/routing.tsx';
import { usePageConfig } from '../../platform/sign-in/user.ts';

export function useClusterId(): string {
  const own = usePageConfig().proxyCluster;
  return useCurrentPage()?.params.clusterId ?? own;
}
