/** What the account screens ask the gateway for. */
import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { identityRoutes } from '@gatehouse/contract/identity/connectors/identities';
import { mfaRoutes } from '@gatehouse/contract/identity/mfa';
import { recoveryRoutes } from '@gatehouse/contract/identity/recovery';
import { signInsRoutes } from '@gatehouse/contract/identity/sign-ins';
import { sshCertificateRoutes } from '@gatehouse/contract/identity/ssh-certificates';
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useApi } from '../../platform/browser/use-api.ts';

/** The first part of every key: the changes socket makes all of it stale at once. */
const ACCOUNT = 'account';
const LINKING_MS = 1_500;

export function useDevices() {
  const api = useApi();
  return useSuspenseQuery({
    queryKey: [ACCOUNT, 'devices'],
    queryFn: ({ signal }) => api(mfaRoutes.devices, {}, signal),
  }).data;
}

export function useRecoveryStatus() {
  const api = useApi();
  return useSuspenseQuery({
    queryKey: [ACCOUNT, 'recovery'],
    queryFn: ({ signal }) => api(recoveryRoutes.status, {}, signal),
  }).data;
}

export function useSignIns() {
  const api = useApi();
  return useSuspenseQuery({
    queryKey: [ACCOUNT, 'sign-ins'],
    queryFn: ({ signal }) => api(signInsRoutes.list, {}, signal),
  }).data;
}

export function useApiTokens() {
  const api = useApi();
  return useSuspenseQuery({
    queryKey: [ACCOUNT, 'api-tokens'],
    queryFn: ({ signal }) => api(apiTokenRoutes.list, {}, signal),
  }).data;
}

/** Both at once: neither is shown without the other. */
export function useSshKeys() {
  const api = useApi();
  return useSuspenseQuery({
    queryKey: [ACCOUNT, 'ssh'],
    queryFn: async ({ signal }) => {
      const [certificates, keys] = await Promise.all([
        api(sshCertificateRoutes.list, {}, signal),
        api(sshCertificateRoutes.keys, {}, signal),
      ]);
      return { certificates, keys };
    },
  }).data;
}

/** Asked again while a window is open in which somebody proves who they are elsewhere. */
export function useOwnIdentities(isLinking: boolean) {
  const api = useApi();
  return useSuspenseQuery({
    queryKey: [ACCOUNT, 'identities'],
    queryFn: ({ signal }) => api(identityRoutes.own, {}, signal),
    refetchInterval: isLinking ? LINKING_MS : false,
  }).data;
}

/** After a change of one's own; resolves when the new state is on the screen. */
export function useRefreshAccount(): () => Promise<void> {
  const queries = useQueryClient();
  return useCallback(() => queries.invalidateQueries({ queryKey: [ACCOUNT] }), [queries]);
}
