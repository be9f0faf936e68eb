/** The steps of a connector in the header: which are done, which is now, which has something to mend; each can be gone to. */
import { Icon } from '@gatehouse/design/icon';
import { VisuallyHidden } from '@gatehouse/design/visually-hidden';
import Check from 'lucide-react/icons/check';
import CircleAlert from 'lucide-react/icons/circle-alert';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { STEPS, type Step } from '../connector-paths.ts';
import styles from './flow.module.css';
import type { StepMark } from './step-marks.ts';

interface FlowStepsProps {
  markOf: (step: Step) => StepMark;
  onStep: (step: Step) => void;
}

const ICONS = { done: Check, faulty: CircleAlert } as const;

export function FlowSteps({ markOf, onStep }: FlowStepsProps) {
  const t = useTranslate();
  return (
    <ol className={styles.steps} aria-label={t('connectors.steps')}>
      {STEPS.map((each, at) => {
        const mark = markOf(each);
        const isTold = mark === 'done' || mark === 'faulty';
        return (
          <li key={each} data-state={mark}>
            <button
              type="button"
              className={styles.step}
              aria-current={mark === 'now' ? 'step' : undefined}
              onClick={() => onStep(each)}
            >
              <span className={styles.stepNumber} aria-hidden="true">
                {isTold ? <Icon of={ICONS[mark]} size={14} /> : at + 1}
              </span>
              <span className={styles.stepWord}>{t(`connectors.step-${each}`)}</span>
              {isTold && <VisuallyHidden>{t(`connectors.step-${mark}`)}</VisuallyHidden>}
            </button>
          </li>
        );
      })}
    </ol>
  );
}
