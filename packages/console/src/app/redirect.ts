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

/** Home leads to enrolling once, where nothing is enrolled. `stored`: what this browser has kept of having looked. */
export function asksForFirst(
  page: PageMatch,
  { userAcl }: UserContext,
  config: PageConfig,
  stored: string | null,
): boolean {
  return page.name === 'root' && stored === null && userAcl.tokens.create && featureFlags(userAcl, config).discover;
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
