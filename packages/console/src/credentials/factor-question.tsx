/** The dialog for a second factor, fetched with its words when a role first asks for one. */
import { lazy } from 'react';
import { loadWords } from '../words/words.ts';

export const FactorQuestion = lazy(async () => {
  const [file] = await Promise.all([import('./factor-dialog.tsx'), loadWords(['credentials', 'webauthn'])]);
  return { default: file.FactorDialog };
});
