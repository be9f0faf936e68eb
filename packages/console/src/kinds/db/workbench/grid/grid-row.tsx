/** One row of a result, and in it the values as the database wrote them. */
import { classNames } from '@gatehouse/design/class-names';
import { memo } from 'react';
import { formatBytes, formatNumber } from '../../../../platform/i18n/formats.ts';
import type { Cell, Row, RowBuffer } from '../bench/row-buffer.ts';
import { cellText, isNumeric } from './cell-text.ts';
import styles from './grid.module.css';
import { HEAD_PX, ROW_PX } from './use-grid-window.ts';

export interface StagedRow {
  isRemoved: boolean;
  /** By column; absent where nothing was changed. */
  values: Readonly<Record<number, Cell>>;
}

interface GridRowProps {
  /** Of the grid. */
  id: string;
  index: number;
  row: Row | undefined;
  isAdded: boolean;
  buffer: RowBuffer;
  types: readonly string[];
  edges: readonly number[];
  numberPx: number;
  first: number;
  last: number;
  active: number | undefined;
  staged: StagedRow | undefined;
}

export const GridRow = memo(function GridRow(props: GridRowProps) {
  const { id, index, row, isAdded, buffer, types, edges, numberPx, first, last, active, staged } = props;
  const cells: number[] = [];
  for (let column = first; column < last; column += 1) cells.push(column);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table cannot leave out the columns that are not in sight
    // biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus, and says which cell is meant
    <div
      role="row"
      aria-rowindex={index + 2}
      data-row={index}
      className={classNames(styles.row, staged?.isRemoved && styles.removed, isAdded && styles.added)}
      style={{ transform: `translateY(${index * ROW_PX + HEAD_PX}px)`, height: ROW_PX }}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: see above */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: see above */}
      <div role="rowheader" aria-colindex={1} className={styles.number} style={{ width: numberPx }}>
        {isAdded ? '+' : formatNumber(index + 1)}
      </div>
      {cells.map((column) => {
        const change = staged?.values[column];
        const isChanged = change !== undefined;
        return (
          // biome-ignore lint/a11y/useSemanticElements: see above
          // biome-ignore lint/a11y/useFocusableInteractive: see above
          <div
            key={column}
            id={`${id}-${index}-${column}`}
            role="gridcell"
            aria-colindex={column + 2}
            aria-selected={active === column}
            data-column={column}
            className={classNames(
              styles.cell,
              isNumeric(types[column] ?? '') && styles.end,
              active === column && styles.active,
              isChanged && styles.changed,
            )}
            style={{ left: edges[column], width: (edges[column + 1] ?? 0) - (edges[column] ?? 0) }}
          >
            {isChanged && !isAdded ? (
              <>
                <del>
                  <Value value={row?.[column]} />
                </del>{' '}
                <ins>
                  <Value value={change} />
                </ins>
              </>
            ) : (
              <Value value={isChanged ? change : row?.[column]} bytes={buffer.cutAt(index, column)} />
            )}
          </div>
        );
      })}
    </div>
  );
});

/** NULL is never an empty cell; of a value that was cut, one sees how long it is. */
function Value({ value, bytes }: { value: Cell | undefined; bytes?: number | undefined }) {
  if (value === undefined) return null;
  if (value === null) return <code className={styles.null}>NULL</code>;
  return (
    <>
      <code className={styles.value}>{cellText(value)}</code>
      {bytes !== undefined && <span className={styles.size}>{formatBytes(bytes)}</span>}
    </>
  );
}
