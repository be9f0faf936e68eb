/** What people asked to run in databases, as the gateway has it now: one's own, and what one decides about. */
import { dbApprovalRoutes, type StatementApproval } from '@gatehouse/contract/kinds/db/db-approvals';
import { queryOptions } from '@tanstack/react-query';
import type { Api } from '../../../platform/api/api.ts';
import { APPROVALS } from '../../../platform/sign-in/live-changes.tsx';

/** News come by themselves; that something has run out does not. */
const AGAIN_MS = 30_000;
const KEY = [...APPROVALS, 'db'] as const;

export function ownApprovals(api: Api, clusterId: string) {
  return queryOptions({
    queryKey: [...KEY, clusterId, 'own'],
    queryFn: async ({ signal }) => (await api(dbApprovalRoutes.own, { params: { clusterId } }, signal)).items,
    refetchInterval: AGAIN_MS,
  });
}

export function othersApprovals(api: Api, clusterId: string) {
  return queryOptions({
    queryKey: [...KEY, clusterId, 'others'],
    queryFn: async ({ signal }) => (await api(dbApprovalRoutes.list, { params: { clusterId } }, signal)).items,
    refetchInterval: AGAIN_MS,
  });
}

/** Its whole text, which stays the same for as long as it waits: news of others ask for none of it again. */
export function oneApproval(api: Api, clusterId: string, { id, sql, length }: StatementApproval) {
  return queryOptions({
    queryKey: ['approval-text', clusterId, id],
    queryFn: async ({ signal }) =>
      (await api(dbApprovalRoutes.get, { params: { clusterId, approval: id } }, signal)).sql,
    staleTime: Number.POSITIVE_INFINITY,
    ...(sql.length === length ? { initialData: sql } : {}),
  });
}

export const APPROVALS_KEY: readonly string[] = KEY;
