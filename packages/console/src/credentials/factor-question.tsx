/** The dialog for a second factor, fetched with its words when a role first asks for one. */

import { lazy } from 'react';
import { fetchCode } from '../code/fetch-code.ts';
import { loadWords } from '../words/words.ts';

export const FactorQuestion = lazy(async () => {
  const [file] = await Promise.all([
    fetchCode(() => import('./factor-dialog.tsx')),
    loadWords(['credentials', 'webauthn']),
  ]);
  return { default: file.FactorDialog };
});
