/** Whether anybody can be let into a cluster, as far as it is known here: nobody asks the cluster meanwhile. */
import type { KubeCluster } from '@gatehouse/contract/kinds/kube/kubernetes';
import { formatDateTime } from '@gatehouse/contract/std/dates';
import { Badge } from '@gatehouse/design/badge';
import ShieldAlert from 'lucide-react/icons/shield-alert';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { type Translate, useTranslate } from '../../platform/i18n/words.ts';
import { ResourceStatus, type Status } from '../../shared/resource-list/resource-status.tsx';

const DAY_MS = 86_400_000;
const WARNED_MS = 14 * DAY_MS;

/** What somebody must do something about comes first. */
export function statusOf(t: Translate, { gatehouse }: KubeCluster, now: number): Status {
  const { wrong, lacks = [], credentialEnds, ways = 0, connected = 0 } = gatehouse ?? {};
  if (wrong)
    return { dot: 'bad', words: t('kubernetes.status-wrong'), hint: t('kubernetes.wrong-hint', { why: wrong }) };
  if (lacks.includes('credential'))
    return { dot: 'bad', words: t('kubernetes.status-credential'), hint: t('kubernetes.status-credential-hint') };
  if (lacks.includes('agent'))
    return { dot: 'bad', words: t('kubernetes.status-agent'), hint: t('kubernetes.status-agent-hint') };
  const left = credentialEnds === undefined ? Number.NaN : Date.parse(credentialEnds) - now;
  if (credentialEnds !== undefined && left <= WARNED_MS) {
    const hint = t('kubernetes.status-ends-hint', { time: formatDateTime(credentialEnds) });
    if (left <= 0) return { dot: 'bad', words: t('kubernetes.status-ended'), hint };
    return { dot: 'warn', words: t('kubernetes.status-ends', { days: Math.floor(left / DAY_MS) }), hint };
  }
  if (ways === 0) return { dot: 'ok', words: t('kubernetes.status-direct'), hint: t('kubernetes.status-direct-hint') };
  return {
    dot: connected < ways ? 'warn' : 'ok',
    words: t('kubernetes.status-agents', { connected, ways }),
    hint: t('kubernetes.status-agents-hint'),
  };
}

export function KubeStatus({ cluster }: { cluster: KubeCluster }) {
  const t = useTranslate();
  const { now } = useBrowser();
  return <ResourceStatus status={statusOf(t, cluster, now())} />;
}

export function InsecureBadge({ cluster }: { cluster: KubeCluster }) {
  const t = useTranslate();
  if (!cluster.gatehouse?.insecure) return null;
  return (
    <span title={t('kubernetes.insecure-hint')}>
      <Badge tone="warn" icon={ShieldAlert}>
        {t('kubernetes.insecure')}
      </Badge>
    </span>
  );
}
