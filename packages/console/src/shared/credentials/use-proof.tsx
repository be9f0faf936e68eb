/** Makes a call that wants a second factor of the last minutes: where the gateway asks for one, so do we, and then it is made again. */
import { type ReactNode, Suspense, useState } from 'react';
import { refusalOf } from '../../platform/failures/failure-words.ts';
import { ProofQuestion } from './proof-question.tsx';

export interface ProofWords {
  title: string;
  /** What will happen. */
  text?: string;
  confirmWord: string;
}

interface Proof {
  /** Fails with what the gateway said where the question is closed unanswered. */
  withProof: <T>(work: () => Promise<T>) => Promise<T>;
  /** To be put somewhere on the page. */
  question: ReactNode;
}

interface Asking {
  go: () => void;
  giveUp: () => void;
}

export function useProof(words: ProofWords): Proof {
  const [asking, setAsking] = useState<Asking>();
  const withProof = async <T,>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (refusalOf(error)?.code !== 'mfa_required') throw error;
      await new Promise<void>((resolve, reject) => setAsking({ go: resolve, giveUp: () => reject(error) }));
      return await work();
    }
  };
  const end = (then: (() => void) | undefined) => {
    setAsking(undefined);
    then?.();
  };
  const question = asking && (
    <Suspense>
      <ProofQuestion
        {...words}
        passesByItself
        onClose={() => end(asking.giveUp)}
        onProven={async () => end(asking.go)}
      />
    </Suspense>
  );
  return { withProof, question };
}
