/** What changes for whom between two states of the roles. Decided once per user and part of the inventory that roles tell apart, never per resource. Pure. */
import type { Extent } from '@gatehouse/contract/explain/what-if';
import type { Kind } from '@gatehouse/contract/kinds/kinds';
import type { Access, BoundRole } from '../access/bind-access.ts';
import { compareReach, type ReachChange } from './compare-reach.ts';
import { type Column, createGroupMatcher, type GroupMatcher, type Part, type ResourceGroup } from './match-groups.ts';
import { NO_REACH, type Reach, reachOf } from './reach.ts';

export interface AffectedUser {
  user: string;
  before: Access;
  after: Access;
}

/** One user gains and loses the same on all resources of these groups. */
export interface FoundEffect extends ReachChange {
  user: string;
  kind: Kind;
  groups: readonly number[];
  resourceCount: number;
}

export interface KindEffects {
  kind: Kind;
  effects: FoundEffect[];
  extent: Extent;
}

export function effectsOn(kind: Kind, groups: readonly ResourceGroup[], users: readonly AffectedUser[]): KindEffects {
  const matcher = createGroupMatcher(kind, groups);
  const effects = users.flatMap((user) => effectsFor(matcher, kind, user));
  return { kind, effects, extent: extentOf(effects, groups) };
}

function effectsFor(matcher: GroupMatcher, kind: Kind, { user, before, after }: AffectedUser): FoundEffect[] {
  const [was, becomes] = [columnsOf(matcher, before), columnsOf(matcher, after)];
  const found = new Map<string, FoundEffect>();
  for (const part of matcher.split([...was.all, ...becomes.all])) {
    const change = compareReach(reachIn(part, kind, before, was), reachIn(part, kind, after, becomes));
    if (change.gained.length + change.lost.length === 0) continue;
    const key = JSON.stringify([change.gained, change.lost]);
    const held = found.get(key);
    found.set(key, {
      ...change,
      user,
      kind,
      groups: held ? [...held.groups, ...part.groups] : part.groups,
      resourceCount: (held?.resourceCount ?? 0) + part.resourceCount,
    });
  }
  return [...found.values()];
}

interface Columns {
  allow: readonly { role: BoundRole; column: Column }[];
  deny: readonly Column[];
  all: readonly Column[];
}

function columnsOf(matcher: GroupMatcher, access: Access): Columns {
  const allow = access.roles.flatMap((role) => {
    const column = matcher.column(access, role, 'allow');
    return column ? [{ role, column }] : [];
  });
  const deny = access.roles.flatMap((role) => matcher.column(access, role, 'deny') ?? []);
  return { allow, deny, all: [...allow.map(({ column }) => column), ...deny] };
}

function reachIn({ groups }: Part, kind: Kind, access: Access, { allow, deny }: Columns): Reach {
  const [first = 0] = groups;
  if (deny.some((column) => column[first] === 1)) return NO_REACH;
  const matching = allow.filter(({ column }) => column[first] === 1).map(({ role }) => role);
  return reachOf(access, kind, matching);
}

function extentOf(effects: readonly FoundEffect[], groups: readonly ResourceGroup[]): Extent {
  const users = { gained: new Set<string>(), lost: new Set<string>() };
  const touched = { gained: new Uint8Array(groups.length), lost: new Uint8Array(groups.length) };
  const seen = { gained: new Set<readonly number[]>(), lost: new Set<readonly number[]>() };
  const names = { gained: 0, lost: 0 };
  for (const effect of effects) {
    for (const way of ['gained', 'lost'] as const) {
      if (effect[way].length === 0) continue;
      users[way].add(effect.user);
      names[way] += effect[way].length * effect.resourceCount;
      // Users who differ only by their names share their parts.
      if (seen[way].has(effect.groups)) continue;
      seen[way].add(effect.groups);
      for (const group of effect.groups) touched[way][group] = 1;
    }
  }
  const count = (bits: Uint8Array) =>
    groups.reduce((sum, group, at) => sum + (bits[at] ? group.resources.length : 0), 0);
  return {
    users: { gained: users.gained.size, lost: users.lost.size },
    resources: { gained: count(touched.gained), lost: count(touched.lost) },
    names,
  };
}

/** What the kinds have together. */
export function totalExtent(kinds: readonly KindEffects[]): Extent {
  const users = (way: 'gained' | 'lost') =>
    new Set(kinds.flatMap(({ effects }) => effects.filter((each) => each[way].length > 0).map(({ user }) => user)))
      .size;
  const sum = (read: (extent: Extent) => number) => kinds.reduce((total, { extent }) => total + read(extent), 0);
  return {
    users: { gained: users('gained'), lost: users('lost') },
    resources: { gained: sum(({ resources }) => resources.gained), lost: sum(({ resources }) => resources.lost) },
    names: { gained: sum(({ names }) => names.gained), lost: sum(({ names }) => names.lost) },
  };
}
