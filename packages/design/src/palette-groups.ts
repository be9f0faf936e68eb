/** What the palette shows for a query: which items fit, in what order, and the best of all on top. */

import type { IconComponent } from './icon.tsx';
import { type LetterMatch, matchLetters } from './match-letters.ts';

export interface PaletteItem {
  id: string;
  title: string;
  icon?: IconComponent;
  /** An address, a kind: stands beside the title in a quieter tone. */
  detail?: string;
  /** At the end of the row while it is not chosen, such as when it was last used. */
  hint?: string;
  /** What Enter will do, shown on the chosen row. */
  enter?: string;
  /** Words that find it but are not shown. */
  keywords?: string;
  /** Fits whatever was typed, after what fits by itself, and is never the best match. */
  always?: boolean;
  /** It was taken not long ago: among those that fit alike it comes first. */
  recent?: boolean;
  /** 'other' when Enter was pressed with Ctrl or Command. */
  onSelect: (how: 'plain' | 'other') => void;
}

export interface PaletteGroup {
  id: string;
  title: string;
  items: readonly PaletteItem[];
  /** How many there are in all, when only some are given. */
  total?: number;
  /** Of those that fit, at most so many are shown. */
  most?: number;
  /** What is to be said about the group, such as why it could not be searched. Shown even where nothing fits. */
  note?: string;
}

export interface ShownItem extends PaletteItem {
  ranges: LetterMatch['ranges'];
  score: number;
}

export interface ShownGroup {
  id: string;
  title: string;
  total?: number | undefined;
  note?: string | undefined;
  items: readonly ShownItem[];
}

/** More than a better place in the name is worth, less than letters that stand together instead of apart. */
const RECENT_SCORE = 50;

function fitting(item: PaletteItem, query: string): ShownItem | undefined {
  if (item.always) return { ...item, score: 0, ranges: matchLetters(item.title, query)?.ranges ?? [] };
  const more = item.recent ? RECENT_SCORE : 0;
  const inTitle = matchLetters(item.title, query);
  if (inTitle) return { ...item, ranges: inTitle.ranges, score: inTitle.score + more };
  // Whole: letters that stand apart in words nobody sees fit nearly everything.
  const elsewhere = matchLetters(`${item.title} ${item.detail ?? ''} ${item.keywords ?? ''}`, query, 'whole');
  return elsewhere && { ...item, score: elsewhere.score / 4 + more / 4, ranges: [] };
}

interface ShowRules {
  query: string;
  /** False when the server has already chosen and ordered the items. */
  filter: boolean;
  /** Title of the group for the single best item; without it nothing is lifted. */
  bestTitle?: string;
}

export function shownGroups(groups: readonly PaletteGroup[], { query, filter, bestTitle }: ShowRules): ShownGroup[] {
  const shown = groups.map((group) => {
    const items = group.items
      .map((item) => fitting(item, query) ?? (filter ? undefined : { ...item, score: 0, ranges: [] }))
      .filter((item) => item !== undefined);
    if (filter && query.trim() !== '') items.sort((a, b) => b.score - a.score);
    const most = group.most ?? items.length;
    const total = group.total ?? (items.length > most ? items.length : undefined);
    return { id: group.id, title: group.title, total, note: group.note, items: items.slice(0, most) };
  });
  const best = shown
    .flatMap((group) => group.items)
    .reduce<ShownItem | undefined>(
      (top, item) => (!item.always && (top === undefined || item.score > top.score) ? item : top),
      undefined,
    );
  const filled = (group: ShownGroup) => group.items.length > 0 || group.note !== undefined;
  if (bestTitle === undefined || query.trim() === '' || !best) return shown.filter(filled);
  const rest = shown.map((group) => ({ ...group, items: group.items.filter((item) => item !== best) }));
  return [{ id: 'best', title: bestTitle, items: [best] }, ...rest.filter(filled)];
}
