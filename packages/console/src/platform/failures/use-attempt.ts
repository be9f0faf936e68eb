/** One attempt at something that may be refused, and what the last one said. */
import { useState } from 'react';
import { type Translate, useTranslate } from '../i18n/words.ts';
import { failureWords, isOwnMistake, refusedField } from './failure-words.ts';

export interface Attempt {
  isBusy: boolean;
  /** What to say, and at which field of the form if it belongs to one. */
  failure: { message: string; field: string | undefined } | undefined;
  /** True when it worked. A second call while one runs does nothing. */
  run: (work: () => Promise<unknown>) => Promise<boolean>;
  forget: () => void;
}

interface AttemptOptions {
  describe?: (t: Translate, error: unknown) => string;
  /** Where the next page or step comes by itself, the button turns until it is there. */
  staysBusy?: boolean;
}

export function useAttempt({ describe = failureWords, staysBusy = false }: AttemptOptions = {}): Attempt {
  const t = useTranslate();
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Attempt['failure']>();
  const run = async (work: () => Promise<unknown>) => {
    if (isBusy) return false;
    setBusy(true);
    setFailure(undefined);
    try {
      await work();
      if (!staysBusy) setBusy(false);
      return true;
    } catch (error) {
      if (isOwnMistake(error)) console.error(error);
      setFailure({ message: describe(t, error), field: refusedField(error) });
      setBusy(false);
      return false;
    }
  };
  return { isBusy, failure, run, forget: () => setFailure(undefined) };
}
