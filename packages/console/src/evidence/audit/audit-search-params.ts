/** What the audit log remembers in the address: time, filter, order, the event that is open, and whether it is followed. */
import type { Sort } from '@gatehouse/design/table-head';
import { useMemo } from 'react';
import { type SearchTexts, useSearch } from '../../platform/routing/routing.tsx';
import {
  isoOf,
  isPreset,
  type Range,
  rangeOf,
  rangeTexts,
  spanOf,
} from '../../shared/time-range/range-search-params.ts';
import { DEFAULT_PRESET, type Span } from '../../shared/time-range/time-span.ts';

/** As the calls name them; lists are separated by commas. */
export const FILTER_NAMES = [
  'search',
  'severity',
  'include',
  'code',
  'user',
  'resourceKind',
  'resourceName',
  'session',
  'address',
  'signIn',
  'requestId',
] as const;
export type FilterName = (typeof FILTER_NAMES)[number];

/** Only what is set. */
export type EventFilter = Partial<Record<FilterName, string>>;

export interface OpenEvent {
  id: string;
  /** When it happened: a link must find it whatever else is set. */
  time: string;
}

export interface AuditAddress {
  range: Range;
  /** The part of the range whose events are listed. */
  zoom: Span | undefined;
  filter: EventFilter;
  order: 'asc' | 'desc';
  open: OpenEvent | undefined;
  isLive: boolean;
  /** The proof that nobody changed the log is open. */
  isVerifying: boolean;
}

const SEVERITIES = ['info', 'warning', 'error'];
const MAX_LENGTH = 4_096;

export function useAuditAddress() {
  const [address, set] = useSearch(parseAudit);
  const actions = useMemo(
    () => ({
      narrow: (change: EventFilter, how: 'replace' | 'push') =>
        void set(Object.fromEntries(Object.entries(change).map(([name, value]) => [name, value || undefined])), how),
      /** Nothing but this. */
      showOnly: (filter: EventFilter) => void set({ ...NO_FILTER, zoom: undefined, ...filter }, 'push'),
      clear: () => void set({ ...NO_FILTER, zoom: undefined }, 'push'),
      pickRange: (range: Range) =>
        void set(
          { ...rangeTexts(range, DEFAULT_PRESET), zoom: undefined, ...(isPreset(range) ? {} : { live: undefined }) },
          'push',
        ),
      zoomTo: (zoom: Span | undefined) =>
        void set({ zoom: zoom && spanText(zoom), ...(zoom ? { live: undefined } : {}) }, 'push'),
      sortBy: ({ direction }: Sort) =>
        void set({
          order: direction === 'asc' ? 'asc' : undefined,
          ...(direction === 'asc' ? { live: undefined } : {}),
        }),
      open: (event: OpenEvent | undefined, how: 'replace' | 'push' = 'push') =>
        void set({ open: event?.id, at: event?.time }, event === undefined ? 'replace' : how),
      verify: (isOpen: boolean) => void set({ do: isOpen ? 'verify' : undefined }),
      /** Only a range that ends now has news, and they stand at the top. */
      follow: (isLive: boolean) =>
        void set(
          isLive
            ? { live: 'on', order: undefined, zoom: undefined, from: undefined, to: undefined }
            : { live: undefined },
          'push',
        ),
    }),
    [set],
  );
  return [address, actions] as const;
}

export type AuditActions = ReturnType<typeof useAuditAddress>[1];

const NO_FILTER: Record<FilterName, undefined> = {
  search: undefined,
  severity: undefined,
  include: undefined,
  code: undefined,
  user: undefined,
  resourceKind: undefined,
  resourceName: undefined,
  session: undefined,
  address: undefined,
  signIn: undefined,
  requestId: undefined,
};

/** Whatever anybody wrote into the address, what comes out can be asked for. */
export function parseAudit(texts: SearchTexts): AuditAddress {
  const range = rangeOf(texts, DEFAULT_PRESET);
  const [zoomFrom, zoomTo] = (texts.zoom ?? '').split('~');
  const zoom = spanOf(zoomFrom, zoomTo);
  const isLive = texts.live === 'on' && isPreset(range) && zoom === undefined;
  return {
    range,
    zoom,
    filter: filterOf(texts),
    order: texts.order === 'asc' && !isLive ? 'asc' : 'desc',
    open: texts.open ? { id: texts.open, time: texts.at ?? '' } : undefined,
    isLive,
    isVerifying: texts.do === 'verify',
  };
}

function filterOf(texts: SearchTexts): EventFilter {
  const filter: EventFilter = {};
  for (const name of FILTER_NAMES) {
    const text = (texts[name] ?? '').slice(0, MAX_LENGTH).trim();
    const known =
      name === 'severity'
        ? listOf(text)
            .filter((each) => SEVERITIES.includes(each))
            .join()
        : text;
    if (known !== '') filter[name] = known;
  }
  return filter;
}

/** Of a comma list. */
export function listOf(text: string | undefined): string[] {
  return (text ?? '').split(',').filter((each) => each !== '');
}

function spanText({ from, to }: Span): string {
  return `${isoOf(from)}~${isoOf(to)}`;
}
