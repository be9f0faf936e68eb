/** Who is signed in and what they may do. */

import { type FeatureFlags, featureFlags } from '@gatehouse/contract/access/acl';
import { CURRENT_CLUSTER, clusterRoutes, type UserContext } from '@gatehouse/contract/console/clusters';
import { type PageConfig, pageConfig } from '@gatehouse/contract/console/page-config';
import { queryOptions, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Api } from '../api/api.ts';
import { useBrowser } from '../browser/browser-services.tsx';
import { useApi } from '../browser/use-api.ts';

const USER_FRESH_MS = 60_000;

/** For the shell, which shows its frame before the answer is there. */
export function useUserQuery() {
  return useQuery(userQuery(useApi()));
}

/** For screens: the shell shows none of them before the user is known. */
export function useUser(): UserContext {
  return useSuspenseQuery(userQuery(useApi())).data;
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

export function userQuery(api: Api) {
  return queryOptions({
    queryKey: ['user'],
    queryFn: ({ signal }) => api(clusterRoutes.context, { params: { clusterId: CURRENT_CLUSTER } }, signal),
    staleTime: USER_FRESH_MS,
  });
}

/** Whether there is a password to change, whichever way they came. Gateways from before say it by the way alone. */
export function hasPassword({ authType, hasPassword: has }: Pick<UserContext, 'authType' | 'hasPassword'>): boolean {
  return has ?? authType === 'local';
}
