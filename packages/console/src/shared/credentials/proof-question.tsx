/** The dialog that asks to prove again who one is. Fetched when it is asked for: most have just signed in. */

import { lazy } from 'react';
import { fetchCode } from '../../platform/code/fetch-code.ts';
import { loadWords } from '../../platform/i18n/words.ts';

export const ProofQuestion = lazy(async () => {
  const [file] = await Promise.all([
    fetchCode(() => import('./prove-dialog.tsx')),
    loadWords(['account', 'credentials', 'webauthn']),
  ]);
  return { default: file.ProveDialog };
});
