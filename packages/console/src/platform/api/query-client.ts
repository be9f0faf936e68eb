/** How server state is kept: no answer and a failing gateway are tried twice more, everything else is an answer. */
import { CallError } from '@gatehouse/contract/wire/client';
import { QueryClient } from '@tanstack/react-query';
import type { Api } from './api.ts';
import { isNoAnswer } from './failures.ts';

/** What is needed to ask for server state outside of components. */
export interface Asking {
  queries: QueryClient;
  api: Api;
}

const RETRIES = 2;
const FRESH_MS = 10_000;

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        retry: (failures, error) => failures < RETRIES && mayPass(error),
        // The connection watch decides when it is worth asking again, not the browser's idea of being online.
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  });
}

function mayPass(error: Error): boolean {
  return error instanceof CallError ? error.status >= 500 : isNoAnswer(error);
}
