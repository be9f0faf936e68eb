/** Connectors as the gateway has them now; the changes socket makes them stale with everything about access. */
import { CONNECTOR_KINDS } from '@gatehouse/contract/identity/connectors/connector-kinds';
import { CONNECTOR_ROUTES, type ConnectorItem } from '@gatehouse/contract/identity/connectors/connectors';
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Api } from '../../platform/api/api.ts';
import { useApi } from '../../platform/browser/use-api.ts';
import { useUser } from '../../platform/sign-in/user.ts';

export function connectorsQuery(api: Api) {
  return queryOptions({ queryKey: ['access', 'connectors'], queryFn: ({ signal }) => listConnectors(api, signal) });
}

export function useConnectors() {
  const { userAcl } = useUser();
  return useQuery({ ...connectorsQuery(useApi()), enabled: userAcl.authConnectors.list });
}

async function listConnectors(api: Api, signal: AbortSignal): Promise<ConnectorItem[]> {
  const lists = await Promise.all(CONNECTOR_KINDS.map((kind) => api(CONNECTOR_ROUTES[kind].list, {}, signal)));
  return lists.flat().sort((a, b) => titleOf(a).localeCompare(titleOf(b)));
}

export function titleOf({ display, name }: Pick<ConnectorItem, 'display' | 'name'>): string {
  return display || name;
}
