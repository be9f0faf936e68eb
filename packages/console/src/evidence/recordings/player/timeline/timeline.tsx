/** Where in the recording one is: a strip over time with what happened when above it, to point at, drag and walk by keyboard. */
import type { RecordingDetails } from '@gatehouse/contract/recordings/recordings';
import { type KeyboardEvent, type PointerEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { formatDuration } from '../../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import type { Playback } from '../../engine/playback.ts';
import { clockText } from '../../recording-facts.ts';
import { type Stretch, ticksOf } from './stretches.ts';
import styles from './timeline.module.css';

interface TimelineProps {
  playback: Playback;
  details: RecordingDetails;
  /** Where nothing happened. */
  stretches: readonly Stretch[];
  /** Signs above the strip. `shareOf`: where in it a time is, 0 to 1. */
  above: (shareOf: (ms: number) => number) => ReactNode;
  /** What happened about then, for whoever points there; `nearMs` is as near as a hand points. */
  textAt: (ms: number, nearMs: number) => string | undefined;
  /** What was seen about then, where there is a picture of it. */
  pictureAt?: ((ms: number, endMs: number) => ReactNode) | undefined;
  onSeek: (ms: number) => void;
  /** Drawn into the strip, twice: what was played, and what was not. */
  strip: (layer: 'done' | 'todo', endMs: number) => ReactNode;
}

/** A stretch narrower than this share of the strip has no room for words. */
const WORDS_SHARE = 0.09;
/** So near to a marker, pointing at the strip tells it. */
const NEAR_SHARE = 0.006;

export function Timeline(props: TimelineProps) {
  const { playback, details, stretches, above, textAt, pictureAt, onSeek, strip } = props;
  const t = useTranslate();
  const slider = useRef<HTMLDivElement>(null);
  const [pointed, setPointed] = useState<number>();
  const endMs = useEnd(playback, details);
  usePlayhead(slider, playback, endMs);
  const shareOf = (ms: number) => Math.max(0, Math.min(1, ms / Math.max(1, endMs)));
  const timeAt = ({ clientX }: PointerEvent) => {
    const { left, width } = slider.current?.getBoundingClientRect() ?? { left: 0, width: 1 };
    return Math.max(0, Math.min(1, (clientX - left) / Math.max(1, width))) * endMs;
  };
  const drag = (event: PointerEvent<HTMLElement>) => {
    setPointed(timeAt(event));
    if (event.buttons === 1 && event.currentTarget.hasPointerCapture(event.pointerId)) onSeek(timeAt(event));
  };
  const press = (event: PointerEvent<HTMLElement>) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    onSeek(timeAt(event));
  };
  return (
    <div className={styles.timeline}>
      {above(shareOf)}
      <div
        ref={slider}
        className={styles.slider}
        role="slider"
        tabIndex={0}
        aria-label={t('player.position')}
        aria-valuemin={0}
        aria-valuemax={Math.round(endMs / 1_000)}
        aria-valuenow={0}
        onPointerDown={press}
        onPointerMove={drag}
        onPointerLeave={() => setPointed(undefined)}
        onKeyDown={(event) => page(event, onSeek, { at: playback.position.get(), endMs })}
      >
        {stretches.map(({ fromMs, toMs }) => (
          <span
            key={fromMs}
            className={styles.idle}
            style={{ left: `${shareOf(fromMs) * 100}%`, width: `${shareOf(toMs - fromMs) * 100}%` }}
          >
            {shareOf(toMs - fromMs) > WORDS_SHARE && t('player.idle', { duration: formatDuration(toMs - fromMs) })}
          </span>
        ))}
        {strip('todo', endMs)}
        {strip('done', endMs)}
        <span className={styles.head} aria-hidden="true" />
        {pointed !== undefined && (
          <Pointed ms={pointed} share={shareOf(pointed)} text={textAt(pointed, endMs * NEAR_SHARE)}>
            {pictureAt?.(pointed, endMs)}
          </Pointed>
        )}
      </div>
      <div className={styles.axis} aria-hidden="true">
        {ticksOf(endMs).map((tick) => (
          <span key={tick} style={{ left: `${shareOf(tick) * 100}%` }}>
            {clockText(tick)}
          </span>
        ))}
        <span className={styles.axisEnd}>{clockText(endMs)}</span>
      </div>
    </div>
  );
}

interface PointedProps {
  ms: number;
  share: number;
  text: string | undefined;
  children: ReactNode;
}

function Pointed({ ms, share, text, children }: PointedProps) {
  return (
    <span className={styles.pointed} style={{ left: `${share * 100}%` }} aria-hidden="true">
      {/* It leaves the strip at neither end. */}
      <span style={{ transform: `translateX(${-share * 100}%)` }}>
        {children}
        {clockText(ms)}
        {text && (
          <bdi className={styles.pointedText} data-terminal="">
            {text}
          </bdi>
        )}
      </span>
    </span>
  );
}

/** A running session gets longer while one watches; once a second is enough to see it. */
function useEnd(playback: Playback, { durationMs, state }: RecordingDetails): number {
  const [now, setNow] = useState(playback.endNow);
  const isLive = state === 'live';
  useEffect(() => {
    setNow(playback.endNow());
    if (!isLive) return;
    const timer = setInterval(() => setNow(playback.endNow()), 1_000);
    return () => clearInterval(timer);
  }, [playback, isLive]);
  return isLive ? Math.max(now, durationMs) : Math.max(durationMs, playback.view.get().durationMs);
}

/** Moved without drawing anything else again, many times a second. */
function usePlayhead(slider: React.RefObject<HTMLElement | null>, playback: Playback, endMs: number): void {
  const t = useTranslate();
  useEffect(() => {
    let told = -1;
    const move = () => {
      const element = slider.current;
      if (!element) return;
      const ms = playback.position.get();
      element.style.setProperty('--at', `${Math.min(100, (ms / Math.max(1, endMs)) * 100)}%`);
      const second = Math.floor(ms / 1_000);
      if (second === told) return;
      told = second;
      element.setAttribute('aria-valuenow', String(second));
      const words = { position: formatDuration(ms), duration: formatDuration(endMs) };
      element.setAttribute('aria-valuetext', t('player.position-of', words));
    };
    move();
    return playback.position.subscribe(move);
  }, [slider, playback, endMs, t]);
}

/** The arrows are the player's; a page is a twentieth. */
function page(event: KeyboardEvent, onSeek: (ms: number) => void, { at, endMs }: { at: number; endMs: number }): void {
  const direction = { PageUp: -1, PageDown: 1 }[event.key];
  if (direction === undefined) return;
  event.preventDefault();
  onSeek(Math.max(0, Math.min(endMs, at + (direction * endMs) / 20)));
}
