/** What went wrong, in a sentence. */
import { asSentence } from '../../../../platform/i18n/formats.ts';
import type { Translate } from '../../../../platform/i18n/words.ts';
import { type Failure, isLost } from '../bench/work.ts';

export function failureTitle(t: Translate, failure: Failure): string {
  if (failure.code === 'cancelled') return t('workbench.cancelled');
  if (isLost(failure)) return t('workbench.cut-off');
  return asSentence(failure.message);
}
