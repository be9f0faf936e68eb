/** Who is signed in and what they may do. */

import { type FeatureFlags, featureFlags, noGrants } from '@gatehouse/contract/access/acl';
import { CURRENT_CLUSTER, clusterRoutes, type UserContext } from '@gatehouse/contract/console/clusters';
import { type PageConfig, pageConfig } from '@gatehouse/contract/console/page-config';
import { queryOptions, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Api } from '../api/api.ts';
import { useBrowser } from '../browser/browser-services.tsx';
import { useApi } from '../browser/use-api.ts';
import { useCurrentPage } from '../routing/routing.tsx';

const USER_FRESH_MS = 60_000;

/** For the shell, which shows its frame before the answer is there. Of this gateway's own cluster unless another is named. */
export function useUserQuery(clusterId?: string) {
  return useQuery(userQuery(useApi(), useSpoken(clusterId)));
}

/** For screens: the shell shows none of them before the user is known. On a page of a leaf, who they are and what they may do there. */
export function useUser(): UserContext {
  return useUserOf(usePageCluster());
}

/** Of this gateway, wherever one looks: whose account it is, and what is of no cluster. */
export function useOwnUser(): UserContext {
  return useUserOf(CURRENT_CLUSTER);
}

export function useUserOf(clusterId: string): UserContext {
  return useSuspenseQuery(userQuery(useApi(), useSpoken(clusterId))).data;
}

/** The cluster in the address, as calls name it: this gateway's own where there is none. */
export function usePageCluster(): string {
  return useSpoken(useCurrentPage()?.params.clusterId);
}

/** One word for this gateway's own cluster, so that what is known of it is not asked for twice. */
function useSpoken(clusterId: string | undefined): string {
  const own = usePageConfig().proxyCluster;
  return clusterId === undefined || clusterId === own ? CURRENT_CLUSTER : clusterId;
}

export function useFlags(): FeatureFlags {
  const { userAcl } = useUser();
  const page = usePageConfig();
  return useMemo(() => featureFlags(userAcl, page), [userAcl, page]);
}

/** What the gateway says about itself in the page, checked, with defaults. */
export function usePageConfig() {
  const { pageConfig: given } = useBrowser();
  return useMemo(() => readPageConfig(given), [given]);
}

export function readPageConfig(given: unknown): PageConfig {
  return pageConfig.parse(given ?? { auth: {} });
}

export function userQuery(api: Api, clusterId: string = CURRENT_CLUSTER) {
  const isOwn = clusterId === CURRENT_CLUSTER;
  return queryOptions({
    queryKey: isOwn ? ['user'] : ['user', clusterId],
    queryFn: async ({ signal }): Promise<UserContext> => {
      const user = await api(clusterRoutes.context, { params: { clusterId } }, signal);
      // Agents and their tokens are this gateway's alone: whoever joined by one made here would not be the leaf's.
      return isOwn ? user : { ...user, userAcl: { ...user.userAcl, tokens: noGrants() } };
    },
    staleTime: USER_FRESH_MS,
  });
}

/** Whether there is a password to change, whichever way they came. Gateways from before say it by the way alone. */
export function hasPassword({ authType, hasPassword: has }: Pick<UserContext, 'authType' | 'hasPassword'>): boolean {
  return has ?? authType === 'local';
}
