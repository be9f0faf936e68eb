/** The cluster the user looks at: the one in the address, or where there is none, the one they looked at last. */
import { usePreference } from '../../platform/browser/preferences.ts';
import { useCurrentPage } from '../../platform/routing/routing.tsx';
import { usePageConfig } from '../../platform/sign-in/user.ts';
import { isManagement } from '../navigation.ts';

export function useClusterId(): string {
  const own = usePageConfig().proxyCluster;
  const [remembered = own] = usePreference('cluster');
  const page = useCurrentPage();
  // Users and roles are this gateway's: under another name somebody would take them for those of a leaf.
  return page?.params.clusterId ?? (page && isManagement(page.name) ? own : remembered);
}
