/** Ties the engine and the terminal of the player to a place on the page, for as long as it is there. */
import type { RecordingDetails } from '@gatehouse/contract/recordings/recordings';
import { useShownTheme } from '@gatehouse/design/theme';
import { useQueryClient } from '@tanstack/react-query';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { usePreference } from '../../../platform/browser/preferences.ts';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { readSettings } from '../../../shared/terminal-theme/terminal-settings.ts';
import type { Clock } from './engine/piece-reader.ts';
import { createPlayback, type Playback } from './engine/playback.ts';
import { pieceSource } from './player-queries.ts';
import { createPlayerTerminal, type PlayerTerminal, type Scale } from './screen/player-terminal.ts';

export interface Player {
  playback: Playback;
  terminal: PlayerTerminal;
}

interface PlayerOptions {
  place: RefObject<HTMLDivElement | null>;
  clusterId: string;
  sid: string;
  /** Read once, when it begins. */
  startMs: number | undefined;
  scale: Scale;
}

export function usePlayer({ place, clusterId, sid, startMs, scale }: PlayerOptions) {
  const t = useTranslate();
  const api = useApi();
  const queries = useQueryClient();
  const theme = useShownTheme();
  const [preference] = usePreference('terminal');
  const { screenReader } = readSettings(preference);
  const label = t('player.screen');
  const [player, setPlayer] = useState<Player>();
  const [selected, setSelected] = useState('');
  const [size, setSize] = useState({ cols: 0, rows: 0 });
  const begin = useRef(startMs ?? 0);

  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const terminal = createPlayerTerminal({
      label,
      screenReader,
      onSelect: setSelected,
      onSize: (cols, rows) => setSize({ cols, rows }),
    });
    const source = pieceSource(api, queries, { clusterId, sid });
    const playback = createPlayback({ source, screen: terminal, clock: pageClock() });
    void terminal.show(element);
    playback.start(begin.current);
    setPlayer({ playback, terminal });
    return () => {
      playback.close();
      terminal.dispose();
      setPlayer(undefined);
    };
  }, [place, api, queries, clusterId, sid, label, screenReader]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours are read from the page, which has just changed
  useEffect(() => player?.terminal.recolour(), [player, theme]);
  useEffect(() => {
    if (!player || !place.current) return;
    player.terminal.fit(scale);
    const observer = new ResizeObserver(() => player.terminal.fit(scale));
    observer.observe(place.current);
    return () => observer.disconnect();
  }, [player, place, scale]);
  useCopiedSelection(selected);
  return { player, selected, size };
}

/** Once the facts are there: how long it is, and whether it starts by itself. */
export function useBeginning(
  player: Player | undefined,
  details: RecordingDetails | undefined,
  hasSecond: boolean,
): void {
  const begun = useRef<Player>(undefined);
  const isLive = details?.state === 'live';
  const durationMs = details?.durationMs;
  useEffect(() => {
    if (!player || durationMs === undefined) return;
    player.playback.setEnd(durationMs, isLive);
    if (begun.current === player) return;
    begun.current = player;
    // A link to a second shows that second and waits.
    if (hasSecond) return;
    if (isLive) player.playback.goLive();
    else player.playback.play();
  }, [player, durationMs, isLive, hasSecond]);
}

/** The terminal never has the focus, so that the browser does not find what is selected in it by itself. */
function useCopiedSelection(selected: string): void {
  useEffect(() => {
    if (selected === '') return;
    const onCopy = (event: ClipboardEvent) => {
      if (document.getSelection()?.toString()) return;
      event.clipboardData?.setData('text/plain', selected);
      event.preventDefault();
    };
    document.addEventListener('copy', onCopy);
    return () => document.removeEventListener('copy', onCopy);
  }, [selected]);
}

function pageClock(): Clock {
  return {
    now: () => performance.now(),
    soon(callback) {
      const frame = requestAnimationFrame(callback);
      return () => cancelAnimationFrame(frame);
    },
    later(callback, ms) {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
  };
}
