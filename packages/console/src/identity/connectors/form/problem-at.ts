/** What the gateway found wrong at a field of a document. */
import type { Problem } from '../../../shared/document-editor/read-document.ts';

/** There, or in one of its items. */
export function problemAt(problems: readonly Problem[], path: string): string | undefined {
  return problems.find(({ path: found = '' }) => found === path || found.startsWith(`${path}[`))?.message;
}
