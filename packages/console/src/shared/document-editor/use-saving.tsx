/** Saves a document; asks for a second factor where the gateway wants one, and tells when somebody was quicker. */
import { useToast } from '@gatehouse/design/toast';
import type { ReactNode } from 'react';
import { refusalOf } from '../../platform/failures/failure-words.ts';
import { useAttempt } from '../../platform/failures/use-attempt.ts';
import { type ProofWords, useProof } from '../credentials/use-proof.tsx';

interface SavingOptions<Item> {
  /** What the question about a second factor says. */
  proof: ProofWords;
  send: () => Promise<Item>;
  /** What was shown is old, saved or not. */
  refresh: () => Promise<unknown>;
  /** What is told when it is saved. */
  words: (saved: Item) => string;
  onSaved: (saved: Item) => void;
  /** Somebody was quicker. */
  onConflict: () => void;
}

export interface Saving {
  save: () => Promise<void>;
  isBusy: boolean;
  failure: string | undefined;
  /** To be put somewhere on the page. */
  question: ReactNode;
}

export function useSaving<Item>(options: SavingOptions<Item>): Saving {
  const { proof, send, refresh, words, onSaved, onConflict } = options;
  const toast = useToast();
  const attempt = useAttempt();
  const { withProof, question } = useProof(proof);
  const save = async () => {
    let saved: Item | undefined;
    let isOvertaken = false;
    await attempt.run(async () => {
      try {
        saved = await withProof(send);
      } catch (error) {
        isOvertaken = refusalOf(error)?.code === 'compare_failed';
        if (!isOvertaken) throw error;
      }
    });
    if (saved) {
      onSaved(saved);
      toast.show({ tone: 'ok', title: words(saved) });
    }
    if (saved || isOvertaken) await refresh();
    if (isOvertaken) onConflict();
  };
  return { save, isBusy: attempt.isBusy, failure: attempt.failure?.message, question };
}
