/** What the player remembers in the address: the second, the words to find, the tab; and what links of other clients carry. */
import { useMemo } from 'react';
import { type SearchTexts, useSearch } from '../../../platform/routing/routing.tsx';
import { secondsText } from '../player-path.ts';
import { rendererOf } from '../renderers.ts';

export const SIDE_TABS = ['moments', 'people', 'details'] as const;
export type SideTab = (typeof SIDE_TABS)[number];

export interface PlayerAddress {
  /** As the link names it; the recording itself knows better. */
  type: string | undefined;
  /** Nothing when no second was named. */
  startMs: number | undefined;
  find: string;
  /** Of statements: only those that failed, and the number of the one that is looked at. */
  failedOnly: boolean;
  /** Only those that took longer, in milliseconds. */
  slowerThan: number;
  statement: number | undefined;
  tab: SideTab;
  /** Unset, the details are open where there is room for them beside the screen. */
  panel: 'open' | 'closed' | undefined;
  problem: { type: string } | 'duration' | undefined;
}

const MAX_SECONDS = 10_000_000;

export function usePlayerAddress() {
  const [address, set] = useSearch(parsePlayer);
  const actions = useMemo(
    () => ({
      /** Kept current while nothing plays, so that the address always is a link to what is seen. */
      keepSecond: (ms: number) => void set({ t: secondsText(ms) }),
      find: (find: string) => void set({ find: find || undefined }),
      showFailed: (isOn: boolean) => void set({ failed: isOn ? '1' : undefined }),
      showSlower: (ms: number) => void set({ slower: ms === 0 ? undefined : String(ms) }),
      showStatement: (ms: number, n: number) => void set({ t: secondsText(ms), n: String(n) }),
      closeStatement: () => void set({ t: undefined, n: undefined }),
      showTab: (tab: SideTab) => void set({ tab: tab === 'moments' ? undefined : tab }),
      openPanel: (panel: 'open' | 'closed') => void set({ panel }),
    }),
    [set],
  );
  return [address, actions] as const;
}

export type PlayerActions = ReturnType<typeof usePlayerAddress>[1];

export function parsePlayer(texts: SearchTexts): PlayerAddress {
  const { t = '', find = '', failed, slower = '', n = '', tab, panel } = texts;
  const seconds = /^\d{1,8}(?:\.\d{1,3})?$/.test(t) ? Number(t) : Number.NaN;
  return {
    type: texts.recordingType || undefined,
    startMs: seconds <= MAX_SECONDS ? Math.round(seconds * 1_000) : undefined,
    find: find.slice(0, 256),
    failedOnly: failed === '1',
    slowerThan: /^\d{1,7}$/.test(slower) ? Number(slower) : 0,
    statement: /^\d{1,9}$/.test(n) ? Number(n) : undefined,
    tab: SIDE_TABS.find((each) => each === tab) ?? 'moments',
    panel: panel === 'open' || panel === 'closed' ? panel : undefined,
    problem: problemOf(texts),
  };
}

/** Nothing is asked of a link without a type: the recording itself tells what it is. */
function problemOf({ recordingType, durationMs }: SearchTexts): PlayerAddress['problem'] {
  if (recordingType === undefined || recordingType === '') return undefined;
  const renderer = rendererOf(recordingType);
  if (!renderer) return { type: recordingType.slice(0, 40) };
  const isTold = /^[1-9]\d{0,11}$/.test(durationMs ?? '');
  return 'linkTellsDuration' in renderer && !isTold ? 'duration' : undefined;
}
