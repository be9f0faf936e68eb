/** Does the same to several users, a few at a time, and keeps what became of each: one refusal stops nobody else. */
import { useRef, useState } from 'react';
import { failureWords } from '../../../platform/failures/failure-words.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import type { UserRow } from '../user-facts.ts';

/** The gateway makes such changes one after the other anyway. */
const AT_ONCE = 3;

/** Why one user was left out, in words for whoever asked. */
export class LeftOut extends Error {
  override name = 'LeftOut';
}

export interface Outcome<Result> {
  row: UserRow;
  /** `left`: it was stopped before. */
  state: 'done' | 'failed' | 'left';
  result?: Result;
  reason?: string;
}

export interface BulkWork<Result> {
  /** Nothing before the first start. */
  outcomes: readonly Outcome<Result>[] | undefined;
  isRunning: boolean;
  finished: number;
  count: number;
  start: (rows: readonly UserRow[], work: (row: UserRow) => Promise<Result>) => Promise<void>;
  stop: () => void;
}

export function useBulkWork<Result>(): BulkWork<Result> {
  const t = useTranslate();
  const [outcomes, setOutcomes] = useState<readonly Outcome<Result>[]>();
  const [progress, setProgress] = useState({ isRunning: false, finished: 0, count: 0 });
  const isStopped = useRef(false);

  const one = async (row: UserRow, work: (row: UserRow) => Promise<Result>): Promise<Outcome<Result>> => {
    if (isStopped.current) return { row, state: 'left' };
    try {
      return { row, state: 'done', result: await work(row) };
    } catch (error) {
      return { row, state: 'failed', reason: error instanceof LeftOut ? error.message : failureWords(t, error) };
    }
  };
  const start = async (rows: readonly UserRow[], work: (row: UserRow) => Promise<Result>) => {
    isStopped.current = false;
    setProgress({ isRunning: true, finished: 0, count: rows.length });
    const became = new Map<string, Outcome<Result>>();
    const waiting = [...rows];
    const worker = async () => {
      for (let row = waiting.shift(); row; row = waiting.shift()) {
        became.set(row.name, await one(row, work));
        setProgress((before) => ({ ...before, finished: became.size }));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    // What was done before stays told when the rest is tried again.
    setOutcomes((before = []) => [
      ...before.filter(({ row, state }) => state === 'done' && !became.has(row.name)),
      ...rows.map(({ name }) => became.get(name)!),
    ]);
    setProgress((before) => ({ ...before, isRunning: false }));
  };
  const stop = () => {
    isStopped.current = true;
  };
  return { outcomes, ...progress, start, stop };
}
