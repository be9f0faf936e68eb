/** Parts of what a tab keeps, read as what they should be: an older page may have written them, or somebody's hand. */
import { z } from 'zod';
import type { Kept, WatchedToken } from './flow.ts';

const texts = z.array(z.string());
const tokens = z.array(z.object({ id: z.string(), resourceId: z.string(), expires: z.string() }));

export function keptText(kept: Kept, name: string): string {
  const value = kept[name];
  return typeof value === 'string' ? value : '';
}

export function keptTexts(kept: Kept, name: string): string[] {
  return texts.safeParse(kept[name]).data ?? [];
}

/** What a form holds, where each field is still what it was when the form was written. */
export function keptDraft<T extends object>(kept: Kept, empty: T): T {
  const found = kept.draft;
  if (typeof found !== 'object' || found === null) return empty;
  const fits = Object.entries(found).filter(
    ([name, value]) => name in empty && sameShape(empty[name as keyof T], value),
  );
  return { ...empty, ...Object.fromEntries(fits) };
}

function sameShape(known: unknown, found: unknown): boolean {
  return typeof known === typeof found && Array.isArray(known) === Array.isArray(found) && found !== null;
}

/** Those that were typed, whichever form keeps them. */
export function keptLabels(kept: Kept): string[] {
  const own = keptTexts(kept, 'labels');
  const { draft } = kept;
  if (own.length > 0 || typeof draft !== 'object' || draft === null || !('labels' in draft)) return own;
  return texts.safeParse(draft.labels).data ?? [];
}

/** The newest first. */
export function keptTokens(kept: Kept): WatchedToken[] {
  return tokens.safeParse(kept.tokens).data ?? [];
}

/** How many shall join with one command; nothing for one. */
export function keptCount(kept: Kept): number | undefined {
  if (kept.several !== true) return undefined;
  const count = Number(keptText(kept, 'count'));
  return Number.isInteger(count) && count >= 1 && count <= 100_000 ? count : undefined;
}
