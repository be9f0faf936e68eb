/** What somebody gains and loses between two reaches. */
import type { AffectedName } from '@gatehouse/contract/access/explain/what-if';
import type { PrincipalField } from '@gatehouse/contract/access/roles/vocabulary';
import { isMeantByStar } from '../../access/star-fields.ts';
import { type Names, NO_REACH, type PairedNames, type Reach } from './reach.ts';

export interface ReachChange {
  gained: readonly AffectedName[];
  lost: readonly AffectedName[];
}

export const NO_CHANGE: ReachChange = { gained: [], lost: [] };

export function compareReach(before: Reach, after: Reach): ReachChange {
  if (before === NO_REACH && after === NO_REACH) return NO_CHANGE;
  const gained = newIn(after, before);
  const lost = newIn(before, after);
  // A denial that comes takes away, one that goes gives back.
  if (before.connect && after.connect) {
    gained.push(...objects(without(before.deniedObjects, after.deniedObjects)));
    lost.push(...objects(without(after.deniedObjects, before.deniedObjects)));
  }
  return gained.length + lost.length === 0 ? NO_CHANGE : { gained, lost };
}

function newIn(here: Reach, there: Reach): AffectedName[] {
  const found: AffectedName[] = [];
  if (here.connect && !there.connect) found.push({ field: 'connect', name: '' });
  for (const [field, names] of here.fields) {
    for (const name of newNames(field, names, there.fields.get(field))) found.push({ field, name });
    for (const pair of here.paired) if (pair.with === field) found.push(...newPaired(pair, there, names));
  }
  found.push(...objects(without(here.objects, there.objects)));
  return found;
}

function newPaired(
  { field, with: other, namesFor }: PairedNames,
  there: Reach,
  { any, values }: Names,
): AffectedName[] {
  const before = there.paired.find((pair) => pair.field === field);
  const partners = new Set([...values, ...(there.fields.get(other)?.values ?? []), ...(any ? ['*'] : [])]);
  return [...partners]
    .sort()
    .flatMap((partner) =>
      newNames(field, namesFor(partner), before?.namesFor(partner)).map((name) => ({ field, name, with: partner })),
    );
}

function newNames(field: PrincipalField, here: Names, there: Names | undefined): string[] {
  const named = [...here.values].filter((name) => !there?.allows(name)).sort();
  if (!here.any) return named;
  const beside = named.filter((name) => !isMeantByStar(field, name));
  if (!there?.any) return ['*', ...beside];
  // Of patterns only the writing can be compared; a single name may still be denied by another pattern.
  const freed = without(there.except, here.except).filter((text) => /[*^]/.test(text) || here.allows(text));
  return [...new Set([...freed, ...beside])];
}

function without(from: ReadonlySet<string>, taken: ReadonlySet<string>): string[] {
  return [...from].filter((item) => !taken.has(item)).sort();
}

function objects(texts: readonly string[]): AffectedName[] {
  return texts.map((name) => ({ field: 'kubernetes_resources', name }));
}
