/** How the tunnel to a root is doing. */
import type { TrustedClusterItem, TrustStatus } from '@gatehouse/contract/reach/trusted-clusters/trusted-clusters';
import { formatDateTime } from '@gatehouse/contract/std/dates';
import { type DotState, StatusDot } from '@gatehouse/design/status-dot';
import { asSentence } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import styles from './trust.module.css';

const DOTS: Record<TrustStatus, DotState> = { online: 'ok', offline: 'bad', disabled: 'off', ended: 'bad' };

export function RootState({ item: { status = 'offline', since, trouble } }: { item: TrustedClusterItem }) {
  const t = useTranslate();
  const more = [trouble && asSentence(trouble), since && t('trust.since', { time: formatDateTime(since) })];
  return (
    <span className={styles.state} title={more.filter(Boolean).join(' ') || undefined}>
      <StatusDot state={DOTS[status]}>{t(`trust.state-${status}`)}</StatusDot>
    </span>
  );
}
