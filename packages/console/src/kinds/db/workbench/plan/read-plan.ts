/** What PostgreSQL says it would do, or did, as steps one below the other. */
import { parseJson } from '@gatehouse/contract/std/parse-json';
import { z } from 'zod';

interface RawStep {
  'Node Type': string;
  [field: string]: unknown;
}

const rawStep: z.ZodType<RawStep> = z.looseObject({ 'Node Type': z.string() });
const rawPlan = z
  .array(
    z.looseObject({
      Plan: rawStep,
      'Planning Time': z.number().optional(),
      'Execution Time': z.number().optional(),
    }),
  )
  .length(1);

export interface Step {
  title: string;
  /** What it is done with: table, index, condition. */
  detail: string;
  depth: number;
  plannedRows: number;
  cost: number;
  /** Of all loops together. */
  rows: number | undefined;
  loops: number | undefined;
  /** In this step alone. */
  ms: number | undefined;
  blocks: number | undefined;
}

export interface PlanFacts {
  steps: Step[];
  planningMs: number | undefined;
  totalMs: number | undefined;
}

/** A plan deeper than this is none that anybody reads. */
const MAX_DEPTH = 200;
const DETAILS = [
  'Hash Cond',
  'Merge Cond',
  'Index Cond',
  'Recheck Cond',
  'Join Filter',
  'Filter',
  'Sort Key',
  'Group Key',
  'Function Name',
  'CTE Name',
];

/** Nothing where it is no plan of that kind. */
export function readPlan(text: string): PlanFacts | undefined {
  const [whole] = rawPlan.safeParse(parseJson(text)).data ?? [];
  if (!whole) return undefined;
  const steps: Step[] = [];
  walk(whole.Plan, 0, steps);
  return { steps, planningMs: whole['Planning Time'], totalMs: whole['Execution Time'] };
}

function walk(step: RawStep, depth: number, into: Step[]): number {
  const loops = number(step['Actual Loops']);
  const each = number(step['Actual Total Time']);
  const total = each === undefined ? 0 : each * (loops ?? 1);
  const rows = number(step['Actual Rows']);
  const found: Step = {
    title: titleOf(step),
    detail: detailOf(step),
    depth,
    plannedRows: number(step['Plan Rows']) ?? 0,
    cost: number(step['Total Cost']) ?? 0,
    rows: rows === undefined ? undefined : Math.round(rows * (loops ?? 1)),
    loops,
    ms: undefined,
    blocks: sum(number(step['Shared Hit Blocks']), number(step['Shared Read Blocks'])),
  };
  into.push(found);
  const below = z.array(rawStep).safeParse(step.Plans).data ?? [];
  let spent = 0;
  if (depth < MAX_DEPTH) for (const child of below) spent += walk(child, depth + 1, into);
  if (each !== undefined) found.ms = Math.max(0, total - spent);
  return total;
}

function titleOf(step: RawStep): string {
  const on = text(step['Relation Name']) ?? text(step['CTE Name']) ?? text(step['Function Name']);
  const index = text(step['Index Name']);
  const join = text(step['Join Type']);
  const kind = join && join !== 'Inner' ? `${step['Node Type']} (${join})` : step['Node Type'];
  return [kind, on && `on ${on}`, index && `using ${index}`].filter(Boolean).join(' ');
}

function detailOf(step: RawStep): string {
  return DETAILS.flatMap((name) => {
    const given = step[name];
    const value = Array.isArray(given) ? given.join(', ') : text(given);
    return value === undefined ? [] : [`${name}: ${value}`];
  }).join('; ');
}

function number(given: unknown): number | undefined {
  return typeof given === 'number' && Number.isFinite(given) ? given : undefined;
}

function text(given: unknown): string | undefined {
  return typeof given === 'string' && given !== '' ? given : undefined;
}

function sum(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined && other === undefined ? undefined : (one ?? 0) + (other ?? 0);
}
