/** What a map would give, and who gains or loses by it: asked of the gateway a moment after each change. */
import type { RoleMapEntry } from '@gatehouse/contract/reach/trusted-clusters/trusted-cluster-document';
import { type MapPreview, trustedClusterRoutes } from '@gatehouse/contract/reach/trusted-clusters/trusted-clusters';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useApi } from '../../../platform/browser/use-api.ts';
import { refusalOf } from '../../../platform/failures/failure-words.ts';
import { useDebounced } from '../../../shared/resource-list/use-debounced.ts';
import { wholeEntries } from './map-entries.ts';

const TYPING_MS = 300;

export interface MapAnswer {
  preview: MapPreview | undefined;
  /** The answer is about what was written a moment ago. */
  isBehind: boolean;
  /** What is wrong with entries, by their place. */
  wrong: ReadonlyMap<number, string>;
  /** What went wrong with the question itself. */
  failure: unknown;
}

interface MapQuestion {
  entries: readonly RoleMapEntry[];
  /** A role of the root that is being tried; empty for none. */
  tried: string;
  /** The trust it is for; nothing while it is not made. */
  trust: string | undefined;
}

export function useMapPreview({ entries, tried, trust }: MapQuestion): MapAnswer {
  const api = useApi();
  const whole = wholeEntries(entries);
  const role_map = whole.map(({ entry }) => entry);
  const text = JSON.stringify({ role_map, remote: tried === '' ? [] : [tried], ...(trust ? { trust } : {}) });
  const settled = useDebounced(text, TYPING_MS);
  const { data, error, isFetching } = useQuery({
    queryKey: ['access', 'map', settled],
    queryFn: ({ signal }) =>
      api(trustedClusterRoutes.previewMap, { body: JSON.parse(settled) as { role_map: RoleMapEntry[] } }, signal),
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 60_000,
  });
  const wrong = new Map(
    issuesIn(error).flatMap(({ place, message }) => {
      const at = whole[place]?.place;
      return at === undefined ? [] : [[at, message] as const];
    }),
  );
  return {
    preview: error ? undefined : data,
    isBehind: settled !== text || isFetching,
    wrong,
    failure: wrong.size > 0 ? undefined : (error ?? undefined),
  };
}

function issuesIn(error: unknown): { place: number; message: string }[] {
  const issues = refusalOf(error)?.fields.issues;
  if (!Array.isArray(issues)) return [];
  return issues.flatMap(({ path, message }: { path?: unknown; message?: unknown }) => {
    const place = /role_map\.(\d+)/.exec(String(path))?.[1];
    return place === undefined ? [] : [{ place: Number(place), message: String(message) }];
  });
}
