/** The dialog for a second factor, fetched with its words when a role first asks for one. */
import { lazyPart } from '../../platform/i18n/lazy-part.ts';

export const FactorQuestion = lazyPart(
  () => import('./factor-dialog.tsx').then((file) => file.FactorDialog),
  ['credentials', 'webauthn'],
);
