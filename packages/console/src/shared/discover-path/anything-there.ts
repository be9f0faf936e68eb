/** Whether somebody sees anything at all that is enrolled. */
import { diagnosticRoutes } from '@gatehouse/contract/sessions/diagnostics';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../platform/browser/use-api.ts';

/** Not asked again by itself: without an answer nobody is led anywhere. */
export function useAnythingThere(clusterId: string) {
  const api = useApi();
  return useQuery({
    queryKey: ['resources-check', clusterId],
    queryFn: ({ signal }) => api(diagnosticRoutes.check, { params: { clusterId } }, signal),
    retry: false,
  });
}
