/** What a machine may offer by the token it joined with. */
import type { TokenOffers } from '@gatehouse/contract/reach/join-tokens/token-offers';
import { parsePattern } from '../../../access/match/pattern.ts';

/** A token that names no application lets none be offered; one that names no servers or labels lets any. */
export function mayOffer(offers: TokenOffers, what: keyof TokenOffers, name: string): boolean {
  const patterns = offers[what];
  if (patterns === undefined) return what !== 'apps';
  return patterns.some((pattern) => parsePattern(pattern).matches(name));
}
