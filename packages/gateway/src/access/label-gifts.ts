/** Labels give access as roles do: to oneself or to others no more than one has there already, and held back no less. */
import { factsOf } from '@gatehouse/contract/kinds/kinds';
import type { Actor } from '../platform/http/actor.ts';
import { AppError } from '../platform/std/app-error.ts';
import type { Connect, ReachedResource } from './action.ts';
import type { Access } from './bind-access.ts';
import type { AccessControl, Subject } from './create-access.ts';
import { requiredJoins } from './session-options.ts';
import { looserOption } from './strictness.ts';

type GiftAccess = Pick<AccessControl, 'of' | 'decide' | 'mayEditRoles'>;

/** One way to connect, and what it is called in a refusal. */
export interface WayIn {
  name: string;
  action: Connect;
  /** What it takes beside the right to connect so, where an action cannot say it all. */
  isHeld?(by: Access, thing: ReachedResource): boolean;
}

export interface Labelling<Thing extends ReachedResource> {
  /** Everybody there is. */
  people: readonly Subject[];
  /** As it is; absent for something new, of which one must have what it gives as it will be. */
  before: Thing | undefined;
  after: Thing;
  /** All that somebody can do with it once they are there. */
  ways(held: Access, thing: Thing): WayIn[];
}

/** Throws when somebody could then connect where the actor, with the credential they use, could not. */
export function refuseLabelGift<Thing extends ReachedResource>(
  access: GiftAccess,
  actor: Actor,
  { people, before, after, ways }: Labelling<Thing>,
): void {
  if (access.mayEditRoles(actor)) return;
  const own = access.of(actor);
  for (const person of people) {
    const held = access.of(person);
    const had = new Set(before ? ways(held, before).map(({ name }) => name) : []);
    for (const { name, action, isHeld } of ways(held, after)) {
      if (had.has(name)) continue;
      const thing = before ?? after;
      if (!access.decide(actor, { ...action, resource: thing }).allowed || isHeld?.(own, thing) === false)
        throw tooMuch(after, `somebody could then ${name}, which you cannot`);
      const clause = person.username === actor.username ? undefined : heldBackLess(held, own, action.kind);
      if (clause !== undefined)
        throw tooMuch(after, `somebody could then ${name} without what holds you back there (${clause})`);
    }
  }
}

/** What is asked of the second alone before and while they are connected. */
function heldBackLess(given: Access, held: Access, kind: Connect['kind']): string | undefined {
  const missing = requiredJoins(held, factsOf(kind).sessionKind).find(
    ({ role }) => !given.roles.some(({ name }) => name === role),
  );
  if (missing) return 'spec.allow.require_session_join';
  return looserOption(given, held, { opensSessions: true });
}

function tooMuch({ name }: ReachedResource, why: string): AppError {
  return new AppError('denied', `you cannot give '${name}' these labels: ${why}; ask somebody who may edit roles`);
}
