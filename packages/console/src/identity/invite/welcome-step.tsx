/** The first step: what this link is for, and what will happen. */
import { Button } from '@gatehouse/design/button';
import { useTranslate, type WordId } from '../../platform/i18n/words.ts';
import type { Link } from './invite-calls.ts';
import { StepHead } from './step-head.tsx';
import styles from './steps.module.css';

const LEADS: Record<Link['type'], WordId> = {
  invite: 'invite.welcome-invite',
  password: 'invite.welcome-reset',
  recovery: 'invite.welcome-recovery',
};

export function WelcomeStep({ type, onNext }: { type: Link['type']; onNext: () => void }) {
  const t = useTranslate();
  return (
    <div className={styles.step}>
      <StepHead title={t('invite.welcome-title')} lead={t(LEADS[type])} />
      <Button tone="primary" size="large" wide data-autofocus="" onClick={onNext}>
        {t('invite.begin')}
      </Button>
    </div>
  );
}
