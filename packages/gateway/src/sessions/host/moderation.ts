/** Whether the people in a session are those that the owner's roles want to be there before anything goes on. */
import type { RequirePolicy } from '@gatehouse/contract/access/roles/role-conditions';
import {
  PARTICIPANT_MODES,
  type ParticipantMode,
  type SessionNeed,
} from '@gatehouse/contract/sessions/terminal-frames';
import { type Access, aboutUser } from '../../access/bind-access.ts';
import type { AccessControl, Subject } from '../../access/create-access.ts';
import { requiredJoins } from '../../access/session-options.ts';
import { templateTraits } from '../../access/user-traits.ts';
import { parseWhere } from '../../access/where/parse-where.ts';
import { holds } from '../../access/where/simplify-where.ts';
import type { Where } from '../../access/where/where-expression.ts';

/** One way to fulfil what a role asks for. */
interface JoinWay {
  /** The same for the same words of the same role, however often they are read. */
  key: string;
  policy: RequirePolicy;
  filter: Where;
}

/** What one role asks for. Every role must be content; for each, one of its ways is enough. */
export interface JoinRule {
  role: string;
  ways: readonly JoinWay[];
}

/** Somebody in a session, and for what they count there: what was decided about them, not what they hold. */
export interface Present {
  username: string;
  counts: ReadonlySet<string>;
}

export function joinRules(held: Pick<Access, 'roles'>, kind: string): JoinRule[] {
  const rules = new Map<string, JoinWay[]>();
  for (const { role, policy } of requiredJoins(held, kind)) {
    const ways = rules.get(role) ?? [];
    ways.push({ key: JSON.stringify([role, policy]), policy, filter: parseWhere(policy.filter) });
    rules.set(role, ways);
  }
  return [...rules].map(([role, ways]) => ({ role, ways }));
}

export function unmetRules(rules: readonly JoinRule[], owner: string, present: readonly Present[]): JoinRule[] {
  return rules.filter(({ ways }) => !ways.some((way) => missing(way, owner, present) === 0));
}

/** Whether a way by which it was fulfilled says that the session must not outlive that; any way, where nobody knows. */
export function endsWhenUnmet({ ways }: JoinRule, owner: string, before: readonly Present[] | undefined): boolean {
  const fulfilled = ways.filter((way) => before === undefined || missing(way, owner, before) === 0);
  return fulfilled.some(({ policy }) => policy.on_leave !== 'pause');
}

export function needsOf(rules: readonly JoinRule[], owner: string, present: readonly Present[]): SessionNeed[] {
  return rules.flatMap(({ role, ways }) =>
    ways.map((way) => ({
      role,
      policy: way.policy.name,
      missing: missing(way, owner, present),
      modes: PARTICIPANT_MODES.filter((mode) => takesMode(way, mode)),
    })),
  );
}

/** The modes in which somebody would count for any of these rules. */
export function modesThatCount(rules: readonly JoinRule[], someone: Subject, access: RulesHolder): ParticipantMode[] {
  return PARTICIPANT_MODES.filter((mode) => waysFor(rules, someone, { mode, access }).size > 0);
}

type RulesHolder = Pick<AccessControl, 'of'>;

/** For which of these rules somebody counts in that mode. */
export function waysFor(
  rules: readonly JoinRule[],
  someone: Subject,
  { mode, access }: { mode: ParticipantMode; access: RulesHolder },
): ReadonlySet<string> {
  const ways = rules.flatMap((rule) => rule.ways);
  // As all conditions know people: a role that has run out makes nobody the second of two.
  const { roles } = access.of(someone);
  const read = aboutUser(
    { username: someone.username, traits: templateTraits(someone.traits) },
    roles.map(({ name }) => name),
  );
  return new Set(ways.filter((way) => takesMode(way, mode) && holds(way.filter, read)).map(({ key }) => key));
}

/** Somebody in two windows is one person, and nobody moderates themselves. */
function missing(way: JoinWay, owner: string, present: readonly Present[]): number {
  const others = present.filter(({ username, counts }) => username !== owner && counts.has(way.key));
  const people = new Set(others.map(({ username }) => username));
  return Math.max(0, way.policy.count - people.size);
}

function takesMode({ policy }: JoinWay, mode: ParticipantMode): boolean {
  return policy.modes.some((known) => known === mode || known === '*');
}
