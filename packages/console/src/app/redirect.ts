/** Where a page that only leads on leads this user. */

import { featureFlags } from '@gatehouse/contract/access/acl';
import type { UserContext } from '@gatehouse/contract/console/clusters';
import type { PageConfig } from '@gatehouse/contract/console/page-config';
import { type PageMatch, pagePath } from '@gatehouse/contract/console/pages';
import { startPage } from './navigation.ts';
import { SCREENS } from './screens.ts';

export function redirects(page: PageMatch | undefined): page is PageMatch {
  return page !== undefined && 'redirects' in SCREENS[page.name];
}

/** `remembered`: the cluster that was looked at last. What its user sees there is asked on the way. */
export function redirectPath(
  page: PageMatch,
  { userAcl, cluster }: UserContext,
  config: PageConfig,
  remembered?: string | null,
): string {
  if (page.name === 'root' && remembered) return pagePath('cluster', { clusterId: remembered });
  const clusterId = page.params.clusterId ?? cluster.name;
  return pagePath(startPage(featureFlags(userAcl, config)), { clusterId });
}
