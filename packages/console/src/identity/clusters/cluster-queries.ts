/** Leaves and roots as the gateway has them now; asked for again while they are looked at, because tunnels come and go. */
import { remoteClusterRoutes, trustedClusterRoutes } from '@gatehouse/contract/reach/trusted-clusters/trusted-clusters';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useApi } from '../../platform/browser/use-api.ts';
import { useOwnUser } from '../../platform/sign-in/user.ts';

/** How often what is on the screen is asked for again. */
export const LOOK_EVERY_MS = 10_000;

const LEAVES = ['access', 'leaves'];
const ROOTS = ['access', 'roots'];
const OWN_KEY = ['access', 'federation-key'];

export function useLeaves() {
  const api = useApi();
  const { userAcl } = useOwnUser();
  return useQuery({
    queryKey: LEAVES,
    queryFn: ({ signal }) => api(remoteClusterRoutes.list, {}, signal),
    enabled: userAcl.trustedClusters.list,
    refetchInterval: LOOK_EVERY_MS,
  });
}

export function useRoots() {
  const api = useApi();
  const { userAcl } = useOwnUser();
  return useQuery({
    queryKey: ROOTS,
    queryFn: ({ signal }) => api(trustedClusterRoutes.list, {}, signal),
    enabled: userAcl.trustedClusters.list,
    refetchInterval: LOOK_EVERY_MS,
  });
}

/** By which other clusters know this one. */
export function useOwnKey() {
  const api = useApi();
  return useQuery({
    queryKey: OWN_KEY,
    queryFn: ({ signal }) => api(trustedClusterRoutes.key, {}, signal),
  });
}

/** Where other machines find this gateway, as far as it was told; else where this browser did. */
export function useOwnAddress(): string {
  const { publicURL } = useOwnUser().cluster;
  return publicURL === '' ? window.location.origin : `https://${publicURL}`;
}

/** After a change of one's own; resolves when the new state is on the screen. */
export function useRefreshClusters(): () => Promise<unknown> {
  const queries = useQueryClient();
  return useCallback(
    () =>
      Promise.all([LEAVES, ROOTS, OWN_KEY, ['clusters']].map((queryKey) => queries.invalidateQueries({ queryKey }))),
    [queries],
  );
}
