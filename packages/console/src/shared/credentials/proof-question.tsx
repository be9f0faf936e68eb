/** The dialog that asks to prove again who one is. Fetched when it is asked for: most have just signed in. */
import { lazyPart } from '../../platform/i18n/lazy-part.ts';

export const ProofQuestion = lazyPart(
  () => import('./prove-dialog.tsx').then((file) => file.ProveDialog),
  ['account', 'credentials', 'webauthn'],
);
