/** Agents that could reach something; nobody's for those who may not list them. */
import { agentRoutes } from '@gatehouse/contract/reach/agents/agents';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../platform/browser/use-api.ts';
import { useUser } from '../../platform/sign-in/user.ts';
import { RESOURCES } from '../resource-list/use-paged-rows.ts';

export function useAgents() {
  const api = useApi();
  const { userAcl } = useUser();
  return useQuery({
    queryKey: [RESOURCES, 'agents'],
    queryFn: ({ signal }) => api(agentRoutes.list, {}, signal),
    enabled: userAcl.tokens.list,
  }).data;
}
