/** The gateway's calls, from components and query functions. */
import { useMemo } from 'react';
import { type Api, apiOver } from '../api/api.ts';
import { useBrowser } from './browser-services.tsx';

export function useApi(): Api {
  const { send } = useBrowser();
  return useMemo(() => apiOver(send), [send]);
}
