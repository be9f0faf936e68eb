/** Users, roles and locks as the gateway has them now; the changes socket makes all of it stale at once. */

import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { CURRENT_CLUSTER } from '@gatehouse/contract/console/clusters';
import { identityRoutes } from '@gatehouse/contract/identity/connectors/identities';
import { lockOutRoutes } from '@gatehouse/contract/identity/lock-outs';
import { signInsRoutes } from '@gatehouse/contract/identity/sign-ins';
import { userRecordRoutes } from '@gatehouse/contract/identity/users/user-records';
import { userRoutes } from '@gatehouse/contract/identity/users/users';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useApi } from '../../platform/browser/use-api.ts';
import { useOwnUser } from '../../platform/sign-in/user.ts';

/** The first part of every key. */
const ACCESS = 'access';
const cluster = { clusterId: CURRENT_CLUSTER };

export function useUsers() {
  const api = useApi();
  const { userAcl } = useOwnUser();
  return useQuery({
    queryKey: [ACCESS, 'users'],
    queryFn: ({ signal }) => api(userRoutes.list, {}, signal),
    enabled: userAcl.users.list,
  });
}

export function useUserRecord(username: string) {
  const api = useApi();
  const { userAcl } = useOwnUser();
  return useQuery({
    queryKey: [ACCESS, 'user', username],
    queryFn: ({ signal }) => api(userRecordRoutes.get, { params: { username } }, signal),
    enabled: userAcl.users.read,
  });
}

export function useSignInsOf(username: string) {
  const api = useApi();
  const { userAcl } = useOwnUser();
  return useQuery({
    queryKey: [ACCESS, 'sign-ins', username],
    queryFn: ({ signal }) => api(signInsRoutes.listOfUser, { params: { username } }, signal),
    enabled: userAcl.users.read,
  });
}

export function useIdentitiesOf(username: string) {
  const api = useApi();
  const { userAcl } = useOwnUser();
  return useQuery({
    queryKey: [ACCESS, 'identities', username],
    queryFn: ({ signal }) => api(identityRoutes.ofUser, { params: { username } }, signal),
    enabled: userAcl.users.read,
  });
}

export function useRoles() {
  const api = useApi();
  const { userAcl } = useOwnUser();
  return useQuery({
    queryKey: [ACCESS, 'roles'],
    queryFn: ({ signal }) => api(roleRoutes.list, {}, signal),
    enabled: userAcl.roles.list,
  });
}

/** Fails for those who may list users but not locks: the acl does not tell them apart. */
export function useLocks() {
  const api = useApi();
  const { userAcl } = useOwnUser();
  return useQuery({
    queryKey: [ACCESS, 'locks'],
    queryFn: ({ signal }) => api(lockRoutes.list, { params: cluster }, signal),
    enabled: userAcl.locks.list,
  });
}

export function useLockOuts() {
  const api = useApi();
  const { userAcl } = useOwnUser();
  return useQuery({
    queryKey: [ACCESS, 'lock-outs'],
    queryFn: ({ signal }) => api(lockOutRoutes.list, {}, signal),
    enabled: userAcl.users.list,
  });
}

/** After a change of one's own; resolves when the new state is on the screen. */
export function useRefreshAccess(): () => Promise<void> {
  const queries = useQueryClient();
  return useCallback(() => queries.invalidateQueries({ queryKey: [ACCESS] }), [queries]);
}
