/** Everything the screen of the log shows: the events, their counts, and the news, for what the address asks. */
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { isPreset, spanAt } from '../../shared/time-range/range-search-params.ts';
import { AUDIT, type EventList, useCounts } from './audit-queries.ts';
import type { AuditAddress, EventFilter } from './audit-search-params.ts';
import { FACETS, type Facet, type FacetCounts } from './facets.tsx';
import { useEventRows } from './use-event-rows.ts';
import { useLiveTail } from './use-live-tail.ts';

/** What is typed is asked for when the hand rests. */
const TYPING_MS = 250;
/** While the log is followed, its chart follows in such steps. */
const STEP_MS = 10_000;

export function useAuditLog(clusterId: string, address: AuditAddress) {
  const queries = useQueryClient();
  const filter = useDebouncedFilter(address.filter);
  const { asOf, isNow, setNow } = useAsOf(address, filter);
  const ticking = useTicking(address.isLive);

  const base = useSpan(address, asOf);
  const followed = useSpan(address, address.isLive ? ticking : asOf);
  const span = address.zoom ?? base;
  const countedSpan = address.zoom ?? followed;
  const list = useMemo<EventList>(
    () => ({ clusterId, span, filter, order: address.order }),
    [clusterId, span, filter, address.order],
  );

  const refresh = useCallback(() => {
    setNow();
    void queries.invalidateQueries({ queryKey: [AUDIT, 'events'] });
    void queries.invalidateQueries({ queryKey: [AUDIT, 'counts'] });
  }, [queries, setNow]);
  const tail = useLiveTail({ clusterId, filter, isOn: address.isLive, onBegin: refresh });
  const events = useEventRows(list, tail);

  const all = useCounts({ clusterId, span: followed, filter }, address.isLive);
  const found = useCounts({ clusterId, span: countedSpan, filter }, address.isLive);
  const facets: FacetCounts = {
    severities: useFacet('severities', clusterId, countedSpan, filter, address.isLive),
    types: useFacet('types', clusterId, countedSpan, filter, address.isLive),
    users: useFacet('users', clusterId, countedSpan, filter, address.isLive),
    kinds: useFacet('kinds', clusterId, countedSpan, filter, address.isLive),
  };
  return { list, tail, events, chartSpan: followed, chart: all.data, found: found.data, facets, isNow, refresh };
}

/** A facet is counted without itself: beside the chosen value stand those one could choose instead. */
function useFacet(facet: Facet, clusterId: string, span: EventList['span'], filter: EventFilter, isLive: boolean) {
  const { [FACETS[facet].filter]: _own, ...rest } = filter;
  return useCounts({ clusterId, span, filter: rest }, isLive).data;
}

/** The same object while it means the same, so that nothing is asked for again. */
function useSpan({ range }: AuditAddress, now: number) {
  const { from, to } = spanAt(range, now);
  return useMemo(() => ({ from, to }), [from, to]);
}

/** The moment that "now" means: when the question was last changed, or asked again. */
function useAsOf({ range }: AuditAddress, filter: EventFilter) {
  const { now } = useBrowser();
  const key = JSON.stringify([range, filter]);
  const [held, setHeld] = useState(() => ({ key, at: now() }));
  if (held.key !== key) setHeld({ key, at: now() });
  const setNow = useCallback(() => setHeld((before) => ({ ...before, at: now() })), [now]);
  return { asOf: held.at, isNow: isPreset(range), setNow };
}

function useTicking(isOn: boolean): number {
  const { now } = useBrowser();
  const [at, setAt] = useState(now);
  useEffect(() => {
    if (!isOn) return;
    setAt(now());
    const timer = setInterval(() => setAt(now()), STEP_MS);
    return () => clearInterval(timer);
  }, [isOn, now]);
  return at;
}

function useDebouncedFilter(filter: EventFilter): EventFilter {
  const { search } = filter;
  const [rested, setRested] = useState(search);
  useEffect(() => {
    const timer = setTimeout(() => setRested(search), TYPING_MS);
    return () => clearTimeout(timer);
  }, [search]);
  const wanted = JSON.stringify({ ...filter, search: rested });
  return useMemo(() => JSON.parse(wanted) as EventFilter, [wanted]);
}
