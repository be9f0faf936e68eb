/** The dialog for a second factor, fetched with its words when a role first asks for one. */

import { lazy } from 'react';
import { fetchCode } from '../../platform/code/fetch-code.ts';
import { loadWords } from '../../platform/i18n/words.ts';

export const FactorQuestion = lazy(async () => {
  const [file] = await Promise.all([
    fetchCode(() => import('./factor-dialog.tsx')),
    loadWords(['credentials', 'webauthn']),
  ]);
  return { default: file.FactorDialog };
});
