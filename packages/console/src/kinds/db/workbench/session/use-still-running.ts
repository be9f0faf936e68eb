/** Says that nothing more can be run in a tab yet: a key that does nothing without a word is pressed again, or not noticed. */
import { useToast } from '@gatehouse/design/toast';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import { isRunning, type Work } from '../bench/work.ts';

/** True where it was said. */
export function useStillRunning(): (work: Work | undefined) => boolean {
  const t = useTranslate();
  const toaster = useToast();
  return (work) => {
    const still = isRunning(work);
    if (still)
      toaster.show({ tone: 'warn', title: t('workbench.still-running'), text: t('workbench.still-running-text') });
    return still;
  };
}
