/** The buttons below the timeline: what keys do, they do. */
import { IconButton } from '@gatehouse/design/icon-button';
import SkipBack from 'lucide-react/icons/skip-back';
import SkipForward from 'lucide-react/icons/skip-forward';
import { useMemo } from 'react';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import type { Playback } from '../../engine/playback.ts';
import styles from '../controls.module.css';
import { KeysPopover } from '../keys-popover.tsx';
import { PlayBar } from '../play-bar.tsx';
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
  const saved = useMemo(() => savedMs(quietStretches(runs, durationMs)), [runs, durationMs]);
  return (
    <PlayBar
      playback={playback}
      savedMs={saved}
      before={
        <IconButton
          icon={SkipBack}
          className={styles.touch}
          label={t('statements.previous')}
          onClick={() => onKey('previous')}
        />
      }
      after={
        <IconButton
          icon={SkipForward}
          className={styles.touch}
          label={t('statements.next')}
          onClick={() => onKey('next')}
        />
      }
      onToggle={() => onKey('toggle')}
    >
      <KeysPopover shown={STATEMENT_KEYS} className={styles.wideOnly} />
    </PlayBar>
  );
}
