/** Ties the engine and the renderer of the player to a place on the page, for as long as it is there. */
import type { RecordingDetails } from '@gatehouse/contract/recordings/recordings';
import { useShownTheme } from '@gatehouse/design/theme';
import { useQueryClient } from '@tanstack/react-query';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { useBrowser } from '../../../platform/browser/browser-services.tsx';
import { usePreference } from '../../../platform/browser/preferences.ts';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { readSettings } from '../../../shared/terminal-theme/terminal-settings.ts';
import { pageClock } from '../engine/page-clock.ts';
import { createPlayback, type Playback } from '../engine/playback.ts';
import type { BuiltRenderer } from '../renderers.ts';
import type { CreateReplayScreen, ReplayScreen, Scale } from '../screen/replay-screen.ts';
import { pictureSource } from './picture-source.ts';
import { pieceSource } from './player-queries.ts';

export interface Player {
  playback: Playback;
  screen: ReplayScreen;
}

interface PlayerOptions {
  place: RefObject<HTMLDivElement | null>;
  clusterId: string;
  sid: string;
  /** Nothing is drawn while there is none. */
  renderer: BuiltRenderer | undefined;
  /** Read once, when it begins. */
  startMs: number | undefined;
  scale: Scale;
}

export function usePlayer({ place, clusterId, sid, renderer, startMs, scale }: PlayerOptions) {
  const t = useTranslate();
  const api = useApi();
  const { fetchBytes } = useBrowser();
  const queries = useQueryClient();
  const theme = useShownTheme();
  const [preference] = usePreference('terminal');
  const { screenReader } = readSettings(preference);
  const label = t('player.screen');
  const [player, setPlayer] = useState<Player>();
  const [selected, setSelected] = useState('');
  const [size, setSize] = useState({ cols: 0, rows: 0 });
  const begin = useRef(startMs ?? 0);
  const createScreen = useLoaded(renderer);
  const reads = renderer?.reads;

  useEffect(() => {
    const element = place.current;
    if (!element || !createScreen) return;
    const screen = createScreen({
      label,
      screenReader,
      onSelect: setSelected,
      onSize: (cols, rows) => setSize({ cols, rows }),
      onFailed: (failure) => playback.fail(failure),
    });
    const source =
      reads === 'pictures'
        ? pictureSource(fetchBytes, { clusterId, sid })
        : pieceSource(api, queries, { clusterId, sid });
    const playback = createPlayback({ source, screen, clock: pageClock() });
    void screen.show(element);
    playback.start(begin.current);
    setPlayer({ playback, screen });
    return () => {
      playback.close();
      screen.dispose();
      setPlayer(undefined);
    };
  }, [place, createScreen, reads, api, fetchBytes, queries, clusterId, sid, label, screenReader]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours are read from the page, which has just changed
  useEffect(() => player?.screen.recolour(), [player, theme]);
  useEffect(() => {
    if (!player || !place.current) return;
    player.screen.fit(scale);
    const observer = new ResizeObserver(() => player.screen.fit(scale));
    observer.observe(place.current);
    return () => observer.disconnect();
  }, [player, place, scale]);
  useCopiedSelection(selected);
  return { player, selected, size };
}

/** The renderer's code, once it is here. What cannot be fetched is told in place of the player. */
function useLoaded(renderer: BuiltRenderer | undefined): CreateReplayScreen | undefined {
  const [loaded, setLoaded] = useState<{ by: BuiltRenderer; create?: CreateReplayScreen; error?: unknown }>();
  useEffect(() => {
    let isWanted = true;
    const keep = (by: BuiltRenderer, made: { create?: CreateReplayScreen; error?: unknown }) =>
      void (isWanted && setLoaded({ by, ...made }));
    renderer?.load().then(
      (create) => keep(renderer, { create }),
      (error: unknown) => keep(renderer, { error }),
    );
    return () => {
      isWanted = false;
    };
  }, [renderer]);
  if (!loaded || loaded.by !== renderer) return undefined;
  if (loaded.error !== undefined) throw loaded.error;
  return loaded.create;
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
