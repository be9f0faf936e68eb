/** What the colours of the chart mean and how much was found; while a bar is pointed at, what that one holds. */
import type { EventCounts } from '@gatehouse/contract/audit/search';
import { formatDateTime } from '@gatehouse/contract/std/dates';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { severityWords } from '../event-words.ts';
import { SHOWN_SEVERITIES } from './bars.ts';
import styles from './legend.module.css';

interface LegendProps {
  /** Of the bar pointed at. */
  pointed: string | undefined;
  found: EventCounts | undefined;
  /** Of the whole range, while only a part of it is listed. */
  all: EventCounts | undefined;
}

export function Legend({ pointed, found, all }: LegendProps) {
  const t = useTranslate();
  return (
    <div className={styles.legend}>
      {pointed === undefined ? (
        SHOWN_SEVERITIES.map((severity) => (
          <span key={severity} className={styles.severity} data-severity={severity}>
            <i aria-hidden="true" />
            {severityWords(t, severity)}
          </span>
        ))
      ) : (
        <span className={styles.pointed}>{pointed}</span>
      )}
      <span role="status" className={styles.count}>
        {found && foundWords(t, found, all)}
      </span>
    </div>
  );
}

function foundWords(t: ReturnType<typeof useTranslate>, found: EventCounts, all: EventCounts | undefined): string {
  if (!found.complete) {
    return t('audit.found-since', { found: found.total, time: formatDateTime(found.countedFrom) });
  }
  if (all && all.total !== found.total) return t('audit.found-of', { found: found.total, total: all.total });
  return t('audit.found', { found: found.total });
}
