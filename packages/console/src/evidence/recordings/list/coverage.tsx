/** How many of the sessions have a recording that plays: a number, and behind it the list of those that have not, with the cause. */

import type { Coverage } from '@gatehouse/contract/recordings/recording-upkeep';
import { formatDateTime } from '@gatehouse/contract/std/dates';
import { Badge } from '@gatehouse/design/badge';
import { Button } from '@gatehouse/design/button';
import { Panel } from '@gatehouse/design/panel';
import CircleCheck from 'lucide-react/icons/circle-check';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import { useBrowser } from '../../../platform/browser/browser-services.tsx';
import { asSentence, formatRelative } from '../../../platform/i18n/formats.ts';
import { intlLocale, useTranslate } from '../../../platform/i18n/words.ts';
import { PathLink } from '../../../platform/routing/routing.tsx';
import { playerPath } from '../player-path.ts';
import styles from './coverage.module.css';

interface CoverageBadgeProps {
  coverage: Coverage;
  onOpen: () => void;
}

export function CoverageBadge({ coverage, onOpen }: CoverageBadgeProps) {
  const t = useTranslate();
  const { gaps, gapsComplete, sessions, share } = coverage;
  if (gaps.length === 0) {
    return (
      <span title={t('recordings.coverage-text', { sessions })}>
        <Badge tone="ok" icon={CircleCheck}>
          {t('recordings.coverage', { share: shareText(share) })}
        </Badge>
      </span>
    );
  }
  return (
    <Button size="small" icon={TriangleAlert} className={styles.gaps} onClick={onOpen}>
      {t(gapsComplete ? 'recordings.gaps' : 'recordings.gaps-more', { count: gaps.length })}
    </Button>
  );
}

interface GapsPanelProps {
  clusterId: string;
  coverage: Coverage | undefined;
  onClose: () => void;
}

export function GapsPanel({ clusterId, coverage, onClose }: GapsPanelProps) {
  const t = useTranslate();
  const { now } = useBrowser();
  const title = t('recordings.gaps-title');
  return (
    <Panel label={title} title={title} className={styles.panel} onClose={onClose}>
      {coverage && (
        <>
          <p className={styles.share}>
            {t('recordings.gaps-share', {
              recorded: coverage.recorded,
              sessions: coverage.sessions,
              share: shareText(coverage.share),
            })}
          </p>
          <p className={styles.checked}>
            {t('recordings.gaps-checked', { time: formatRelative(Date.parse(coverage.checked), now()) })}
          </p>
          {coverage.gaps.length === 0 && <p>{t('recordings.gaps-none')}</p>}
          <ul>
            {coverage.gaps.map((gap) => (
              <li key={gap.sid} className={styles.gap}>
                <div className={styles.gapHead}>
                  <PathLink path={playerPath(clusterId, gap)} className={styles.resource}>
                    {gap.resource}
                  </PathLink>
                  <Badge tone={toneOf(gap.cause)}>{t(`recordings.cause-${gap.cause}`)}</Badge>
                </div>
                <p className={styles.who}>
                  {t('recordings.gap-ended', { user: gap.user, time: formatDateTime(gap.ended) })}
                </p>
                {gap.reason !== '' && <p className={styles.reason}>{asSentence(gap.reason)}</p>}
              </li>
            ))}
          </ul>
          {!coverage.gapsComplete && <p className={styles.checked}>{t('recordings.gaps-cut')}</p>}
        </>
      )}
    </Panel>
  );
}

/** Never rounded up to all of them. */
function shareText(share: number): string {
  const format = new Intl.NumberFormat(intlLocale(), { style: 'percent', maximumFractionDigits: 1 });
  return format.format(share < 1 ? Math.min(share, 0.999) : 1);
}

function toneOf(cause: Coverage['gaps'][number]['cause']): 'bad' | 'warn' | 'neutral' {
  if (cause === 'disabled') return 'neutral';
  return cause === 'truncated' || cause === 'not_uploaded' ? 'warn' : 'bad';
}
