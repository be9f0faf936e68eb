/** What changes for whom between two states of the roles. Decided once per user and part of the inventory that roles tell apart, never per resource. Pure. */
import type { Extent } from '@gatehouse/contract/access/explain/what-if';
import type { Kind } from '@gatehouse/contract/kinds/kinds';
import type { Access, BoundRole } from '../../access/bind-access.ts';
import { compareReach, type ReachChange } from './compare-reach.ts';
import {
  type Column,
  createGroupMatcher,
  type GroupMatcher,
  type Part,
  type ResourceGroup,
  splitBy,
} from './match-groups.ts';
import { NO_REACH, pairedFields, type Reach, reachedBy, reachOf } from './reach.ts';

export interface AffectedUser {
  user: string;
  before: Access;
  after: Access;
}

/** One user gains and loses the same on all resources of these blocks. */
export interface FoundEffect extends ReachChange {
  user: string;
  kind: Kind;
  blocks: readonly number[];
  resourceCount: number;
}

export interface KindEffects {
  kind: Kind;
  effects: FoundEffect[];
  extent: Extent;
  /** One after the other, so that whoever needs a few need not gather thousands. */
  resourcesIn(effect: FoundEffect): Iterable<{ id: string; name: string }>;
}

/** Groups that nobody's roles tell apart, and how many resources are in them. */
interface Block {
  groups: Part;
  resourceCount: number;
}

export function effectsOn(kind: Kind, groups: readonly ResourceGroup[], users: readonly AffectedUser[]): KindEffects {
  const matcher = createGroupMatcher(kind, groups);
  const states = users.map((user) => ({
    ...user,
    was: columnsOf(matcher, user.before),
    becomes: columnsOf(matcher, user.after),
  }));
  const columns = new Set(states.flatMap(({ was, becomes }) => [...was.all, ...becomes.all]));
  const blocks = splitBy([...columns], groups.length).map((part) => toBlock(part, groups));
  const split = blockSplitter(columns, blocks);
  const effects = states.flatMap((state) => effectsFor(kind, state, split, blocks));
  return {
    kind,
    effects,
    extent: extentOf(effects, blocks),
    *resourcesIn(effect) {
      for (const block of effect.blocks) for (const group of blocks[block]!.groups) yield* groups[group]!.resources;
    },
  };
}

function toBlock(part: Part, groups: readonly ResourceGroup[]): Block {
  return { groups: part, resourceCount: part.reduce((sum, group) => sum + groups[group]!.resources.length, 0) };
}

/** Splits the blocks by some of the columns; users with the same columns share the answer. */
function blockSplitter(columns: Iterable<Column>, blocks: readonly Block[]): (wanted: readonly Column[]) => Part[] {
  const reduced = new Map<Column, { number: number; bits: Column }>();
  for (const column of columns) {
    reduced.set(column, { number: reduced.size, bits: Uint8Array.from(blocks, ({ groups }) => column[groups[0]!]!) });
  }
  const known = new Map<string, Part[]>();
  return (wanted) => {
    const chosen = [...new Set(wanted)].map((column) => reduced.get(column)!).sort((a, b) => a.number - b.number);
    const key = chosen.map(({ number }) => number).join();
    const held = known.get(key);
    if (held) return held;
    const made = splitBy(
      chosen.map(({ bits }) => bits),
      blocks.length,
    );
    known.set(key, made);
    return made;
  };
}

interface State extends AffectedUser {
  was: Columns;
  becomes: Columns;
}

function effectsFor(
  kind: Kind,
  { user, before, after, was, becomes }: State,
  split: (wanted: readonly Column[]) => Part[],
  blocks: readonly Block[],
): FoundEffect[] {
  const found = new Map<string, { change: ReachChange; blocks: number[] }>();
  const isUntouched = untouched(kind, before, after, was, becomes);
  for (const part of split([...was.all, ...becomes.all])) {
    const group = blocks[part[0]!]!.groups[0]!;
    if (isUntouched(group)) continue;
    const change = compareReach(reachIn(group, kind, before, was), reachIn(group, kind, after, becomes));
    if (change.gained.length + change.lost.length === 0) continue;
    const key = JSON.stringify([change.gained, change.lost]);
    const held = found.get(key);
    if (held) held.blocks.push(...part);
    else found.set(key, { change, blocks: [...part] });
  }
  return [...found.values()].map(({ change, blocks: touched }) => ({
    ...change,
    user,
    kind,
    blocks: touched,
    resourceCount: touched.reduce((sum, block) => sum + blocks[block]!.resourceCount, 0),
  }));
}

/** Where no role that changes matches, and none of them denies names everywhere, nothing can change. */
function untouched(
  kind: Kind,
  before: Access,
  after: Access,
  was: Columns,
  becomes: Columns,
): (group: number) => boolean {
  const [held, holds] = [before, after].map(({ roles }) => new Set(roles.map(({ role }) => role)));
  const changed = [
    ...before.roles.filter(({ role }) => !holds!.has(role)),
    ...after.roles.filter(({ role }) => !held!.has(role)),
  ];
  const fields = [...reachedBy(kind).fields, ...pairedFields(kind).map(({ field }) => field)];
  const deniesNames = changed.some(
    ({ deny }) => deny.objects.length > 0 || fields.some((field) => deny.principals.has(field)),
  );
  if (deniesNames || JSON.stringify(before.traits) !== JSON.stringify(after.traits)) return () => false;
  const names = new Set(changed);
  const columns = [was, becomes].flatMap(({ clauses }) =>
    clauses.filter(({ role }) => names.has(role)).map(({ column }) => column),
  );
  return (group) => columns.every((column) => column[group] === 0);
}

interface RoleColumn {
  role: BoundRole;
  column: Column;
}

interface Columns {
  allow: readonly RoleColumn[];
  deny: readonly RoleColumn[];
  clauses: readonly RoleColumn[];
  all: readonly Column[];
}

function columnsOf(matcher: GroupMatcher, access: Access): Columns {
  const side = (which: 'allow' | 'deny') =>
    access.roles.flatMap((role) => {
      const column = matcher.column(access, role, which);
      return column ? [{ role, column }] : [];
    });
  const [allow, deny] = [side('allow'), side('deny')];
  const clauses = [...allow, ...deny];
  return { allow, deny, clauses, all: clauses.map(({ column }) => column) };
}

function reachIn(group: number, kind: Kind, access: Access, { allow, deny }: Columns): Reach {
  if (deny.some(({ column }) => column[group] === 1)) return NO_REACH;
  const matching = allow.filter(({ column }) => column[group] === 1).map(({ role }) => role);
  return reachOf(access, kind, matching);
}

function extentOf(effects: readonly FoundEffect[], blocks: readonly Block[]): Extent {
  const users = { gained: new Set<string>(), lost: new Set<string>() };
  const touched = { gained: new Set<number>(), lost: new Set<number>() };
  const names = { gained: 0, lost: 0 };
  for (const effect of effects) {
    for (const way of ['gained', 'lost'] as const) {
      if (effect[way].length === 0) continue;
      users[way].add(effect.user);
      names[way] += effect[way].length * effect.resourceCount;
      for (const block of effect.blocks) touched[way].add(block);
    }
  }
  const count = (parts: ReadonlySet<number>) =>
    [...parts].reduce((sum, block) => sum + blocks[block]!.resourceCount, 0);
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
