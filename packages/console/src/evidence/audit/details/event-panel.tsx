/** One event beside the log: what happened, who and what it concerns, every field, and the event as it was written. */

import type { WireEvent } from '@gatehouse/contract/audit/search';
import { ONE_LINE } from '@gatehouse/design/class-names';
import { Icon } from '@gatehouse/design/icon';
import { IconButton } from '@gatehouse/design/icon-button';
import { Notice } from '@gatehouse/design/notice';
import { Panel } from '@gatehouse/design/panel';
import { Spinner } from '@gatehouse/design/spinner';
import { useCopy } from '@gatehouse/design/use-copy';
import { VisuallyHidden } from '@gatehouse/design/visually-hidden';
import { useQuery } from '@tanstack/react-query';
import ArrowDown from 'lucide-react/icons/arrow-down';
import ArrowUp from 'lucide-react/icons/arrow-up';
import Check from 'lucide-react/icons/check';
import Link2 from 'lucide-react/icons/link-2';
import { useApi } from '../../../platform/browser/use-api.ts';
import { failureWords } from '../../../platform/failures/failure-words.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { eventQuery } from '../audit-queries.ts';
import type { EventFilter, OpenEvent } from '../audit-search-params.ts';
import { SEVERITY_ICONS } from '../event-icons.ts';
import { toldOf } from '../event-row.ts';
import { severityWords } from '../event-words.ts';
import { EventDetails } from './event-details.tsx';
import styles from './event-panel.module.css';

interface EventPanelProps {
  clusterId: string;
  open: OpenEvent;
  /** As the list has it. */
  known: WireEvent | undefined;
  /** To its neighbours in the list. */
  onUp: (() => void) | undefined;
  onDown: (() => void) | undefined;
  onShowOnly: (filter: EventFilter) => void;
  onClose: () => void;
}

export function EventPanel({ clusterId, open, known, onUp, onDown, onShowOnly, onClose }: EventPanelProps) {
  const t = useTranslate();
  const api = useApi();
  const found = useQuery({ ...eventQuery(api, clusterId, open.id, open.time), enabled: known === undefined });
  const raw = known ?? found.data ?? undefined;
  const told = raw && toldOf({ key: open.id, raw });
  const link = useCopy();
  return (
    <Panel
      label={t('audit-event.title')}
      className={styles.panel}
      onClose={onClose}
      title={
        told && (
          <span className={styles.title} data-severity={told.severity}>
            <Icon of={SEVERITY_ICONS[told.severity]} label={severityWords(t, told.severity)} />
            <span className={ONE_LINE}>{told.label}</span>
          </span>
        )
      }
      actions={
        <>
          <IconButton icon={ArrowUp} size="small" label={t('audit-event.up')} disabled={!onUp} onClick={onUp} />
          <IconButton icon={ArrowDown} size="small" label={t('audit-event.down')} disabled={!onDown} onClick={onDown} />
          <IconButton
            icon={link.state === 'copied' ? Check : Link2}
            size="small"
            label={t('audit-event.copy-link')}
            onClick={() => void link.copy(window.location.href)}
          />
          <span role="status">
            <VisuallyHidden>{link.state === 'copied' ? t('common.copied') : ''}</VisuallyHidden>
          </span>
        </>
      }
    >
      {!raw && found.isPending && <Spinner />}
      {!raw && found.error && <Notice tone="bad">{failureWords(t, found.error)}</Notice>}
      {!raw && found.data === null && <Notice tone="warn">{t('audit-event.gone')}</Notice>}
      {raw && told && <EventDetails clusterId={clusterId} raw={raw} told={told} onShowOnly={onShowOnly} />}
    </Panel>
  );
}
