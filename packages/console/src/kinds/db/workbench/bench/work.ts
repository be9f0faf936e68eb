/** What a tab was last asked to do, and what has come of it so far. */
import type { TableName } from '@gatehouse/contract/kinds/db/editor';
import { type Answer, LINE_LOST } from '../line/editor-line.ts';
import { RowBuffer } from './row-buffer.ts';

type Of<Type extends Answer['type']> = Extract<Answer, { type: Type }>;
export type Done = Of<'done'>;
export type Transaction = Done['transaction'];
export type Tried = Of<'tried'>;
export type Settled = Of<'settled'>;
export type Plan = Of<'plan'>;

/** Of a run of very many statements only the first results are kept; what became of each is told. */
export const MAX_RESULTS = 50;
const MAX_TOLD = 500;

export interface Source extends TableName {
  columns: readonly string[];
  key: readonly string[];
}

export interface Result {
  statement: number;
  /** Its text. */
  sql: string;
  names: readonly string[];
  types: readonly string[];
  rows: RowBuffer;
  /** As many of the rows as were there when this was shown. */
  count: number;
  done: Done | undefined;
  source: Source | undefined;
}

export interface Failure {
  code: string;
  message: string;
  detail?: string | undefined;
  hint?: string | undefined;
  /** In the text that was sent. */
  position?: number | undefined;
  /** Which of the changes of rows. */
  change?: number | undefined;
}

/** In the order in which they came. */
export type Message =
  | { is: 'done'; done: Done }
  | { is: 'notice'; severity: string; text: string }
  | { is: 'failed'; failure: Failure };

export type WorkKind = 'run' | 'dryRun' | 'explain';

export interface Work {
  id: number;
  kind: WorkKind;
  sql: string;
  /** Where the text that was sent begins in the text of the tab. */
  base: number;
  begun: number;
  ended: number | undefined;
  results: readonly Result[];
  messages: readonly Message[];
  failure: Failure | undefined;
  plan: Plan | undefined;
  /** It was measured, and not only estimated. */
  isMeasured: boolean;
  tried: Tried | undefined;
  settled: Settled | undefined;
}

export function newWork(about: Pick<Work, 'id' | 'kind' | 'sql' | 'base' | 'begun'>, isMeasured = false): Work {
  return {
    ...about,
    ended: undefined,
    results: [],
    messages: [],
    failure: undefined,
    plan: undefined,
    isMeasured,
    tried: undefined,
    settled: undefined,
  };
}

/** Given what was there and what was heard. Rows are appended to what is shown, and only counted here. */
export function hearWork(work: Work, answer: Answer, now: number): Work {
  switch (answer.type) {
    case 'columns':
      return withResult(work, answer);
    case 'rows':
      return changeResult(work, answer.statement, (result) => {
        result.rows.append(answer.rows, answer.cut);
        return { ...result, count: result.rows.count };
      });
    case 'source':
      return changeResult(work, answer.statement, (result) => ({ ...result, source: answer }));
    case 'notice':
      return told(work, { is: 'notice', severity: answer.severity, text: answer.message });
    case 'done': {
      const after = changeResult(work, answer.statement, (result) => ({ ...result, done: answer }));
      const ended = answer.left === 0 ? now : undefined;
      return told({ ...after, ended }, { is: 'done', done: answer });
    }
    case 'failed':
      return told({ ...work, failure: answer, ended: now }, { is: 'failed', failure: answer });
    case 'plan':
      return { ...work, plan: answer };
    case 'tried':
      return { ...work, tried: answer };
    case 'settled':
      return { ...work, settled: answer, ended: now };
    default:
      return work;
  }
}

export function isRunning(work: Work | undefined): work is Work & { ended: undefined } {
  return work !== undefined && work.ended === undefined;
}

/** It was tried, and waits for somebody to say what becomes of it. */
export function isUnsettled(work: Work | undefined): work is Work & { ended: undefined; tried: Tried } {
  return isRunning(work) && work.tried !== undefined;
}

export function isLost({ code }: Failure): boolean {
  return code === LINE_LOST;
}

function withResult(work: Work, { statement, from, to, names, types }: Of<'columns'>): Work {
  if (work.results.length >= MAX_RESULTS) return work;
  const sql = work.sql.slice(from, to);
  const result: Result = {
    ...{ statement, sql, names, types, rows: new RowBuffer(), count: 0 },
    ...{ done: undefined, source: undefined },
  };
  return { ...work, results: [...work.results, result] };
}

function changeResult(work: Work, statement: number, change: (result: Result) => Result): Work {
  const results = work.results.map((result) => (result.statement === statement ? change(result) : result));
  return { ...work, results };
}

function told(work: Work, message: Message): Work {
  return { ...work, messages: [...work.messages, message].slice(-MAX_TOLD) };
}
