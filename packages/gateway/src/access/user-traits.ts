/** What templates call the traits of user records, and what records call what people write. */
import { rows } from '@gatehouse/contract/kinds/kinds';
import type { Traits } from './match/template.ts';
import { writtenKey } from './match/trait-keys.ts';

const TEMPLATE_NAMES: ReadonlyMap<string, string> = new Map(
  rows
    .flatMap(({ principals }) => principals)
    .flatMap(({ userTrait, trait, field }) => (userTrait === undefined ? [] : [[userTrait, trait ?? field] as const])),
);

const RECORD_NAMES: ReadonlyMap<string, string> = new Map(
  [...TEMPLATE_NAMES].map(([record, template]) => [template, record]),
);

/** Traits that came from a sign-in provider keep the names they have there. */
export function templateTraits(stored: Traits): Traits {
  return Object.fromEntries(Object.entries(stored).map(([name, values]) => [TEMPLATE_NAMES.get(name) ?? name, values]));
}

/** Where a trait that somebody writes is kept: `db_users` in the user's record, `external.db_users` beside it. */
export function recordTrait(written: string): string {
  const key = writtenKey(written);
  return RECORD_NAMES.get(key) ?? key;
}

/** Traits as people write them, by the names they are kept under: what was written by two names of one is all there. */
export function recordTraits(written: Traits): Record<string, string[]> {
  const kept = new Map<string, string[]>();
  for (const [name, values] of Object.entries(written)) {
    const trait = recordTrait(name);
    kept.set(trait, [...new Set([...(kept.get(trait) ?? []), ...values])]);
  }
  return Object.fromEntries(kept);
}
