/** Asks the gateway what whoever enrols may be on what has joined. Steps that ask the same share the answer. */
import { type Explanation, explainRoutes } from '@gatehouse/contract/access/explain/explain';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useApi } from '../../platform/browser/use-api.ts';
import { useOwnUser } from '../../platform/sign-in/user.ts';
import { useFlow } from '../../shared/enrolment/flow-place.tsx';

const ANY_NAME = { anyName: true };

/** `names`: whom one would be there, as questions about access call it. `isAsked`: false while nothing has to be asked. */
export function useOwnNames(names: object = ANY_NAME, isAsked = true): UseQueryResult<Explanation> {
  const api = useApi();
  const { clusterId, kind, thing } = useFlow();
  const { userName } = useOwnUser();
  return useQuery({
    // Roles, users and resources all change the answer.
    queryKey: ['access', 'principals', clusterId, kind, thing?.id, userName, names],
    queryFn: ({ signal }) =>
      api(
        explainRoutes.explain,
        { params: { clusterId }, body: { user: userName, kind, resource: thing?.id ?? '', ...names } },
        signal,
      ),
    enabled: isAsked && thing !== undefined,
  });
}
