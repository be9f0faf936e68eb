/** A statement was tried and waits: how many rows it touched, how long it waits, and the two ways out. */
import { Button } from '@gatehouse/design/button';
import { Icon } from '@gatehouse/design/icon';
import FlaskConical from 'lucide-react/icons/flask-conical';
import { useEffect, useState } from 'react';
import { useBrowser } from '../../../../platform/browser/browser-services.tsx';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import { isUnsettled, type Work } from '../bench/work.ts';
import styles from './results.module.css';

interface DryRunBarProps {
  work: Work;
  onSettle: (commit: boolean) => void;
}

export function DryRunBar({ work, onSettle }: DryRunBarProps) {
  const t = useTranslate();
  if (work.settled) {
    const { committed, why } = work.settled;
    const word = committed ? 'workbench.dry-committed' : why === 'late' ? 'workbench.dry-late' : 'workbench.dry-back';
    return (
      <div className={styles.settled} role="status" data-committed={committed || undefined}>
        {t(word, { count: work.tried?.rows ?? 0 })}
      </div>
    );
  }
  if (!isUnsettled(work)) return null;
  const { rows, tag, until } = work.tried;
  return (
    <div className={styles.dry} role="status">
      <Icon of={FlaskConical} />
      <div className={styles.dryText}>
        <b>{t('workbench.dry-tried', { count: rows })}</b> <code>{tag}</code>
        <p>{t('workbench.dry-locked')}</p>
      </div>
      <Countdown until={Date.parse(until)} />
      <Button onClick={() => onSettle(false)}>{t('workbench.dry-roll-back')}</Button>
      <Button tone="primary" onClick={() => onSettle(true)}>
        {t('workbench.dry-commit', { count: rows })}
      </Button>
    </div>
  );
}

/** The gateway says when it is over; this only counts. */
function Countdown({ until }: { until: number }) {
  const t = useTranslate();
  const { now } = useBrowser();
  const [time, setTime] = useState(now);
  useEffect(() => {
    const timer = setInterval(() => setTime(now()), 500);
    return () => clearInterval(timer);
  }, [now]);
  const seconds = Math.max(0, Math.ceil((until - time) / 1000));
  // Read out each second it would drown everything else.
  return (
    <span className={styles.left} aria-hidden="true">
      {t('workbench.dry-left', { seconds })}
    </span>
  );
}
