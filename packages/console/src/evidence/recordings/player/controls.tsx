/** The buttons of the player: playing, speed, idle time, going live, keys, full screen. */
import type { RecordingDetails } from '@gatehouse/contract/recordings/recordings';
import { classNames } from '@gatehouse/design/class-names';
import { IconButton } from '@gatehouse/design/icon-button';
import Maximize from 'lucide-react/icons/maximize';
import Minimize from 'lucide-react/icons/minimize';
import Scaling from 'lucide-react/icons/scaling';
import SkipBack from 'lucide-react/icons/skip-back';
import SkipForward from 'lucide-react/icons/skip-forward';
import StepBack from 'lucide-react/icons/step-back';
import StepForward from 'lucide-react/icons/step-forward';
import { useMemo } from 'react';
import { useTranslate } from '../../../platform/i18n/words.ts';
import type { Playback } from '../engine/playback.ts';
import type { Scale } from '../screen/replay-screen.ts';
import styles from './controls.module.css';
import { KeysPopover } from './keys-popover.tsx';
import { PlayBar } from './play-bar.tsx';
import { type PlayerKey, SHOWN_KEYS } from './player-keys.ts';
import { idleStretches, savedMs } from './timeline/stretches.ts';

interface ControlsProps {
  playback: Playback;
  details: RecordingDetails;
  isFull: boolean;
  scale: Scale;
  onScale: (scale: Scale) => void;
  /** What keys do, buttons do. */
  onKey: (key: PlayerKey) => void;
}

export function Controls({ playback, details, isFull, scale, onScale, onKey }: ControlsProps) {
  const t = useTranslate();
  const saved = useMemo(() => savedMs(idleStretches(details.activity, details.durationMs)), [details]);
  const hasCommands = details.markers.some(({ type }) => type === 'command');
  return (
    <PlayBar
      playback={playback}
      savedMs={saved}
      before={
        <>
          {hasCommands && (
            <IconButton
              icon={SkipBack}
              className={styles.touch}
              label={t('player.previous-command')}
              onClick={() => onKey('previous-command')}
            />
          )}
          <IconButton
            icon={StepBack}
            className={classNames(styles.touch, hasCommands && styles.wideOnly)}
            label={t('player.step-back')}
            onClick={() => onKey('step-back')}
          />
        </>
      }
      after={
        <>
          <IconButton
            icon={StepForward}
            className={classNames(styles.touch, hasCommands && styles.wideOnly)}
            label={t('player.step-forward')}
            onClick={() => onKey('step-forward')}
          />
          {hasCommands && (
            <IconButton
              icon={SkipForward}
              className={styles.touch}
              label={t('player.next-command')}
              onClick={() => onKey('next-command')}
            />
          )}
        </>
      }
      onToggle={() => onKey('toggle')}
    >
      <IconButton
        icon={Scaling}
        className={styles.touch}
        label={t(scale === 'whole' ? 'player.readable' : 'player.whole')}
        onClick={() => onScale(scale === 'whole' ? 'readable' : 'whole')}
      />
      <KeysPopover shown={SHOWN_KEYS} className={styles.wideOnly} />
      <IconButton
        icon={isFull ? Minimize : Maximize}
        className={styles.touch}
        label={t(isFull ? 'player.leave-full-screen' : 'player.full-screen')}
        onClick={() => onKey('full-screen')}
      />
    </PlayBar>
  );
}
