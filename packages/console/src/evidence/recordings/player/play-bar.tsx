/** The bar below the timeline of every player, whatever it shows: play and pause, the time, idle time, speed, going live. */
import { Button } from '@gatehouse/design/button';
import { classNames } from '@gatehouse/design/class-names';
import { IconButton } from '@gatehouse/design/icon-button';
import { SegmentedControl } from '@gatehouse/design/segmented-control';
import { Switch } from '@gatehouse/design/switch';
import Pause from 'lucide-react/icons/pause';
import Play from 'lucide-react/icons/play';
import Radio from 'lucide-react/icons/radio';
import RotateCcw from 'lucide-react/icons/rotate-ccw';
import { type ReactNode, useEffect, useRef } from 'react';
import { useStore } from '../../../platform/browser/store.ts';
import { formatDuration } from '../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { type Playback, type PlaybackView, SPEEDS, type Speed } from '../engine/playback.ts';
import { clockText } from '../recording-facts.ts';
import styles from './controls.module.css';

interface PartProps {
  playback: Playback;
  view: PlaybackView;
}

interface PlayBarProps {
  playback: Playback;
  /** What is passed over where nothing happens. */
  savedMs: number;
  /** The steps back and forward, around the button that plays. */
  before: ReactNode;
  after: ReactNode;
  onToggle: () => void;
  /** What only this player has. */
  children: ReactNode;
}

export function PlayBar({ playback, savedMs, before, after, onToggle, children }: PlayBarProps) {
  const t = useTranslate();
  const view = useStore(playback.view);
  return (
    <div className={styles.bar}>
      <div className={styles.controls} role="toolbar" aria-label={t('player.controls')}>
        <div className={styles.transport}>
          {before}
          <PlayButton view={view} onToggle={onToggle} />
          {after}
        </div>
        <Time playback={playback} isLive={view.isLive} durationMs={view.durationMs} />
        <LiveButton playback={playback} view={view} />
        <span className={styles.grow} />
        <SkipIdle playback={playback} view={view} savedMs={savedMs} />
        <span className={styles.line} />
        <SpeedChoice playback={playback} view={view} />
        {children}
      </div>
    </div>
  );
}

function PlayButton({ view, onToggle }: { view: PlaybackView; onToggle: () => void }) {
  const t = useTranslate();
  return <IconButton {...playLook(t, view)} size="large" className={styles.play} onClick={onToggle} />;
}

function playLook(t: ReturnType<typeof useTranslate>, { isPlaying, hasEnded }: PlaybackView) {
  if (isPlaying) return { icon: Pause, label: t('player.pause') };
  return hasEnded ? { icon: RotateCcw, label: t('player.again') } : { icon: Play, label: t('player.play') };
}

function LiveButton({ playback, view }: PartProps) {
  const t = useTranslate();
  return (
    view.isLive && (
      <Button
        size="small"
        icon={Radio}
        className={classNames(styles.live, view.isFollowing && styles.following)}
        aria-pressed={view.isFollowing}
        onClick={playback.goLive}
      >
        {t(view.isFollowing ? 'player.live' : 'player.go-live')}
      </Button>
    )
  );
}

function SkipIdle({ playback, view, savedMs }: PartProps & { savedMs: number }) {
  const t = useTranslate();
  return (
    <Switch
      label={
        <>
          {t('player.skip-idle')}
          {savedMs >= 1_000 && (
            <span className={styles.saves}>{t('player.saves', { duration: formatDuration(savedMs) })}</span>
          )}
        </>
      }
      checked={view.skipsIdle}
      onCheckedChange={playback.setSkipsIdle}
    />
  );
}

function SpeedChoice({ playback, view }: PartProps) {
  const t = useTranslate();
  return (
    <SegmentedControl<`${Speed}`>
      label={t('player.speed')}
      size="small"
      value={`${view.speed}`}
      segments={SPEEDS.map((speed) => ({ value: `${speed}` as const, label: t('player.speed-times', { speed }) }))}
      onValueChange={(value) => playback.setSpeed(SPEEDS.find((speed) => `${speed}` === value) ?? 1)}
    />
  );
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
