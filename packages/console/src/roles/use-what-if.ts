/** What saving a draft would do, asked again a moment after each change; and what the gateway finds wrong with it. */
import { whatIfRoutes } from '@gatehouse/contract/explain/what-if';
import type { ReplyRead } from '@gatehouse/contract/route';
import { CURRENT_CLUSTER } from '@gatehouse/contract/shell/clusters';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { refusalOf } from '../credentials/failure-words.ts';
import { useApi } from '../world/use-api.ts';
import type { Problem } from './read-role.ts';

export type Effects = ReplyRead<typeof whatIfRoutes.whatIf>;

const PAUSE_MS = 300;

export interface WhatIf {
  effects: Effects | undefined;
  /** The answer is about an earlier text. */
  isBehind: boolean;
  problems: readonly Problem[];
  failure: unknown;
}

const NONE: readonly Problem[] = [];

export function useWhatIf(text: string, isEnabled: boolean): WhatIf {
  const api = useApi();
  const settled = useSettled(text);
  const answer = useQuery({
    queryKey: ['access', 'what-if', settled],
    queryFn: ({ signal }) => {
      const body = { change: { type: 'save-role' as const, content: settled } };
      return api(whatIfRoutes.whatIf, { params: { clusterId: CURRENT_CLUSTER }, body }, signal);
    },
    enabled: isEnabled && settled === text,
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 60_000,
  });
  const { error } = answer;
  const problems = useMemo(() => (isEnabled ? problemsIn(error) : NONE), [error, isEnabled]);
  return {
    effects: isEnabled && !answer.isError ? answer.data : undefined,
    isBehind: settled !== text || answer.isFetching,
    problems,
    failure: problems.length > 0 || !isEnabled ? undefined : (error ?? undefined),
  };
}

/** What a refused document is told, with line and column. */
export function problemsIn(error: unknown): readonly Problem[] {
  const issues = refusalOf(error)?.fields.issues;
  if (!Array.isArray(issues)) return NONE;
  return issues.flatMap((issue: Partial<Problem>) =>
    typeof issue.message === 'string' && typeof issue.line === 'number' && typeof issue.column === 'number'
      ? [{ line: issue.line, column: issue.column, message: issue.message, path: issue.path ?? '' }]
      : [],
  );
}

function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
