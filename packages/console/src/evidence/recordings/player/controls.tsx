/** The buttons of the player: playing, speed, idle time, going live, keys, full screen. */
import type { RecordingDetails } from '@gatehouse/contract/recordings/recordings';
import { Button } from '@gatehouse/design/button';
import { classNames } from '@gatehouse/design/class-names';
import { IconButton } from '@gatehouse/design/icon-button';
import { SegmentedControl } from '@gatehouse/design/segmented-control';
import { Switch } from '@gatehouse/design/switch';
import Maximize from 'lucide-react/icons/maximize';
import Minimize from 'lucide-react/icons/minimize';
import Pause from 'lucide-react/icons/pause';
import Play from 'lucide-react/icons/play';
import Radio from 'lucide-react/icons/radio';
import RotateCcw from 'lucide-react/icons/rotate-ccw';
import Scaling from 'lucide-react/icons/scaling';
import SkipBack from 'lucide-react/icons/skip-back';
import SkipForward from 'lucide-react/icons/skip-forward';
import StepBack from 'lucide-react/icons/step-back';
import StepForward from 'lucide-react/icons/step-forward';
import { useEffect, useMemo, useRef } from 'react';
import { useStore } from '../../../platform/browser/store.ts';
import { formatDuration } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { type Playback, SPEEDS, type Speed } from '../engine/playback.ts';
import { clockText } from '../recording-facts.ts';
import type { Scale } from '../screen/replay-screen.ts';
import styles from './controls.module.css';
import { KeysPopover } from './keys-popover.tsx';
import type { PlayerKey } from './player-keys.ts';
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
          <IconButton {...playLook(t, view)} size="large" className={styles.play} onClick={() => onKey('toggle')} />
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
        {view.isLive && (
          <Button
            size="small"
            icon={Radio}
            className={classNames(styles.live, view.isFollowing && styles.following)}
            aria-pressed={view.isFollowing}
            onClick={playback.goLive}
          >
            {t(view.isFollowing ? 'player.live' : 'player.go-live')}
          </Button>
        )}
        <span className={styles.grow} />
        <Switch
          label={
            <>
              {t('player.skip-idle')}
              {saved >= 1_000 && (
                <span className={styles.saves}>{t('player.saves', { duration: formatDuration(saved) })}</span>
              )}
            </>
          }
          checked={view.skipsIdle}
          onCheckedChange={playback.setSkipsIdle}
        />
        <span className={styles.line} />
        <SegmentedControl<`${Speed}`>
          label={t('player.speed')}
          size="small"
          value={`${view.speed}`}
          segments={SPEEDS.map((speed) => ({ value: `${speed}` as const, label: t('player.speed-times', { speed }) }))}
          onValueChange={(value) => playback.setSpeed(SPEEDS.find((speed) => `${speed}` === value) ?? 1)}
        />
        <IconButton
          icon={Scaling}
          className={styles.touch}
          label={t(scale === 'whole' ? 'player.readable' : 'player.whole')}
          onClick={() => onScale(scale === 'whole' ? 'readable' : 'whole')}
        />
        <KeysPopover className={styles.wideOnly} />
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

function playLook(
  t: ReturnType<typeof useTranslate>,
  { isPlaying, hasEnded }: { isPlaying: boolean; hasEnded: boolean },
) {
  if (isPlaying) return { icon: Pause, label: t('player.pause') };
  return hasEnded ? { icon: RotateCcw, label: t('player.again') } : { icon: Play, label: t('player.play') };
}

/** Written without drawing anything else again. */
function Time({ playback, isLive, durationMs }: { playback: Playback; isLive: boolean; durationMs: number }) {
  const t = useTranslate();
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    const write = () => {
      const text = clockText(playback.position.get());
      if (place.current && place.current.textContent !== text) place.current.textContent = text;
    };
    write();
    return playback.position.subscribe(write);
  }, [playback]);
  return (
    <span className={styles.time}>
      <b ref={place} data-position="" />
      {!isLive && ` ${t('player.of', { duration: clockText(durationMs) })}`}
    </span>
  );
}
