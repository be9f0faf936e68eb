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
import { useStore } from '../../../platform/browser/store.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import type { Playback } from '../engine/playback.ts';
import type { Scale } from '../screen/replay-screen.ts';
import styles from './controls.module.css';
import { KeysPopover } from './keys-popover.tsx';
import { LiveButton, PlayButton, SkipIdle, SpeedChoice, Time } from './play-controls.tsx';
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
  const view = useStore(playback.view);
  const saved = useMemo(() => savedMs(idleStretches(details.activity, details.durationMs)), [details]);
  const hasCommands = details.markers.some(({ type }) => type === 'command');
  return (
    <div className={styles.bar}>
      <div className={styles.controls} role="toolbar" aria-label={t('player.controls')}>
        <div className={styles.transport}>
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
          <PlayButton view={view} onToggle={() => onKey('toggle')} />
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
        </div>
        <Time playback={playback} isLive={view.isLive} durationMs={view.durationMs} />
        <LiveButton playback={playback} view={view} />
        <span className={styles.grow} />
        <SkipIdle playback={playback} view={view} savedMs={saved} />
        <span className={styles.line} />
        <SpeedChoice playback={playback} view={view} />
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
      </div>
    </div>
  );
}
