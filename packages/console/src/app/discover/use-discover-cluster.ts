/** The cluster that something is enrolled at: this gateway's own unless the address names a leaf. */
import { usePageConfig } from '../../platform/sign-in/user.ts';

export function useDiscoverCluster({ cluster }: { cluster: string | undefined }): string {
  const own = usePageConfig().proxyCluster;
  return cluster ?? own;
}
