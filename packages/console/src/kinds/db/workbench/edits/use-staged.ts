/** The staged changes of each tab, and how they are written. */
import type { RowChange } from '@gatehouse/contract/kinds/db/editor';
import { useCallback, useMemo, useState } from 'react';
import type { Failure, Result, Source, Work } from '../bench/work.ts';
import { QuestionFailed, type Workbench } from '../bench/workbench.ts';
import { changesOf, countStaged, NOTHING_STAGED, type Staged } from './staged.ts';

export interface StagedEdits {
  of: (result: Result) => Staged | undefined;
  change: (slot: number, result: Result, next: (before: Staged) => Staged) => void;
  discard: (slot: number) => void;
  countIn: (slot: number) => number;
  /** Writes them in one transaction, and reads the result again. */
  write: (slot: number, work: Work, result: Result, source: Source) => void;
  isWriting: boolean;
  failure: (Failure & { slot: number }) | undefined;
}

interface StagedResult {
  result: Result['rows'];
  staged: Staged;
}

export function useStaged(bench: Workbench): StagedEdits {
  const [kept, setKept] = useState<Readonly<Record<number, StagedResult>>>({});
  const [isWriting, setWriting] = useState(false);
  const [failure, setFailure] = useState<Failure & { slot: number }>();

  const discard = useCallback((slot: number) => {
    setKept(({ [slot]: _, ...others }) => others);
    setFailure(undefined);
  }, []);
  const change = useCallback((slot: number, { rows }: Result, next: (before: Staged) => Staged) => {
    setFailure(undefined);
    setKept((before) => {
      const mine = before[slot];
      const staged = next(mine?.result === rows ? mine.staged : NOTHING_STAGED);
      const { [slot]: _, ...others } = before;
      return countStaged(staged) === 0 ? others : { ...others, [slot]: { result: rows, staged } };
    });
  }, []);

  return useMemo(() => {
    const of = ({ rows }: Result) => Object.values(kept).find(({ result }) => result === rows)?.staged;
    return {
      of,
      change,
      discard,
      countIn: (slot) => (kept[slot] ? countStaged(kept[slot].staged) : 0),
      write(slot, work, result, source) {
        const staged = of(result);
        if (!staged) return;
        const changes: RowChange[] = changesOf(staged, result, source);
        const { schema, table } = source;
        setWriting(true);
        setFailure(undefined);
        bench
          .ask({ type: 'edit', tab: slot, schema, table, changes }, 'edited')
          .then(() => {
            discard(slot);
            const from = work.sql.indexOf(result.sql);
            bench.do(slot, { kind: 'run', sql: result.sql, base: work.base + Math.max(0, from) });
          })
          .catch((error: unknown) => {
            if (!(error instanceof QuestionFailed)) throw error;
            setFailure({ ...error.failure, slot });
          })
          .finally(() => setWriting(false));
      },
      isWriting,
      failure,
    };
  }, [bench, kept, change, discard, isWriting, failure]);
}
