/** The flags of the statements of a list, found out once for each. */
import { useMemo } from 'react';
import type { RunStatement } from './run-statements.ts';
import { type Flag, flagsOf } from './statement-flags.ts';

export interface Flags {
  of: (run: RunStatement) => readonly Flag[];
  /** Those that stand above the timeline: what went well, and is about more than a secret. */
  flagged: readonly { run: RunStatement; flags: readonly Flag[] }[];
}

export function useFlags(protocol: string, runs: readonly RunStatement[]): Flags {
  // By what was asked: an answer makes another run of it.
  const known = useMemo(() => {
    const kept = new WeakMap<RunStatement['asked'], readonly Flag[]>();
    return ({ asked }: RunStatement): readonly Flag[] => {
      const { what, text, cut = false, length } = asked;
      let flags = kept.get(asked);
      if (!flags) {
        flags = flagsOf(protocol, { what, text, isCut: cut || length !== undefined });
        kept.set(asked, flags);
      }
      return flags;
    };
  }, [protocol]);
  return useMemo(() => {
    const flagged = runs
      .filter(({ answered }) => answered && answered.error === undefined)
      .map((run) => ({ run, flags: known(run).filter((flag) => flag !== 'secret') }))
      .filter(({ flags }) => flags.length > 0);
    return { of: known, flagged };
  }, [known, runs]);
}
