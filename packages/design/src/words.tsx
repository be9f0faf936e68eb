/** The few words that components say by themselves. English unless the application gives its own. */

import { createContext, type ReactNode, use } from 'react';

export interface DesignWords {
  close: string;
  dismiss: string;
  copy: string;
  copied: string;
  copyFailed: string;
  showPassword: string;
  hidePassword: string;
  clear: string;
  loading: string;
  optional: string;
  notifications: string;
  remove: (name: string) => string;
  more: (count: number) => string;
  results: (count: number) => string;
  step: (number: number, count: number) => string;
}

const ENGLISH: DesignWords = {
  close: 'Close',
  dismiss: 'Dismiss',
  copy: 'Copy',
  copied: 'Copied',
  copyFailed: 'Could not copy. Select the text and copy it yourself.',
  showPassword: 'Show password',
  hidePassword: 'Hide password',
  clear: 'Clear',
  loading: 'Loading',
  optional: 'optional',
  notifications: 'Notifications',
  remove: (name) => `Remove ${name}`,
  more: (count) => `${count} more`,
  results: (count) => (count === 1 ? '1 result' : `${count} results`),
  step: (number, count) => `Step ${number} of ${count}`,
};

const WordsContext = createContext<DesignWords>(ENGLISH);

interface DesignWordsProviderProps {
  words: Partial<DesignWords>;
  children: ReactNode;
}

/** What is left out stays English, so that a new component never breaks an old translation. */
export function DesignWordsProvider({ words, children }: DesignWordsProviderProps) {
  return <WordsContext value={{ ...ENGLISH, ...words }}>{children}</WordsContext>;
}

export function useWords(): DesignWords {
  return use(WordsContext);
}
