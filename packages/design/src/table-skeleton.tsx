/** Rows that have not come yet, in the shape of those that will. Nothing at all for a quick answer. */

import { classNames } from './class-names.ts';
import { Skeleton } from './skeleton.tsx';
import styles from './table.module.css';
import type { Column } from './table-head.tsx';
import { useDelay } from './use-delay.ts';

interface TableSkeletonProps<T> {
  columns: readonly Column<T>[];
  count: number;
  /** Each row begins with a box. */
  selects?: boolean;
}

/** Uneven like words, but the same on every render. */
function widthOf(row: number, column: number): string {
  return `${40 + ((row * 29 + column * 17) % 40)}%`;
}

export function TableSkeleton<T>({ columns, count, selects = false }: TableSkeletonProps<T>) {
  const shown = useDelay('short');
  if (!shown) return <tbody />;
  return (
    <tbody aria-hidden="true">
      {Array.from({ length: count }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike and never move
        <tr key={row} className={styles.row} data-skeleton="">
          {selects && <td data-card="select" className={styles.select} />}
          {columns.map((column, index) => (
            <td
              key={column.id}
              data-card={column.card ?? (index === 0 ? 'title' : 'line')}
              className={classNames(column.align === 'end' && styles.end)}
            >
              {!column.titleHidden && <Skeleton width={widthOf(row, index)} />}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}
