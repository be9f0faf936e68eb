/** Which roles somebody gets by what a provider says about them, each with the entry that gave it. */
import type { Claims, MappingEntry } from '../providers/provider.ts';
import { type Budget, createBudget } from './budget.ts';
import { type ClaimValues, claimValues } from './claim-values.ts';
import { atOnce, type Steps } from './steps.ts';
import { compileValue, type ValueMatch } from './value-match.ts';

export interface MappedRoles {
  /** Those that exist, once each. */
  roles: string[];
  given: { role: string; entry: string; exists: boolean }[];
  /** Paths of entries that no value matched. */
  unmatched: string[];
}

/** A mapping that is read once and asked for many. */
export type RoleMapping = (claims: Claims, exists: (role: string) => boolean, budget?: Budget) => Steps<MappedRoles>;

/** Somebody else names the roles that `$1` makes of 25,000 groups; those that do not exist are told up to here. */
const MAX_UNKNOWN_TOLD = 200;

interface Row {
  entry: MappingEntry;
  match: ValueMatch;
}

/** Throws `PatternError` or `MappingError`; `wrongWithMapping` finds all that would. */
export function compileMapping(entries: readonly MappingEntry[]): RoleMapping {
  const rows = entries.map((entry): Row => ({ entry, match: compileValue(entry.value, entry.roles, entry.exact) }));
  return function* (claims, exists, budget = createBudget()) {
    const given = createGiven(exists);
    const read = new Map<string, ClaimValues>();
    const unmatched: string[] = [];
    for (const { entry, match } of rows) {
      const held = read.get(entry.claim) ?? claimValues(claims.get(entry.claim) ?? []);
      read.set(entry.claim, held);
      const matched = yield* give(match, held, budget, (roles) => given.add(entry.path, roles));
      if (!matched) unmatched.push(entry.path);
    }
    return { ...given.result(), unmatched };
  };
}

export function mapRoles(
  entries: readonly MappingEntry[],
  claims: Claims,
  exists: (role: string) => boolean,
  budget?: Budget,
): MappedRoles {
  return atOnce(compileMapping(entries)(claims, exists, budget));
}

/** Whether any value matched. */
function* give(
  match: ValueMatch,
  { values, mayHold }: ClaimValues,
  budget: Budget,
  add: (roles: readonly string[]) => void,
): Steps<boolean> {
  if (match.literal === undefined && !mayHold(match.needle)) return false;
  if (match.literal !== undefined) {
    const roles = values.has(match.literal) ? match.write(match.literal) : undefined;
    if (roles) add(roles);
    return roles !== undefined;
  }
  let matched = false;
  for (const value of values) {
    if (budget.spend()) {
      yield;
      budget.goOn();
    }
    const roles = match.write(value);
    if (!roles) continue;
    matched = true;
    add(roles);
    if (!match.usesGroups) break;
  }
  return matched;
}

function createGiven(exists: (role: string) => boolean) {
  const known = new Map<string, boolean>();
  const given: MappedRoles['given'] = [];
  const told = new Set<string>();
  let unknown = 0;
  return {
    add(entry: string, roles: readonly string[]) {
      for (const role of roles) {
        const isKnown = known.get(role) ?? exists(role);
        known.set(role, isKnown);
        const key = `${entry}\n${role}`;
        if (told.has(key) || (!isKnown && unknown >= MAX_UNKNOWN_TOLD)) continue;
        told.add(key);
        if (!isKnown) unknown += 1;
        given.push({ role, entry, exists: isKnown });
      }
    },
    result: () => ({ roles: [...new Set(given.filter((each) => each.exists).map(({ role }) => role))].sort(), given }),
  };
}
