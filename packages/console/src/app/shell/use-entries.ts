/** The navigation entries of the signed-in user, with the cluster they lead to; nothing while the user is not known. */

import { featureFlags } from '@gatehouse/contract/access/acl';
import { pagePath } from '@gatehouse/contract/console/pages';
import { useMemo } from 'react';
import { usePageConfig, useUserQuery } from '../../platform/sign-in/user.ts';
import { type NavigationEntry, visibleEntries } from '../navigation.ts';
import { useClusterId } from './use-cluster-id.ts';

export type FilledEntry = NavigationEntry & { path: string };

export function useEntries(): FilledEntry[] | undefined {
  const user = useUserQuery().data;
  const config = usePageConfig();
  const clusterId = useClusterId();
  return useMemo(
    () =>
      user &&
      visibleEntries(featureFlags(user.userAcl, config)).map((entry) => ({
        ...entry,
        path: pagePath(entry.page, { clusterId }),
      })),
    [user, config, clusterId],
  );
}
