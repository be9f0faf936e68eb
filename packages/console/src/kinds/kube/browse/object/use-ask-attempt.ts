/** Something asked of a cluster that may refuse it: what is under way, and what the last answer said against it. */
import { useState } from 'react';
import { AskFailed } from '../browse.ts';
import type { Failed } from '../line/browse-line.ts';

interface AskAttempt<Deed> {
  /** What is under way. */
  busy: Deed | undefined;
  failure: Failed | undefined;
  run(deed: Deed, work: () => Promise<unknown>): Promise<void>;
}

export function useAskAttempt<Deed extends string>(): AskAttempt<Deed> {
  const [busy, setBusy] = useState<Deed>();
  const [failure, setFailure] = useState<Failed>();
  return {
    busy,
    failure,
    async run(deed, work) {
      setBusy(deed);
      setFailure(undefined);
      try {
        await work();
      } catch (error) {
        if (!(error instanceof AskFailed)) throw error;
        setFailure(error.failure);
      } finally {
        setBusy(undefined);
      }
    },
  };
}
