/** Which groups of resources the labels of roles match, worked out once for everybody they are the same for. */
import { factsOf, type Kind } from '@gatehouse/contract/kinds/kinds';
import type { Access, BoundRole, Labels } from '../../access/bind-access.ts';
import type { CompiledRole, LabelClause } from '../../access/compile-role.ts';
import type { Traits } from '../../access/match/template.ts';

/** Resources of one kind that no role can tell apart. */
export interface ResourceGroup {
  labels: Labels;
  resources: readonly { id: string; name: string }[];
}

/** One bit per group; shared by all users for whom the clause means the same. */
export type Column = Uint8Array;

export interface GroupMatcher {
  /** Nothing when the role has no such clause. */
  column(access: Pick<Access, 'traits'>, role: BoundRole, side: 'allow' | 'deny'): Column | undefined;
}

/** Groups that a set of clauses cannot tell apart. */
export type Part = readonly number[];

export function createGroupMatcher(kind: Kind, groups: readonly ResourceGroup[]): GroupMatcher {
  const field = factsOf(kind).labels;
  const known = new Map<CompiledRole, Map<string, Column>>();
  return {
    column({ traits }, bound, side) {
      const labels = bound[side].labels.get(field);
      if (!labels) return undefined;
      const columns = known.get(bound.role) ?? new Map<string, Column>();
      known.set(bound.role, columns);
      const key = `${side} ${templateValues(bound.role[side].labels.get(field), traits)}`;
      const held = columns.get(key);
      if (held) return held;
      const made = Uint8Array.from(groups, (group) => (labels.matches(group.labels) ? 1 : 0));
      columns.set(key, made);
      return made;
    },
  };
}

/** What the templates in the labels become for a user: the only thing users can differ by. */
function templateValues(clause: LabelClause | undefined, traits: Traits): string {
  const sources = clause?.keys.flatMap(({ values }) => values) ?? [];
  const templates = sources.flatMap((source) => ('template' in source ? [source.template] : []));
  return templates.length === 0 ? '' : JSON.stringify(templates.map((template) => template.expand(traits)));
}

/** Splits places into parts that look the same to all columns. */
export function splitBy(columns: readonly Column[], size: number): Part[] {
  let part = new Int32Array(size);
  let count = size === 0 ? 0 : 1;
  for (const column of columns) {
    // Two numbers at most come of each: an array serves where a map would be slow.
    const renumbered = new Int32Array(count * 2).fill(-1);
    const next = new Int32Array(size);
    count = 0;
    for (let index = 0; index < size; index += 1) {
      const pair = part[index]! * 2 + column[index]!;
      if (renumbered[pair] === -1) {
        renumbered[pair] = count;
        count += 1;
      }
      next[index] = renumbered[pair]!;
    }
    part = next;
  }
  const made: number[][] = Array.from({ length: count }, () => []);
  for (let index = 0; index < size; index += 1) made[part[index]!]!.push(index);
  return made;
}

/** Label names that can make a difference to somebody with these roles. */
export function labelKeysOf(accesses: Iterable<Access>): Set<string> {
  const roles = new Set<CompiledRole>();
  for (const access of accesses) for (const { role } of access.roles) roles.add(role);
  return new Set([...roles].flatMap(({ labelKeys }) => [...labelKeys]));
}
