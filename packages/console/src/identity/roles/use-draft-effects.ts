/** What saving the draft of a role would do, and what the gateway finds wrong with its text. */
import { useMemo } from 'react';
import { refusalOf } from '../../platform/failures/failure-words.ts';
import { useWhatIf, type WhatIf } from '../../shared/access-questions/use-what-if.ts';
import type { Problem } from './read-role.ts';

const NONE: readonly Problem[] = [];

export function useDraftEffects(text: string, isEnabled: boolean): WhatIf & { problems: readonly Problem[] } {
  const whatIf = useWhatIf({ type: 'save-role', content: text }, isEnabled);
  const { failure } = whatIf;
  const problems = useMemo(() => problemsIn(failure), [failure]);
  return { ...whatIf, problems, failure: problems.length > 0 ? undefined : failure };
}

/** What a refused document is told, with line and column. */
function problemsIn(error: unknown): readonly Problem[] {
  const issues = refusalOf(error)?.fields.issues;
  if (!Array.isArray(issues)) return NONE;
  return issues.flatMap((issue: Partial<Problem>) =>
    typeof issue.message === 'string' && typeof issue.line === 'number' && typeof issue.column === 'number'
      ? [{ line: issue.line, column: issue.column, message: issue.message, path: issue.path ?? '' }]
      : [],
  );
}
