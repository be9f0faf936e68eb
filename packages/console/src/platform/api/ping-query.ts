/** What the gateway tells of itself, asked for once by whatever shows some of it. */
import { pingRoutes } from '@gatehouse/contract/console/ping';
import { queryOptions } from '@tanstack/react-query';
import type { Api } from './api.ts';

export function pingQuery(api: Api) {
  return queryOptions({ queryKey: ['ping'], queryFn: ({ signal }) => api(pingRoutes.ping, {}, signal) });
}
