/** What the command of a join token sets up, read off the rows of the kinds. */

import { type KindNamed, schemasOf } from '@gatehouse/contract/kinds/kind-schemas';
import { factsOf, isNamedKind, type Kind, kinds, type NamedKind } from '@gatehouse/contract/kinds/kinds';
import type { MatcherLabels } from '@gatehouse/contract/std/matcher-labels';

/** The one thing an agent will offer instead of its machine. */
export interface NamedThing {
  kind: NamedKind;
  /** Its name, and what else its kind needs to be told. */
  values: Readonly<Record<string, string>> & { name: string };
}

/** Instead of one thing: those that are entered at the gateway, by their labels. */
export interface LookedAfter {
  kind: NamedKind;
  labels: MatcherLabels;
}

/** What the body that makes a token names, of whichever kind. */
export function namedIn(body: KindNamed): NamedThing | undefined {
  const given = body as { readonly [K in Kind]?: NamedThing['values'] };
  const kind = kinds.filter(isNamedKind).find((each) => schemasOf(each).named && given[each]);
  return kind && { kind, values: given[kind]! };
}

/** Of a kind that agents cannot offer yet, though tokens for it can be made. */
export function notYet(kind: Kind): string {
  return `${factsOf(kind).noun}s are not there yet: no agent can offer one, and there is nothing to install for them`;
}
