/** The steps of a connector in the header: which are behind, which is now; each can be gone to. */
import { Icon } from '@gatehouse/design/icon';
import { VisuallyHidden } from '@gatehouse/design/visually-hidden';
import Check from 'lucide-react/icons/check';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { STEPS, type Step } from '../connector-paths.ts';
import styles from './flow.module.css';

interface FlowStepsProps {
  step: Step;
  onStep: (step: Step) => void;
}

export function FlowSteps({ step, onStep }: FlowStepsProps) {
  const t = useTranslate();
  const now = STEPS.indexOf(step);
  return (
    <ol className={styles.steps} aria-label={t('connectors.steps')}>
      {STEPS.map((each, at) => (
        <li key={each} data-state={at < now ? 'done' : at === now ? 'now' : 'later'}>
          <button
            type="button"
            className={styles.step}
            aria-current={at === now ? 'step' : undefined}
            onClick={() => onStep(each)}
          >
            <span className={styles.stepNumber} aria-hidden="true">
              {at < now ? <Icon of={Check} size={14} /> : at + 1}
            </span>
            <span className={styles.stepWord}>{t(`connectors.step-${each}`)}</span>
            {at < now && <VisuallyHidden>{t('connectors.step-done')}</VisuallyHidden>}
          </button>
        </li>
      ))}
    </ol>
  );
}
