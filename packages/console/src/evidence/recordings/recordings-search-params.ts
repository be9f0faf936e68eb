/** What the list of recordings remembers in the address: time, filter, where words are looked for, and whether the gaps are open. */
import { isRecordingType } from '@gatehouse/contract/recordings/recording-types';
import { RECORDING_STATES } from '@gatehouse/contract/recordings/recordings';
import { useMemo } from 'react';
import { type SearchTexts, useSearch } from '../../platform/routing/routing.tsx';
import { type Range, rangeOf, rangeTexts } from '../../shared/time-range/range-search-params.ts';
import type { Preset } from '../../shared/time-range/time-span.ts';

/** As the calls name them. */
export const FILTER_NAMES = ['user', 'resource', 'kind', 'state'] as const;
export type FilterName = (typeof FILTER_NAMES)[number];
/** Only what is set. */
export type RecordingFilter = Partial<Record<FilterName, string>>;

export const STATES = ['playable', ...RECORDING_STATES] as const;

/** names: what a session is called. screen: what was seen in it. */
export type SearchScope = 'names' | 'screen';

export interface RecordingsAddress {
  range: Range;
  place: SearchScope;
  search: string;
  filter: RecordingFilter;
  showsGaps: boolean;
}

export const STANDARD_RANGE: Preset = '7d';
const MAX_CHARACTERS = 256;

const NO_FILTER = { user: undefined, resource: undefined, kind: undefined, state: undefined } as const;

export function useRecordingsAddress() {
  const [address, set] = useSearch(parseRecordings);
  const actions = useMemo(
    () => ({
      search: (search: string) => void set({ search: search || undefined }),
      lookIn: (place: SearchScope) => void set({ in: place === 'screen' ? place : undefined }, 'push'),
      narrow: (change: RecordingFilter) => void set({ ...change }, 'push'),
      clear: () => void set({ ...NO_FILTER, search: undefined }, 'push'),
      pickRange: (range: Range) => void set({ ...rangeTexts(range, STANDARD_RANGE) }, 'push'),
      showGaps: (shows: boolean) => void set({ gaps: shows ? 'open' : undefined }, shows ? 'push' : 'replace'),
    }),
    [set],
  );
  return [address, actions] as const;
}

export type RecordingsActions = ReturnType<typeof useRecordingsAddress>[1];

/** Whatever anybody wrote into the address, what comes out can be asked for. */
export function parseRecordings(texts: SearchTexts): RecordingsAddress {
  const filter: RecordingFilter = {};
  for (const name of FILTER_NAMES) {
    const text = (texts[name] ?? '').slice(0, MAX_CHARACTERS).trim();
    if (text !== '' && isKnown(name, text)) filter[name] = text;
  }
  return {
    range: rangeOf(texts, STANDARD_RANGE),
    place: texts.in === 'screen' ? 'screen' : 'names',
    search: (texts.search ?? '').slice(0, MAX_CHARACTERS),
    filter,
    showsGaps: texts.gaps === 'open',
  };
}

function isKnown(name: FilterName, text: string): boolean {
  if (name === 'kind') return isRecordingType(text);
  if (name === 'state') return STATES.some((state) => state === text);
  return true;
}
