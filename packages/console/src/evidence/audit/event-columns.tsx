/** The columns of the log: when, what kind of event, what happened. Values stand apart, so that none turns its neighbours around. */
import type { ToldEvent } from '@gatehouse/contract/audit/tell-event';
import { Icon } from '@gatehouse/design/icon';
import type { Column } from '@gatehouse/design/table-head';
import ChevronRight from 'lucide-react/icons/chevron-right';
import { useMemo } from 'react';
import { timeZone } from '../../platform/i18n/formats.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import styles from './audit.module.css';
import { EVENT_ICONS, SEVERITY_ICONS } from './event-icons.ts';
import { type EventRow, localOf, toldOf, utcOf } from './event-row.ts';
import { severityWords } from './event-words.ts';

interface ColumnOptions {
  /** The details of an event stand beside the table. */
  isNarrow: boolean;
  onOpen: (row: EventRow) => void;
}

export function useEventColumns({ isNarrow, onOpen }: ColumnOptions): Column<EventRow>[] {
  const t = useTranslate();
  const columns = useMemo<Column<EventRow>[]>(
    () => [
      {
        id: 'time',
        title: t('audit.time', { zone: timeZone() }),
        sortKey: 'time',
        width: isNarrow ? '170px' : '180px',
        card: 'end',
        cell: (row) => <EventTime time={toldOf(row).time} />,
      },
      {
        id: 'event',
        title: t('audit.event'),
        width: isNarrow ? '31%' : '248px',
        card: 'title',
        cell: (row) => <EventName told={toldOf(row)} />,
      },
      {
        id: 'message',
        title: t('audit.message'),
        card: 'wide',
        cell: (row) => <Message told={toldOf(row)} className={styles.message} />,
      },
      {
        id: 'details',
        title: t('audit.details'),
        titleHidden: true,
        align: 'end',
        width: '56px',
        card: 'none',
        overflow: 'visible',
        cell: (row) => (
          <button
            type="button"
            tabIndex={-1}
            data-row-action=""
            className={styles.rowAction}
            aria-label={t('audit.details-of', { event: toldOf(row).label })}
            title={t('audit.details')}
            onClick={() => onOpen(row)}
          >
            <Icon of={ChevronRight} />
          </button>
        ),
      },
    ],
    [t, isNarrow, onOpen],
  );
  return useMemo(() => (isNarrow ? columns.filter(({ id }) => id !== 'details') : columns), [isNarrow, columns]);
}

/** Local, with the universal time for whoever points at it. */
export function EventTime({ time }: { time: string }) {
  const t = useTranslate();
  if (time === '') return <span className={styles.faint}>{t('audit.no-time')}</span>;
  return (
    <time dateTime={time} title={utcOf(time)} className={styles.time}>
      {localOf(time)}
    </time>
  );
}

function EventName({ told }: { told: ToldEvent }) {
  const t = useTranslate();
  const { severity } = told;
  return (
    <span className={styles.event} data-severity={severity}>
      <Icon of={EVENT_ICONS[told.icon]} size={14} />
      <span className={styles.label} title={told.label}>
        {told.label}
      </span>
      {severity !== 'info' && <Icon of={SEVERITY_ICONS[severity]} size={14} label={severityWords(t, severity)} />}
    </span>
  );
}

/** Whoever did it stands out where the line begins with them. */
export function Message({ told: { message, who }, className }: { told: ToldEvent; className?: string }) {
  const isAboutUser = who !== '' && message.startsWith(`${who} `);
  return (
    <bdi title={message} className={className}>
      {isAboutUser && <b className={styles.user}>{who}</b>}
      {isAboutUser ? message.slice(who.length) : message}
    </bdi>
  );
}
