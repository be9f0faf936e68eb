/** The users that were chosen for doing something to all of them; they stay chosen when the search changes. */
import { useCallback, useMemo, useRef, useState } from 'react';
import type { UserRow } from './user-facts.ts';

/** Each is a call or two of its own, and nobody reads the outcome of more. */
export const MAX_SELECTED = 500;

export interface Selection {
  rows: readonly UserRow[];
  has: (row: UserRow) => boolean;
  toggle: (row: UserRow, isSelected: boolean, isRange: boolean) => void;
  toggleAll: (isSelected: boolean) => void;
  clear: () => void;
}

export function useSelection(shown: readonly UserRow[]): Selection {
  const [chosen, setChosen] = useState<ReadonlyMap<string, UserRow>>(new Map());
  const last = useRef<string>(undefined);
  const put = useCallback(
    (rows: readonly UserRow[], isSelected: boolean) =>
      setChosen((before) => {
        const next = new Map(before);
        for (const row of rows) {
          if (isSelected) next.set(row.name, row);
          else next.delete(row.name);
        }
        return next;
      }),
    [],
  );
  // What is on the screen is newer than what was chosen.
  const rows = useMemo(() => {
    const fresh = new Map(shown.map((row) => [row.name, row]));
    return [...chosen.values()].map((row) => fresh.get(row.name) ?? row);
  }, [chosen, shown]);
  return {
    rows,
    has: ({ name }) => chosen.has(name),
    toggle: (row, isSelected, isRange) => {
      put(isRange ? between(shown, last.current, row.name) : [row], isSelected);
      last.current = row.name;
    },
    toggleAll: (isSelected) => put(shown, isSelected),
    clear: useCallback(() => setChosen(new Map()), []),
  };
}

function between(shown: readonly UserRow[], from: string | undefined, to: string): readonly UserRow[] {
  const places = [from, to].map((name) => shown.findIndex((row) => row.name === name)).filter((at) => at >= 0);
  return shown.slice(Math.min(...places), Math.max(...places) + 1);
}
