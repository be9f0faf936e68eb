/** Plans of SQL Server in the shape that PostgreSQL's have: the page draws one kind of tree. */
import type { PlanNode } from '../thread/plan-node.ts';

/** While it is on, the server tells what it would do and does nothing; each must be a batch of its own. */
export const SHOW_PLAN = { on: 'SET SHOWPLAN_ALL ON', off: 'SET SHOWPLAN_ALL OFF' };

const AT = { node: 2, parent: 3, physical: 4, logical: 5, argument: 6, rows: 8, cost: 12, type: 15 } as const;
const FIELDS = 18;
const MAX_STEPS = 10_000;
const MAX_DEPTH = 64;

interface Step {
  parent: number;
  node: PlanNode;
}

/** Rows of it are lines, and their values stand between tabs. Undefined where it is no such plan. */
export function planOf(text: string): string | undefined {
  const steps = new Map<number, Step>();
  for (const line of text.split('\n')) {
    const fields = line.split('\t');
    // The statement itself is told first, as it was written.
    if (fields.length !== FIELDS || fields[AT.type] !== 'PLAN_ROW') continue;
    const [number, parent] = [Number(fields[AT.node]), Number(fields[AT.parent])];
    // One is told behind what it is part of.
    if (!(parent < number) || steps.size >= MAX_STEPS) return undefined;
    steps.set(number, { parent, node: nodeOf(fields) });
  }
  const roots = [...steps.values()].filter(({ parent }) => !steps.has(parent)).map(({ node }) => node);
  for (const { parent, node } of steps.values()) {
    const above = steps.get(parent)?.node;
    if (above) above.Plans = [...(above.Plans ?? []), node];
  }
  const [only] = roots;
  if (!only || depthOf(roots) > MAX_DEPTH) return undefined;
  return JSON.stringify([{ Plan: roots.length === 1 ? only : { 'Node Type': 'Batch', Plans: roots } }]);
}

function depthOf(nodes: readonly PlanNode[]): number {
  let depth = 0;
  for (let level = nodes; level.length > 0 && depth <= MAX_DEPTH; depth += 1)
    level = level.flatMap(({ Plans = [] }) => Plans);
  return depth;
}

function nodeOf(fields: readonly string[]): PlanNode {
  const [physical, logical, argument] = [fields[AT.physical], fields[AT.logical], fields[AT.argument] ?? ''];
  const [table, filter] = [/OBJECT:\(([^)]*)\)/.exec(argument)?.[1], /WHERE:\((.*)\)/.exec(argument)?.[1]];
  const [rows, cost] = [Number(fields[AT.rows]), Number(fields[AT.cost])];
  return {
    'Node Type': physical === logical ? `${physical}` : `${physical} (${logical})`,
    ...(table === undefined ? {} : { 'Relation Name': table }),
    ...(filter === undefined ? {} : { Filter: filter }),
    ...(Number.isFinite(cost) ? { 'Total Cost': cost } : {}),
    ...(Number.isFinite(rows) ? { 'Plan Rows': rows } : {}),
  };
}
