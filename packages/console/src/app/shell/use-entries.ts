/** What the signed-in user sees: of the cluster they look at what they have there, and what is this gateway's own. */

import { type FeatureFlags, featureFlags } from '@gatehouse/contract/access/acl';
import { pagePath } from '@gatehouse/contract/console/pages';
import { useMemo } from 'react';
import { usePageConfig, useUserQuery } from '../../platform/sign-in/user.ts';
import { flagsAt, type NavigationEntry, visibleEntries } from '../navigation.ts';
import { useClusterId } from './use-cluster-id.ts';

export type FilledEntry = NavigationEntry & { path: string };

/** Nothing while it is not known. Of a leaf that does not answer, only what is this gateway's. */
export function useFlagsHere(): FeatureFlags | undefined {
  const config = usePageConfig();
  const own = useUserQuery().data;
  const { data: there, isPending } = useUserQuery(useClusterId());
  return useMemo(
    () =>
      own && !isPending ? flagsAt(featureFlags(own.userAcl, config), featureFlags(there?.userAcl, config)) : undefined,
    [own, there, isPending, config],
  );
}

/** The navigation entries, with the cluster they lead to. */
export function useEntries(): FilledEntry[] | undefined {
  const flags = useFlagsHere();
  const clusterId = useClusterId();
  return useMemo(
    () => flags && visibleEntries(flags).map((entry) => ({ ...entry, path: pagePath(entry.page, { clusterId }) })),
    [flags, clusterId],
  );
}
