/** Plans of MySQL and MariaDB in the shape that PostgreSQL's have: the page draws one kind of tree. */
import { parseJson } from '@gatehouse/contract/std/parse-json';
import type { PlanNode } from '../thread/plan-node.ts';

const MAX_DEPTH = 64;

type PlanPart = Readonly<Record<string, unknown>>;

/** How the rows of a table are come by. */
const ACCESS: Readonly<Record<string, string>> = {
  ALL: 'Full Scan',
  index: 'Index Scan',
  range: 'Index Range Scan',
  ref: 'Index Lookup',
  ref_or_null: 'Index Lookup',
  eq_ref: 'Unique Lookup',
  const: 'Constant Lookup',
  system: 'Constant Lookup',
  fulltext: 'Fulltext Search',
  index_merge: 'Index Merge',
};
/** They say nothing but what follows. */
const BARE = new Set(['nested_loop', 'query_specifications', 'subqueries']);

/** Undefined where it is no such plan. */
export function planOf(text: string): string | undefined {
  const told = parseJson(text);
  const block = isTold(told) ? told.query_block : undefined;
  if (!isTold(block)) return undefined;
  return JSON.stringify([{ Plan: nodeOf('query_block', block, 0) }]);
}

function nodeOf(name: string, told: PlanPart, depth: number): PlanNode {
  const plans = depth < MAX_DEPTH ? Object.entries(told).flatMap(([key, value]) => nodesIn(key, value, depth + 1)) : [];
  const own = numbersOf(told);
  const loops = own['Actual Loops'] ?? 1;
  const inside = plans.map(timeOf).filter((time) => time !== undefined);
  // Where only what is inside was measured, it took at least as long.
  const time = own['Actual Total Time'] ?? (inside.length > 0 ? sum(inside) / loops : undefined);
  const [only] = plans;
  // A block that only holds one other thing, and knows nothing of its own, is no step.
  if (only && plans.length === 1 && name !== 'table' && Object.keys(own).length === 0) return only;
  return {
    'Node Type': typeOf(name, told),
    ...texts(told),
    ...own,
    ...(time === undefined ? {} : { 'Actual Total Time': time }),
    ...(plans.length > 0 ? { Plans: plans } : {}),
  };
}

function nodesIn(key: string, value: unknown, depth: number): PlanNode[] {
  if (key === 'cost_info') return [];
  if (isTold(value)) return [nodeOf(key, value, depth)];
  if (!Array.isArray(value)) return [];
  const inside = value
    .filter(isTold)
    .flatMap((each) =>
      BARE.has(key)
        ? Object.entries(each).flatMap(([name, one]) => nodesIn(name, one, depth))
        : [nodeOf(key, each, depth)],
    );
  return key === 'nested_loop' && inside.length > 1 ? [joined(inside)] : inside;
}

function joined(plans: PlanNode[]): PlanNode {
  const times = plans.map(timeOf).filter((time) => time !== undefined);
  return {
    'Node Type': 'Nested Loop',
    ...(times.length > 0 ? { 'Actual Total Time': sum(times), 'Actual Loops': 1 } : {}),
    Plans: plans,
  };
}

function typeOf(name: string, { access_type: access }: PlanPart): string {
  if (name === 'table' && typeof access === 'string') return ACCESS[access] ?? access;
  return name
    .split(/[_-]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');
}

function texts({ table_name: table, key, attached_condition: filter }: PlanPart): Partial<PlanNode> {
  return {
    ...(typeof table === 'string' ? { 'Relation Name': table } : {}),
    ...(typeof key === 'string' ? { 'Index Name': key } : {}),
    ...(typeof filter === 'string' ? { Filter: filter } : {}),
  };
}

/** What was measured is of all loops together; the shape wants it of one. */
function numbersOf(told: PlanPart): Partial<PlanNode> {
  const costs = isTold(told.cost_info) ? told.cost_info : {};
  const loops = numberIn(told.r_loops);
  const measured =
    numberIn(told.r_total_time_ms) ?? added(numberIn(told.r_table_time_ms), numberIn(told.r_other_time_ms));
  const found = {
    'Total Cost': numberIn(told.cost) ?? numberIn(costs.query_cost) ?? numberIn(costs.prefix_cost),
    'Plan Rows': numberIn(told.rows) ?? numberIn(told.rows_produced_per_join) ?? numberIn(told.rows_examined_per_scan),
    'Actual Rows': numberIn(told.r_rows),
    'Actual Loops': loops,
    'Actual Total Time': measured === undefined ? undefined : measured / Math.max(1, loops ?? 1),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

function timeOf({ 'Actual Total Time': time, 'Actual Loops': loops = 1 }: PlanNode): number | undefined {
  return time === undefined ? undefined : time * loops;
}

function added(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined && other === undefined ? undefined : (one ?? 0) + (other ?? 0);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function numberIn(value: unknown): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

function isTold(value: unknown): value is PlanPart {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
