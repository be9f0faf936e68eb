/** The line under the workbench: how the connection is, what the last statement took, what may be done here. */
import { Badge } from '@gatehouse/design/badge';
import { type DotState, StatusDot } from '@gatehouse/design/status-dot';
import { Tooltip } from '@gatehouse/design/tooltip';
import Lock from 'lucide-react/icons/lock';
import { formatNumber } from '../../../../platform/i18n/formats.ts';
import { useTranslate, type WordId } from '../../../../platform/i18n/words.ts';
import { isRunning } from '../bench/work.ts';
import type { BenchTab, BenchView } from '../bench/workbench.ts';
import type { LineState } from '../line/editor-line.ts';
import styles from './session.module.css';

const DOTS: Record<LineState['is'], DotState> = {
  connecting: 'busy',
  ready: 'ok',
  lost: 'off',
  ended: 'off',
  refused: 'bad',
};
const WORDS: Record<LineState['is'], WordId> = {
  connecting: 'workbench.line-connecting',
  ready: 'workbench.line-ready',
  lost: 'workbench.line-lost',
  ended: 'workbench.line-ended',
  refused: 'workbench.line-refused',
};

interface StatusLineProps {
  view: BenchView;
  tab: BenchTab;
  /** What reading only means here. */
  readOnlyHint?: WordId | undefined;
  /** Where one is by now, if that is not where the session began. */
  dbName?: string;
}

export function StatusLine({ view, tab, readOnlyHint = 'workbench.read-only-hint', dbName }: StatusLineProps) {
  const { line, ready } = view;
  const t = useTranslate();
  const isOpen = line.is === 'ready';
  const { work, transaction } = tab;
  const last = work?.messages.findLast((message) => message.is === 'done')?.done;
  const isBusy = isRunning(work);
  const database = dbName ?? ready?.dbName ?? '';
  return (
    <footer className={styles.status}>
      <span role="status">
        <StatusDot state={isOpen && isBusy ? 'busy' : DOTS[line.is]}>
          {t(isOpen && isBusy ? 'workbench.line-busy' : WORDS[line.is])}
        </StatusDot>
      </span>
      {isOpen && ready?.recorded && (
        <Tooltip content={t('workbench.recording-hint')}>
          <span className={styles.fact}>
            <span className={styles.rec} aria-hidden="true" />
            {t('workbench.recording')}
          </span>
        </Tooltip>
      )}
      {isOpen && transaction !== 'none' && (
        <Tooltip content={t('workbench.transaction-hint')}>
          <span>
            <Badge tone={transaction === 'failed' ? 'bad' : 'warn'}>
              {t(transaction === 'failed' ? 'workbench.transaction-failed' : 'workbench.transaction-open')}
            </Badge>
          </span>
        </Tooltip>
      )}
      {last && !isBusy && (
        <Tooltip content={t('workbench.ms-hint')}>
          <span className={styles.fact}>
            {t('workbench.ms', { server: formatMs(last.ms.server), gateway: formatMs(last.ms.gateway) })}
          </span>
        </Tooltip>
      )}
      {ready?.readOnly && (
        <Tooltip content={t(readOnlyHint)}>
          <span>
            <Badge icon={Lock}>{t('workbench.read-only')}</Badge>
          </span>
        </Tooltip>
      )}
      <span className={styles.grow} />
      {ready && (
        <span className={styles.aside}>
          <code>{database === '' ? ready.dbUser : `${ready.dbUser}@${database}`}</code>
          <code>{ready.version}</code>
        </span>
      )}
    </footer>
  );
}

export function formatMs(ms: number): string {
  return formatNumber(ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms));
}
