/** Labels that say which things are meant, each with the values that match. */
import { z } from 'zod';

const ANY = '*';

/** `*` for any value. */
export const matcherLabels = z
  .record(z.string().min(1).max(256), z.array(z.string().max(1024)).max(64))
  .refine((labels) => Object.keys(labels).length <= 64, 'must be 64 labels at most');
export type MatcherLabels = z.output<typeof matcherLabels>;

/** Each label must have one of its values; `*` stands for any, as a value or, with itself, for all things. Without labels it fits none. */
export function fitsLabels(matcher: MatcherLabels, labels: Readonly<Record<string, string>>): boolean {
  const wanted = Object.entries(matcher);
  return wanted.length > 0 && wanted.every(([name, values]) => fitsOne(name, values, labels));
}

function fitsOne(name: string, values: readonly string[], labels: Readonly<Record<string, string>>): boolean {
  if (name === ANY) return values.includes(ANY);
  return Object.hasOwn(labels, name) && (values.includes(ANY) || values.includes(labels[name]!));
}
