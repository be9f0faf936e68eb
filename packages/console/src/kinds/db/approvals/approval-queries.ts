/** What people asked to run in databases, as the gateway has it now: one's own, and what one decides about. */
import { dbApprovalRoutes, type StatementApproval } from '@gatehouse/contract/kinds/db/db-approvals';
import { queryOptions } from '@tanstack/react-query';
import type { Api } from '../../../platform/api/api.ts';
import { RESOURCES } from '../../../shared/resource-list/use-paged-rows.ts';

/** News come by themselves; that something has run out does not. */
const AGAIN_MS = 30_000;
/** With the lists of resources: what tells of those tells of these. */
const KEY = [RESOURCES, 'db-approvals'] as const;

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

/** With its whole text. */
export function oneApproval(api: Api, clusterId: string, { id, sql, length }: StatementApproval) {
  return queryOptions({
    queryKey: [...KEY, clusterId, 'one', id],
    queryFn: async ({ signal }) =>
      (await api(dbApprovalRoutes.get, { params: { clusterId, approval: id } }, signal)).sql,
    ...(sql.length === length ? { initialData: sql, staleTime: Number.POSITIVE_INFINITY } : {}),
  });
}

export const APPROVALS_KEY: readonly string[] = KEY;
