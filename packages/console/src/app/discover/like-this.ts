/** What another one like this begins with: all that was chosen and typed, without what names the first. */
import type { Kept } from '../../shared/enrolment/flow.ts';

const OF_THE_FIRST = new Set(['id', 'name', 'tokens', 'waitedFrom', 'authorities']);

export function likeThis(kept: Kept): Kept {
  const entries = Object.entries(kept).filter(([name]) => !OF_THE_FIRST.has(name));
  return Object.fromEntries(entries.map(([name, value]) => [name, name === 'draft' ? withoutName(value) : value]));
}

function withoutName(draft: unknown): unknown {
  if (typeof draft !== 'object' || draft === null) return draft;
  const { name: _, ...rest } = draft as Record<string, unknown>;
  return rest;
}
