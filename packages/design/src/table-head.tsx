/** What a column is, and the head that shows and changes the sorting. */

import ArrowDown from 'lucide-react/icons/arrow-down';
import ArrowUp from 'lucide-react/icons/arrow-up';
import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';
import { Icon } from './icon.tsx';
import styles from './table.module.css';
import { type RowSelection, SelectAll } from './table-selection.tsx';
import { VisuallyHidden } from './visually-hidden.tsx';

/** Where a cell stands when the row is a card: beside the title, on a line of its own with its column's name, and so on. */
export type CardSlot = 'title' | 'subtitle' | 'wide' | 'start' | 'end' | 'action' | 'line' | 'none';

export interface Column<T> {
  id: string;
  title: string;
  /** The title is only for screen readers, as over buttons. */
  titleHidden?: boolean;
  cell: (row: T) => ReactNode;
  /** The name the server sorts by. */
  sortKey?: string;
  /** 'end' for numbers and for the row's action. */
  align?: 'start' | 'end';
  /** Any CSS width; columns without one share the rest. */
  width?: string;
  /** For ids, addresses and logins. */
  mono?: boolean;
  /** 'visible' where a focus ring or a menu must reach over the cell's edge. */
  overflow?: 'hidden' | 'visible';
  card?: CardSlot;
}

export interface Sort {
  key: string;
  direction: 'asc' | 'desc';
}

interface TableHeadProps<T> {
  columns: readonly Column<T>[];
  sort?: Sort;
  onSortChange?: (sort: Sort) => void;
  /** Those that are shown, for the box that chooses them all. */
  rows?: readonly T[];
  selection?: RowSelection<T>;
}

export function TableHead<T>({ columns, sort, onSortChange, rows = [], selection }: TableHeadProps<T>) {
  return (
    <>
      <colgroup>
        {selection && <col className={styles.selectColumn} />}
        {columns.map((column) => (
          <col key={column.id} style={{ width: column.width }} />
        ))}
      </colgroup>
      <thead>
        <tr>
          {selection && <SelectAll selection={selection} rows={rows} />}
          {columns.map((column) => (
            <ColumnHead key={column.id} column={column} sort={sort} onSortChange={onSortChange} />
          ))}
        </tr>
      </thead>
    </>
  );
}

interface ColumnHeadProps<T> extends Pick<TableHeadProps<T>, 'sort' | 'onSortChange'> {
  column: Column<T>;
}

function ColumnHead<T>({ column, sort, onSortChange }: ColumnHeadProps<T>) {
  const { sortKey } = column;
  const sorted = sortKey !== undefined && sort?.key === sortKey ? sort.direction : undefined;
  const title = column.titleHidden ? <VisuallyHidden>{column.title}</VisuallyHidden> : column.title;
  return (
    <th
      scope="col"
      className={classNames(column.align === 'end' && styles.end)}
      aria-sort={sorted && (sorted === 'asc' ? 'ascending' : 'descending')}
    >
      {sortKey !== undefined && onSortChange ? (
        <button
          type="button"
          className={styles.sort}
          onClick={() => onSortChange({ key: sortKey, direction: sorted === 'asc' ? 'desc' : 'asc' })}
        >
          {title}
          <Icon
            of={sorted === 'desc' ? ArrowDown : ArrowUp}
            size={12}
            className={sorted === undefined ? styles.unsorted : undefined}
          />
        </button>
      ) : (
        title
      )}
    </th>
  );
}
