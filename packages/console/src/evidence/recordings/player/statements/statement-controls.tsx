/** The buttons below the timeline: what keys do, they do. */
import { IconButton } from '@gatehouse/design/icon-button';
import SkipBack from 'lucide-react/icons/skip-back';
import SkipForward from 'lucide-react/icons/skip-forward';
import { useMemo } from 'react';
import { useStore } from '../../../../platform/browser/store.ts';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import type { Playback } from '../../engine/playback.ts';
import styles from '../controls.module.css';
import { KeysPopover } from '../keys-popover.tsx';
import { LiveButton, PlayButton, SkipIdle, SpeedChoice, Time } from '../play-controls.tsx';
import { savedMs } from '../timeline/stretches.ts';
import type { RunStatement } from './run-statements.ts';
import { quietStretches } from './statement-lines.ts';
import { STATEMENT_KEYS, type StatementKey } from './use-statement-keys.ts';

interface StatementControlsProps {
  playback: Playback;
  runs: readonly RunStatement[];
  durationMs: number;
  onKey: (key: StatementKey) => void;
}

export function StatementControls({ playback, runs, durationMs, onKey }: StatementControlsProps) {
  const t = useTranslate();
  const view = useStore(playback.view);
  const saved = useMemo(() => savedMs(quietStretches(runs, durationMs)), [runs, durationMs]);
  return (
    <div className={styles.bar}>
      <div className={styles.controls} role="toolbar" aria-label={t('player.controls')}>
        <div className={styles.transport}>
          <IconButton
            icon={SkipBack}
            className={styles.touch}
            label={t('statements.previous')}
            onClick={() => onKey('previous')}
          />
          <PlayButton view={view} onToggle={() => onKey('toggle')} />
          <IconButton
            icon={SkipForward}
            className={styles.touch}
            label={t('statements.next')}
            onClick={() => onKey('next')}
          />
        </div>
        <Time playback={playback} isLive={view.isLive} durationMs={view.durationMs} />
        <LiveButton playback={playback} view={view} />
        <span className={styles.grow} />
        <SkipIdle playback={playback} view={view} savedMs={saved} />
        <span className={styles.line} />
        <SpeedChoice playback={playback} view={view} />
        <KeysPopover shown={STATEMENT_KEYS} className={styles.wideOnly} />
      </div>
    </div>
  );
}
