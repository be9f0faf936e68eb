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
  /** 'other' when Enter was pressed with Ctrl or Command. */
  onSelect: (how: 'plain' | 'other') => void;
}

export interface PaletteGroup {
  id: string;
  title: string;
  items: readonly PaletteItem[];
  /** How many there are in all, when only some are given. */
  total?: number;
}

export interface ShownItem extends PaletteItem {
  ranges: LetterMatch['ranges'];
  score: number;
}

export interface ShownGroup {
  id: string;
  title: string;
  total?: number;
  items: readonly ShownItem[];
}

function fitting(item: PaletteItem, query: string): ShownItem | undefined {
  const inTitle = matchLetters(item.title, query);
  if (inTitle) return { ...item, ...inTitle };
  const elsewhere = matchLetters(`${item.title} ${item.detail ?? ''} ${item.keywords ?? ''}`, query);
  return elsewhere && { ...item, score: elsewhere.score / 4, ranges: [] };
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
    return { id: group.id, title: group.title, total: group.total, items };
  });
  const best = shown
    .flatMap((group) => group.items)
    .reduce<ShownItem | undefined>(
      (top, item) => (top === undefined || item.score > top.score ? item : top),
      undefined,
    );
  const filled = (group: ShownGroup) => group.items.length > 0;
  if (bestTitle === undefined || query.trim() === '' || !best) return shown.filter(filled);
  const rest = shown.map((group) => ({ ...group, items: group.items.filter((item) => item !== best) }));
  return [{ id: 'best', title: bestTitle, items: [best] }, ...rest.filter(filled)];
}
