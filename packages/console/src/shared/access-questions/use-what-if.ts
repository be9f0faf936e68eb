/** What a planned change would do, asked again a moment after each edit. */
import { type PlannedChange, whatIfRoutes } from '@gatehouse/contract/access/explain/what-if';
import type { ReplyRead } from '@gatehouse/contract/wire/route';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useApi } from '../../platform/browser/use-api.ts';
import { usePageCluster } from '../../platform/sign-in/user.ts';

export type Effects = ReplyRead<typeof whatIfRoutes.whatIf>;

const PAUSE_MS = 300;

export interface WhatIf {
  effects: Effects | undefined;
  /** The answer is about an earlier state of the draft. */
  isBehind: boolean;
  failure: unknown;
}

export function useWhatIf(change: PlannedChange, isEnabled: boolean): WhatIf {
  const api = useApi();
  const clusterId = usePageCluster();
  const text = JSON.stringify(change);
  const settled = useSettled(text);
  const answer = useQuery({
    queryKey: ['access', 'what-if', clusterId, settled],
    queryFn: ({ signal }) => {
      const body = { change: JSON.parse(settled) as PlannedChange };
      return api(whatIfRoutes.whatIf, { params: { clusterId }, body }, signal);
    },
    enabled: isEnabled && settled === text,
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 60_000,
  });
  return {
    effects: isEnabled && !answer.isError ? answer.data : undefined,
    isBehind: settled !== text || answer.isFetching,
    failure: isEnabled ? (answer.error ?? undefined) : undefined,
  };
}

function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
