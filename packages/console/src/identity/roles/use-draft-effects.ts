/** What saving the draft of a role would do, and what the gateway finds wrong with its text. */
import { useMemo } from 'react';
import { useWhatIf, type WhatIf } from '../../shared/access-questions/use-what-if.ts';
import type { Problem } from '../../shared/document-editor/read-document.ts';
import { problemsIn } from '../../shared/document-editor/refused-document.ts';

export function useDraftEffects(text: string, isEnabled: boolean): WhatIf & { problems: readonly Problem[] } {
  const whatIf = useWhatIf({ type: 'save-role', content: text }, isEnabled);
  const { failure } = whatIf;
  const problems = useMemo(() => problemsIn(failure), [failure]);
  return { ...whatIf, problems, failure: problems.length > 0 ? undefined : failure };
}
