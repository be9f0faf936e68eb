/** Which traits somebody gets by what a provider says. Nothing of it sets what user records hold unless a mapping names it. */
import type { TraitMapping } from '@gatehouse/contract/identity/connectors/connector-document';
import { externalKey, isOwnTrait } from '../../../access/match/trait-keys.ts';
import { recordTrait } from '../../../access/user-traits.ts';
import type { Claims } from '../providers/provider.ts';
import { type Budget, createBudget } from './budget.ts';
import { type ClaimValues, claimValues } from './claim-values.ts';
import { atOnce, type Steps } from './steps.ts';
import { compileValue, MAX_VALUE_CHARACTERS, type ValueMatch } from './value-match.ts';

export interface MappedTraits {
  /** By the names user records keep them under. */
  traits: Record<string, string[]>;
  dropped: { claim: string; why: string }[];
}

/** Templates read no more of a trait. */
export const MAX_TRAIT_VALUES = 500;

/** Mappings that are read once and asked for many. `wanted`: keys that roles and headers of applications read. */
export type TraitMappings = (claims: Claims, wanted: ReadonlySet<string>, budget?: Budget) => Steps<MappedTraits>;

interface Row {
  from: string;
  trait: string;
  match: ValueMatch;
  /** What is written in place of the value. */
  isWritten: boolean;
}

/** Throws as `compileValue` does. */
export function compileTraits(mappings: readonly TraitMapping[] | undefined): TraitMappings {
  const rows = (mappings ?? []).map(
    ({ from, value = '*', to, as }): Row => ({
      from,
      trait: recordTrait(to),
      match: compileValue(value, as === undefined ? [] : [as]),
      isWritten: as !== undefined,
    }),
  );
  return (claims, wanted, budget = createBudget()) => giveTraits(rows, claims, wanted, budget);
}

export function mapTraits(
  mappings: readonly TraitMapping[] | undefined,
  claims: Claims,
  wanted: ReadonlySet<string>,
  budget?: Budget,
): MappedTraits {
  return atOnce(compileTraits(mappings)(claims, wanted, budget));
}

function* giveTraits(
  rows: readonly Row[],
  claims: Claims,
  wanted: ReadonlySet<string>,
  budget: Budget,
): Steps<MappedTraits> {
  const traits = new Map<string, Set<string>>();
  const dropped: MappedTraits['dropped'] = [];
  const used = new Set<string>();
  const read = new Map<string, ClaimValues>();
  for (const { from, trait, match, isWritten } of rows) {
    const held = traits.get(trait) ?? new Set();
    // Also without any value: what a mapping is there for, the provider does not fill in by another way.
    traits.set(trait, held);
    if (claims.has(from)) used.add(from);
    const said = read.get(from) ?? claimValues(claims.get(from) ?? []);
    read.set(from, said);
    if (!said.mayHold(match.needle)) continue;
    for (const given of said.values) {
      if (budget.spend()) {
        yield;
        budget.goOn();
      }
      const written = match.write(given);
      if (written) add(held, isWritten ? written : [given]);
    }
    if (held.size > MAX_TRAIT_VALUES) dropped.push({ claim: from, why: tooMany(held.size, trait) });
  }
  const mapped = new Set(traits.keys());
  for (const [claim, values] of claims) {
    const key = externalKey(claim);
    if (mapped.has(key)) continue;
    const why = claim === '__proto__' ? 'is no name of a trait' : wanted.has(key) ? undefined : unwanted(claim, key);
    if (why !== undefined) {
      if (!used.has(claim)) dropped.push({ claim, why });
      continue;
    }
    const held = add(new Set(), values);
    traits.set(key, held);
    if (held.size > MAX_TRAIT_VALUES) dropped.push({ claim, why: tooMany(held.size, key) });
  }
  const kept = [...traits].filter(([, values]) => values.size > 0);
  return {
    traits: Object.fromEntries(kept.map(([name, values]) => [name, [...values].slice(0, MAX_TRAIT_VALUES)])),
    dropped,
  };
}

function add(held: Set<string>, values: readonly string[]): Set<string> {
  for (const value of values) if (value !== '' && value.length <= MAX_VALUE_CHARACTERS) held.add(value);
  return held;
}

function unwanted(claim: string, key: string): string {
  if (!isOwnTrait(claim)) return 'no role asks for it';
  return `no role asks for '${key}', and only an entry of traits with 'to: ${claim}' lets it set what user records hold`;
}

function tooMany(count: number, trait: string): string {
  return `has ${count} values: '${trait}' keeps the first ${MAX_TRAIT_VALUES}`;
}
