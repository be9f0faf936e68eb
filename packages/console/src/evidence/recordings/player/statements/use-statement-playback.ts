/** Plays the statements of a session in time, by the engine that plays terminals: it steps from one to the next and skips what is idle. */
import type { RecordingDetails } from '@gatehouse/contract/recordings/recordings';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { pageClock } from '../../engine/page-clock.ts';
import { createPlayback, type Playback, type PlaybackScreen } from '../../engine/playback.ts';
import { type RunStatement, runAt } from './run-statements.ts';
import { StatementSource } from './statement-source.ts';
import type { Statements } from './use-statements.ts';

/** Nothing is painted: the list shows what has been asked. */
const NO_SCREEN: PlaybackScreen = {
  draw() {},
  write: (_data, done) => done(),
  resize() {},
  settle: (done) => done(),
};

interface Begun {
  playback: Playback;
  source: StatementSource;
}

export function useStatementPlayback(
  details: RecordingDetails,
  read: Statements,
  startMs: number | undefined,
): Playback {
  const latest = useRef(read);
  const begin = useRef(startMs ?? 0);
  const [{ playback, source }] = useState<Begun>(() => {
    const made = new StatementSource(() => {
      if (latest.current.isFull) latest.current.readOn();
    });
    return { source: made, playback: createPlayback({ source: made, screen: NO_SCREEN, clock: pageClock() }) };
  });
  useEffect(() => {
    playback.start(begin.current);
    return () => playback.close();
  }, [playback]);
  useEffect(() => {
    latest.current = read;
    source.update(read);
  }, [source, read]);
  const { durationMs, state } = details;
  useEffect(() => playback.setEnd(durationMs, state === 'live'), [playback, durationMs, state]);
  return playback;
}

/** The statement that ran at the time the player is at; drawn again only when it is another. */
export function useRunAtPosition(playback: Playback, runs: readonly RunStatement[]): RunStatement | undefined {
  return useSyncExternalStore(playback.position.subscribe, () => runAt(runs, playback.position.get()));
}

/** When it stops, by itself or by hand. */
export function useOnStop(playback: Playback, onStop: () => void): void {
  const latest = useRef(onStop);
  useEffect(() => {
    latest.current = onStop;
  });
  useEffect(() => {
    let wasPlaying = playback.view.get().isPlaying;
    return playback.view.subscribe(() => {
      const { isPlaying } = playback.view.get();
      if (wasPlaying && !isPlaying) latest.current();
      wasPlaying = isPlaying;
    });
  }, [playback]);
}
