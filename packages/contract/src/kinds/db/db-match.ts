/** Which databases an agent looks after that are entered at the gateway: by their labels. */
import { z } from 'zod';
import { type MatcherLabels, matcherLabels } from '../../reach/join-tokens/token-facts.ts';

const ANY = '*';

/** Those that fit one of them. */
export const databaseMatch = z.array(matcherLabels).max(64);
export type DatabaseMatch = z.output<typeof databaseMatch>;

/** Each label must have one of its values; `*` stands for any, as a value or, with itself, for all databases. Without labels it fits none. */
export function fitsLabels(matcher: MatcherLabels, labels: Readonly<Record<string, string>>): boolean {
  const wanted = Object.entries(matcher);
  return wanted.length > 0 && wanted.every(([name, values]) => fitsOne(name, values, labels));
}

function fitsOne(name: string, values: readonly string[], labels: Readonly<Record<string, string>>): boolean {
  if (name === ANY) return values.includes(ANY);
  return Object.hasOwn(labels, name) && (values.includes(ANY) || values.includes(labels[name]!));
}
