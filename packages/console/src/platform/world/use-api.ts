/** The gateway's calls, from components and query functions. */
import { useMemo } from 'react';
import { type Api, apiOver } from '../api/api.ts';
import { useWorld } from './world.tsx';

export function useApi(): Api {
  const { send } = useWorld();
  return useMemo(() => apiOver(send), [send]);
}
