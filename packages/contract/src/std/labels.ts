/** Labels as they travel: name and value, sorted by name, internal ones left out. */
import { z } from 'zod';

export const label = z.object({ name: z.string().max(256), value: z.string().max(1024) });
export type Label = z.output<typeof label>;

const HIDDEN_PREFIXES = ['teleport.internal/', 'teleport.hidden/'];

/** Given by the gateway alone. */
export function isHiddenLabel(name: string): boolean {
  return HIDDEN_PREFIXES.some((prefix) => name.startsWith(prefix));
}

/** Hidden labels stay searchable but are never returned. */
export function visibleLabels(labels: Record<string, string>): Label[] {
  return Object.entries(labels)
    .filter(([name]) => !isHiddenLabel(name))
    .map(([name, value]) => ({ name, value }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
