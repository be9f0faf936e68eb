/** Whether a server answers and who used it last, as the list and the details say it. */

import { type Node, type NodeStatus, nodeStatus } from '@gatehouse/contract/kinds/node/nodes';
import { formatDateTime } from '@gatehouse/contract/std/dates';
import { type DotState, StatusDot } from '@gatehouse/design/status-dot';
import { asSentence } from '../../platform/i18n/formats.ts';
import { type Translate, useTranslate } from '../../platform/i18n/words.ts';
import { LastUsed as UsedLast } from '../../shared/resource-list/last-used.tsx';
import { useServerSummary } from './server-queries.ts';
import styles from './servers.module.css';

const DOTS: Record<NodeStatus, DotState> = { online: 'ok', unreachable: 'bad', unknown: 'off' };

export function ServerStatus({ node }: { node: Node }) {
  const t = useTranslate();
  const { status = 'unknown' } = node.gatehouse ?? {};
  return (
    <span className={styles.status} title={statusHint(t, node)}>
      <StatusDot state={DOTS[status]}>{t(`servers.status-${status}`)}</StatusDot>
    </span>
  );
}

/** Since when, and what was wrong. */
export function statusHint(t: Translate, { gatehouse: more }: Node): string {
  if (more?.type === 'agent') return t('servers.status-agent');
  if (!more?.checkedAt) return t('servers.status-never');
  const checked = t('servers.status-checked', { time: formatDateTime(more.checkedAt) });
  return more.why ? `${asSentence(more.why)} ${checked}` : checked;
}

export function LastUsed({ node }: { node: Node }) {
  const used = node.gatehouse?.lastUsed;
  return <UsedLast used={used && { ...used, as: used.login }} />;
}

interface ServerCountsProps {
  clusterId: string;
  /** The state the list is narrowed to. */
  shown: string | undefined;
  onShow: (status: NodeStatus | undefined) => void;
}

/** Pressed, each narrows the list to its state, and shows everything again. */
export function ServerCounts({ clusterId, shown, onShow }: ServerCountsProps) {
  const t = useTranslate();
  const summary = useServerSummary(clusterId);
  if (!summary) return null;
  return (
    <span className={styles.counts}>
      {nodeStatus.options
        .filter((status) => summary[status] > 0 || status === shown)
        .map((status) => (
          <button
            key={status}
            type="button"
            className={styles.count}
            aria-pressed={status === shown}
            onClick={() => onShow(status === shown ? undefined : status)}
          >
            <StatusDot state={DOTS[status]}>{t(`servers.${status}`, { count: summary[status] })}</StatusDot>
          </button>
        ))}
    </span>
  );
}

/** What of the servers somebody sees they can sign in to; nothing where that is all of them. */
export function useSignInWords(clusterId: string): string | undefined {
  const t = useTranslate();
  const summary = useServerSummary(clusterId);
  if (!summary || summary.seen === 0 || summary.signIn === summary.seen) return undefined;
  return t('servers.count-sign-in', { count: summary.seen, signIn: summary.signIn });
}
