/** In place of a player that could only stay blank: what became of the recording, and what can still be done. */

import type { RecordingDetails, RecordingState } from '@gatehouse/contract/recordings/recordings';
import { formatDateTime } from '@gatehouse/contract/std/dates';
import { Button } from '@gatehouse/design/button';
import { DetailsList } from '@gatehouse/design/details-list';
import { StatusCard } from '@gatehouse/design/status-card';
import Eye from 'lucide-react/icons/eye';
import { formatDuration } from '../../../platform/i18n/formats.ts';
import { useTranslate, type WordId } from '../../../platform/i18n/words.ts';
import { nameOf, whyWords } from '../recording-facts.ts';
import styles from './unplayable.module.css';

const TITLES: Partial<Record<RecordingState, WordId>> = {
  corrupted: 'player.corrupted-title',
  missing: 'player.missing-title',
  disabled: 'player.disabled-title',
  non_interactive: 'player.non_interactive-title',
  never_connected: 'player.never_connected-title',
  failed: 'player.failed-title',
  removed: 'player.removed-title',
};

interface UnplayableProps {
  details: RecordingDetails;
  /** What comes before the damage may be looked at by somebody who was warned. */
  onLook: (() => void) | undefined;
}

export function Unplayable({ details, onLook }: UnplayableProps) {
  const t = useTranslate();
  const isGone = details.state === 'corrupted' || details.state === 'missing' || details.state === 'failed';
  return (
    <div className={styles.place}>
      <StatusCard
        tone={isGone ? 'bad' : 'info'}
        level={2}
        title={t(TITLES[details.state] ?? 'player.other-title')}
        actions={
          onLook && (
            <Button icon={Eye} onClick={onLook}>
              {t('player.corrupted-look')}
            </Button>
          )
        }
      >
        <p>{whyWords(t, details)}</p>
        {onLook && <p>{t('player.corrupted-text')}</p>}
        <div className={styles.facts}>
          <DetailsList
            details={[
              { name: t('player.resource'), value: <bdi>{nameOf(t, details)}</bdi> },
              { name: t('player.tab-people'), value: <bdi>{details.users.join(', ')}</bdi> },
              { name: t('player.began'), value: formatDateTime(details.started) },
              { name: t('player.duration'), value: formatDuration(details.durationMs) },
            ]}
          />
        </div>
      </StatusCard>
    </div>
  );
}
