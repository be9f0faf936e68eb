/** Which groups of resources the labels of roles match, worked out once for everybody they are the same for. */
import type { Kind } from '@gatehouse/contract/kinds/kinds';
import type { Access, BoundRole, Labels } from '../access/bind-access.ts';
import type { CompiledRole, LabelClause } from '../access/compile-role.ts';
import { KIND_RULES } from '../access/kind-rules.ts';
import type { Traits } from '../access/match/template.ts';

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
  /** Splits the groups by the columns: groups of one part look the same to all of them. */
  split(columns: readonly Column[]): Part[];
}

export interface Part {
  groups: readonly number[];
  resourceCount: number;
}

export function createGroupMatcher(kind: Kind, groups: readonly ResourceGroup[]): GroupMatcher {
  const { field } = KIND_RULES[kind];
  const known = new Map<CompiledRole, Map<string, Column>>();
  const parts = new Map<string, Part[]>();
  const numbers = new Map<Column, number>();

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
      numbers.set(made, numbers.size);
      return made;
    },
    split(columns) {
      const distinct = [...new Set(columns)].sort((a, b) => numbers.get(a)! - numbers.get(b)!);
      const key = distinct.map((column) => numbers.get(column)).join();
      const held = parts.get(key);
      if (held) return held;
      const made = splitBy(distinct, groups);
      parts.set(key, made);
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

function splitBy(columns: readonly Column[], groups: readonly ResourceGroup[]): Part[] {
  let part = new Int32Array(groups.length);
  let count = groups.length === 0 ? 0 : 1;
  for (const column of columns) {
    const renumbered = new Map<number, number>();
    const next = new Int32Array(groups.length);
    for (let index = 0; index < groups.length; index += 1) {
      const pair = part[index]! * 2 + column[index]!;
      let number = renumbered.get(pair);
      if (number === undefined) {
        number = renumbered.size;
        renumbered.set(pair, number);
      }
      next[index] = number;
    }
    part = next;
    count = renumbered.size;
  }
  const made = Array.from({ length: count }, () => ({ groups: [] as number[], resourceCount: 0 }));
  for (const [index, number] of part.entries()) {
    made[number]!.groups.push(index);
    made[number]!.resourceCount += groups[index]!.resources.length;
  }
  return made;
}

/** Label names that can make a difference to somebody with these roles. */
export function labelKeysOf(accesses: Iterable<Access>): Set<string> {
  const keys = new Set<string>();
  for (const { roles } of accesses) for (const { role } of roles) for (const key of role.labelKeys) keys.add(key);
  return keys;
}
