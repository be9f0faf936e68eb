/** How server state is kept: errors of the caller are not tried again, the rest twice, and a return to the tab refreshes. */
import { CallError } from '@gatehouse/contract/client';
import { QueryClient } from '@tanstack/react-query';

const RETRIES = 2;
const FRESH_MS = 10_000;

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        retry: (failures, error) => failures < RETRIES && !(error instanceof CallError && error.status < 500),
        // The connection watch decides when it is worth asking again, not the browser's idea of being online.
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  });
}
