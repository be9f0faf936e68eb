/** Choosing rows: a box in front of each, one for all of them in the head, and the key x. */

import { type RefObject, useRef } from 'react';
import { Checkbox } from './checkbox.tsx';
import styles from './table.module.css';
import { useKey } from './use-key.ts';
import { VisuallyHidden } from './visually-hidden.tsx';

export interface RowSelection<T> {
  isSelected: (row: T) => boolean;
  /** `isRange`: with Shift, which means everything from the one before up to this. */
  onToggle: (row: T, isSelected: boolean, isRange: boolean) => void;
  /** All rows that are shown. */
  onToggleAll: (isSelected: boolean) => void;
  label: (row: T) => string;
  allLabel: string;
}

interface HeadProps<T> {
  selection: RowSelection<T>;
  rows: readonly T[];
}

export function SelectAll<T>({ selection, rows }: HeadProps<T>) {
  const count = rows.filter(selection.isSelected).length;
  return (
    <th scope="col" className={styles.select}>
      <Checkbox
        label={<VisuallyHidden>{selection.allLabel}</VisuallyHidden>}
        checked={count > 0 && count === rows.length}
        mixed={count > 0 && count < rows.length}
        disabled={rows.length === 0}
        // Some, but not all: the box then takes the rest.
        onCheckedChange={() => selection.onToggleAll(count < rows.length)}
      />
    </th>
  );
}

export function SelectRow<T>({ selection, row }: { selection: RowSelection<T>; row: T }) {
  const shift = useRef(false);
  return (
    <td data-card="select" className={styles.select}>
      <Checkbox
        label={<VisuallyHidden>{selection.label(row)}</VisuallyHidden>}
        checked={selection.isSelected(row)}
        onClick={(event) => {
          shift.current = event.shiftKey;
        }}
        onCheckedChange={(isSelected) => selection.onToggle(row, isSelected, shift.current)}
      />
    </td>
  );
}

/** The row with the focus; with Shift, everything from the last one up to it. */
export function useSelectKey<T>(
  body: RefObject<HTMLElement | null>,
  rows: readonly T[],
  selection: RowSelection<T> | undefined,
): void {
  useKey(
    ['x', 'X'],
    (key) => {
      const focused = document.activeElement?.closest('tr');
      const row = focused ? rows[[...(body.current?.children ?? [])].indexOf(focused)] : undefined;
      if (row !== undefined && selection) selection.onToggle(row, !selection.isSelected(row), key === 'X');
    },
    selection !== undefined,
  );
}
