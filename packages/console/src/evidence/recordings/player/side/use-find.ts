/** Finds text in the recording and walks from hit to hit. */
import { useShownTheme } from '@gatehouse/design/theme';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { useApi } from '../../../../platform/browser/use-api.ts';
import { useDebounced } from '../../../../shared/resource-list/use-debounced.ts';
import type { Hit } from '../../recording-queries.ts';
import { findQuery } from '../player-queries.ts';
import type { Player } from '../use-player.ts';

const TYPING_MS = 250;
const NO_HITS: readonly Hit[] = [];

interface FindOptions {
  clusterId: string;
  sid: string;
  text: string;
  player: Player | undefined;
}

export function useFind({ clusterId, sid, text, player }: FindOptions) {
  const api = useApi();
  const rested = useDebounced(text.trim(), TYPING_MS);
  const found = useQuery({
    ...findQuery(api, { clusterId, sid }, rested),
    enabled: rested !== '',
    placeholderData: keepPreviousData,
  });
  const hits = rested === '' ? NO_HITS : (found.data?.hits ?? NO_HITS);
  const [at, setAt] = useState<number>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: other words have other hits
  useEffect(() => setAt(undefined), [rested]);
  const jump = useCallback(
    (index: number) => {
      const hit = hits[index];
      if (!hit || !player) return;
      setAt(index);
      player.playback.pause();
      player.playback.seek(hit.ms);
    },
    [hits, player],
  );
  const step = useCallback(
    (direction: 1 | -1) => {
      if (hits.length === 0 || !player) return;
      const shown = player.playback.position.get();
      const next = at === undefined ? startAt(hits, shown, direction) : at + direction;
      jump((next + hits.length) % hits.length);
    },
    [hits, at, player, jump],
  );
  useMarked(player, rested === '' ? undefined : (hits[at ?? -1] ?? hits[0]));
  return useMemo(
    () => ({
      hits,
      at,
      isComplete: found.data?.complete ?? true,
      isFinding: found.isFetching,
      hasLooked: rested !== '' && found.data !== undefined && !found.isPlaceholderData,
      error: rested === '' ? undefined : (found.error ?? undefined),
      jump,
      step,
    }),
    [hits, at, found.data, found.isFetching, found.isPlaceholderData, found.error, rested, jump, step],
  );
}

export type Find = ReturnType<typeof useFind>;

/** The hit after what is shown, or before it. */
function startAt(hits: readonly Hit[], ms: number, direction: 1 | -1): number {
  const next = hits.findIndex((hit) => hit.ms > ms);
  if (direction === 1) return next === -1 ? 0 : next;
  return (next === -1 ? hits.length : next) - 1;
}

/** Shows the words on the screen each time another picture is there; while it plays they would only flicker. */
function useMarked(player: Player | undefined, hit: Hit | undefined): void {
  const theme = useShownTheme();
  const [begin = 0, length = 0] = hit?.marks[0] ?? [];
  const text = hit?.line.slice(begin, begin + length) ?? '';
  // biome-ignore lint/correctness/useExhaustiveDependencies: in another theme the marks have other colours
  useEffect(() => {
    if (!player) return;
    const { playback, screen } = player;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const mark = () => {
      clearTimeout(timer);
      const { isPlaying, isWaiting } = playback.view.get();
      if (isWaiting) return;
      timer = setTimeout(() => screen.mark(isPlaying ? '' : text), isPlaying ? 0 : 60);
    };
    mark();
    const stop = playback.view.subscribe(mark);
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [player, text, theme]);
}
