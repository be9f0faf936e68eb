/** What of the things a call names is there for the caller: whatever a condition leaves out is not found, as if it never was. */
import type { RuleResource, RuleVerb } from '@gatehouse/contract/access/roles/vocabulary';
import type { Actor } from '../platform/http/actor.ts';
import { notFound } from '../platform/std/app-error.ts';
import { mayEver } from './acl-of.ts';
import { ActionDenied } from './action-denied.ts';
import type { AccessControl } from './create-access.ts';
import { isWithinScope } from './token-limits.ts';

type ReachAccess = Pick<AccessControl, 'decide'>;

/** Things that conditions know by their kind and name alone. */
export type NamedKind = 'user' | 'lock' | 'token' | 'cluster_alert' | 'trusted_cluster';

export function mayReach(access: ReachAccess, actor: Actor, verb: RuleVerb, kind: NamedKind, name: string): boolean {
  return access.decide(actor, { type: 'verb', resource: kind, verb, object: { kind, name } }).allowed;
}

/** For at least some of them, as far as can be told without one. */
export function mayEverReach(
  access: ReachAccess & Pick<AccessControl, 'of'>,
  actor: Actor,
  verb: RuleVerb,
  kind: RuleResource,
) {
  return (
    actor.isOwner === true ||
    (isWithinScope(actor, { type: 'verb', resource: kind, verb }) && mayEver(access.of(actor), kind, verb))
  );
}

/** Throws `denied` for whoever may do it to none of them. */
export function requireEver(
  access: ReachAccess & Pick<AccessControl, 'of'>,
  actor: Actor,
  verb: RuleVerb,
  kind: NamedKind,
) {
  if (!mayEverReach(access, actor, verb, kind)) throw new ActionDenied({ type: 'verb', resource: kind, verb });
}

/** A right to some cluster under a condition is none to this one. */
export function requireOnCluster(
  access: Pick<AccessControl, 'require'>,
  actor: Actor,
  verb: RuleVerb,
  name: string,
): void {
  const object = { kind: 'trusted_cluster', name };
  access.require(actor, { type: 'verb', resource: 'trusted_cluster', verb, object });
}

/** The thing itself, or `not found` in the same words for what is not there and what is out of reach. */
export function requireReach<T>(
  access: ReachAccess,
  { actor, verb, kind, name, called = kind }: Naming,
  found: T | undefined,
): T {
  if (found === undefined || !mayReach(access, actor, verb, kind, name)) throw notFound(called, name);
  return found;
}

interface Naming {
  actor: Actor;
  verb: RuleVerb;
  kind: NamedKind;
  name: string;
  /** What people call it, where rules have another word. */
  called?: string;
}
