/** Under what was refused because it may write: it can be asked for. */
import { Button } from '@gatehouse/design/button';
import { Icon } from '@gatehouse/design/icon';
import ShieldQuestionMark from 'lucide-react/icons/shield-question-mark';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import { isRunning, type Work } from '../bench/work.ts';
import styles from './approval.module.css';

/** Of the gateway, PostgreSQL and MySQL: something would have written where that cannot be. */
const WALL: ReadonlySet<string> = new Set(['read_only', '25006', '1792']);

export function isHeldBack(work: Work | undefined): work is Work {
  return work !== undefined && !isRunning(work) && work.kind === 'run' && WALL.has(work.failure?.code ?? '');
}

export function AskBar({ onAsk }: { onAsk: () => void }) {
  const t = useTranslate();
  return (
    <div className={styles.bar} role="status">
      <Icon of={ShieldQuestionMark} />
      <p className={styles.words}>{t('db-approvals.ask-lead')}</p>
      <Button tone="primary" onClick={onAsk}>
        {t('db-approvals.ask')}
      </Button>
    </div>
  );
}
