/** What the gateway finds wrong with a document, with line and column. */
import { refusalOf } from '../../platform/failures/failure-words.ts';
import type { Problem } from './read-document.ts';

const NONE: readonly Problem[] = [];

/** None for any other failure. */
export function problemsIn(error: unknown): readonly Problem[] {
  const issues = refusalOf(error)?.fields.issues;
  if (!Array.isArray(issues)) return NONE;
  return issues.flatMap((issue: Partial<Problem>) =>
    typeof issue.message === 'string' && typeof issue.line === 'number' && typeof issue.column === 'number'
      ? [{ line: issue.line, column: issue.column, message: issue.message, path: issue.path ?? '' }]
      : [],
  );
}
