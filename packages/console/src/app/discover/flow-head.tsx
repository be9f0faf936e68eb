/** What is being enrolled, and the line of its steps. */
import { Icon } from '@gatehouse/design/icon';
import { IconButton } from '@gatehouse/design/icon-button';
import { VisuallyHidden } from '@gatehouse/design/visually-hidden';
import Check from 'lucide-react/icons/check';
import ChevronLeft from 'lucide-react/icons/chevron-left';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useFollow } from '../../platform/routing/routing.tsx';
import { discoverPath } from '../../shared/discover-path/discover-path.ts';
import type { FlowStep } from '../../shared/enrolment/flow.ts';
import { useFlow } from '../../shared/enrolment/flow-place.tsx';
import styles from './flow-screen.module.css';

export function FlowHead({ steps }: { steps: readonly { step: FlowStep; word: string }[] }) {
  const t = useTranslate();
  const follow = useFollow();
  const { card, step, thing } = useFlow();
  const title = t(card.title);
  const at = steps.findIndex((each) => each.step === step);
  const words = [{ step: 'choose', word: t('discover.step-choose') }, ...steps.filter((each) => each.step !== 'done')];
  return (
    <header className={styles.head}>
      <IconButton icon={ChevronLeft} label={t('discover.choose-again')} onClick={() => follow(discoverPath())} />
      <h1 className={styles.title}>{thing ? t('discover.title-of', { kind: title, name: thing.name }) : title}</h1>
      <ol className={styles.steps} aria-label={t('discover.steps')}>
        {words.map(({ step: each, word }, index) => {
          const state = index < at + 1 ? 'done' : index === at + 1 ? 'now' : 'later';
          return (
            <li key={each} data-state={state} aria-current={state === 'now' ? 'step' : undefined}>
              <span className={styles.number}>{state === 'done' ? <Icon of={Check} size={12} /> : index + 1}</span>
              <span className={styles.word}>{word}</span>
              {state === 'done' && <VisuallyHidden>{t('discover.step-over')}</VisuallyHidden>}
            </li>
          );
        })}
      </ol>
    </header>
  );
}
