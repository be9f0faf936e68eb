/** What a machine may offer by the token it joined with. */
import { rows } from '@gatehouse/contract/kinds/kinds';
import type { TokenOffers } from '@gatehouse/contract/reach/join-tokens/token-offers';
import { parsePattern } from '../../../access/match/pattern.ts';

/** By the path of a kind, or `labels`. A token that names nothing of a kind whose things are named lets none be offered; one that names no machines or labels lets any. */
export function mayOffer(offers: TokenOffers, what: string, name: string): boolean {
  const patterns = patternsIn(offers, what);
  if (patterns === undefined) return rows.find(({ path }) => path === what)?.offered !== 'named';
  return patterns.some((pattern) => parsePattern(pattern).matches(name));
}

export function patternsIn(offers: TokenOffers, what: string): readonly string[] | undefined {
  return (offers as Readonly<Record<string, readonly string[] | undefined>>)[what];
}
