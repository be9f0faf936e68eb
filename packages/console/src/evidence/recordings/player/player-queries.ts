/** The calls of the player as queries, and as the source that its engine reads. */
import { matchPage } from '@gatehouse/contract/console/pages';
import { recordingUpkeepRoutes } from '@gatehouse/contract/recordings/recording-upkeep';
import { recordingRoutes } from '@gatehouse/contract/recordings/recordings';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import type { Api } from '../../../platform/api/api.ts';
import type { Asking } from '../../../platform/api/query-client.ts';
import type { ChunkSource } from '../engine/piece-reader.ts';
import { RECORDINGS } from '../recording-queries.ts';
import { builtRenderer, isList } from '../renderers.ts';
import { parsePlayer } from './player-search-params.ts';

interface Which {
  clusterId: string;
  sid: string;
}

const LIVE_EVERY_MS = 5_000;

export function detailsQuery(api: Api, params: Which) {
  return queryOptions({
    queryKey: [RECORDINGS, 'details', params.clusterId, params.sid],
    queryFn: ({ signal }) => api(recordingRoutes.get, { params }, signal),
    refetchOnWindowFocus: false,
    // A session that runs gets longer, and what was just written is still being read.
    refetchInterval: ({ state: { data } }) =>
      data && (data.state === 'live' || (data.playable && data.indexedMs < data.durationMs)) ? LIVE_EVERY_MS : false,
  });
}

export function findQuery(api: Api, params: Which, text: string) {
  return queryOptions({
    queryKey: [RECORDINGS, 'find', params.clusterId, params.sid, text],
    queryFn: ({ signal }) => api(recordingRoutes.find, { params, query: { text } }, signal),
    refetchOnWindowFocus: false,
    retry: false,
  });
}

export function verifyQuery(api: Api, params: Which) {
  return queryOptions({
    queryKey: [RECORDINGS, 'verify', params.clusterId, params.sid],
    queryFn: ({ signal }) => api(recordingUpkeepRoutes.verify, { params }, signal),
    refetchOnWindowFocus: false,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
}

function firstPieceQuery(api: Api, params: Which, ms: number) {
  return queryOptions({
    queryKey: [RECORDINGS, 'first-piece', params.clusterId, params.sid, ms],
    queryFn: ({ signal }) => api(recordingRoutes.playback, { params, query: { seek: String(ms) } }, signal),
    // A refusal is shown at once, with another try beside it.
    retry: false,
    staleTime: 10_000,
    gcTime: 10_000,
  });
}

/** Reads the pieces; the first one may have been asked for while the screen's file was on its way. */
export function pieceSource(api: Api, queries: QueryClient, params: Which): ChunkSource {
  return {
    async seek(given, signal) {
      const ms = Math.round(given);
      const first = firstPieceQuery(api, params, ms);
      if (!queries.getQueryState(first.queryKey))
        return api(recordingRoutes.playback, { params, query: { seek: String(ms) } }, signal);
      const piece = await queries.fetchQuery(first);
      // Used once: a piece is large, and nobody begins at the same place twice.
      queries.removeQueries({ queryKey: first.queryKey });
      return piece;
    },
    next: (next, signal) => api(recordingRoutes.playback, { params, query: { next } }, signal),
  };
}

/** Asks for the facts, the first picture and what draws it while the screen's file is on its way. */
export async function prefetchPlayer({ queries, api }: Asking): Promise<void> {
  const page = matchPage(window.location.pathname);
  const { clusterId, sid } = page?.params ?? {};
  if (page?.name !== 'player' || clusterId === undefined || sid === undefined) return;
  const { type, startMs, problem } = parsePlayer(Object.fromEntries(new URLSearchParams(window.location.search)));
  const params = { clusterId, sid };
  if (problem || queries.getQueryState(detailsQuery(api, params).queryKey)) return;
  // What does not come is asked for again by the player, which then says so.
  const renderer = builtRenderer(type);
  void renderer?.load().catch(() => undefined);
  if (!isList(type) && renderer?.reads === undefined)
    void queries.prefetchQuery(firstPieceQuery(api, params, startMs ?? 0));
  await queries.prefetchQuery(detailsQuery(api, params));
}
