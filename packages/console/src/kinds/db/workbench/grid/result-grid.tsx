/** The rows of a result: only those in sight are on the page, and of them only the columns in sight. Moved through by keys. */
import { copyText } from '@gatehouse/design/use-copy';
import { VisuallyHidden } from '@gatehouse/design/visually-hidden';
import KeyRound from 'lucide-react/icons/key-round';
import { type KeyboardEvent, type MouseEvent, useId, useMemo, useRef } from 'react';
import { formatNumber } from '../../../../platform/i18n/formats.ts';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import type { Row } from '../bench/row-buffer.ts';
import type { Result } from '../bench/work.ts';
import { columnsOf, fittingWidth } from './column-widths.ts';
import styles from './grid.module.css';
import { GridRow, type StagedRow } from './grid-row.tsx';
import { type CellAt, movedBy } from './moved-by.ts';
import { HEAD_PX, ROW_PX, useGridWindow } from './use-grid-window.ts';
import { useWidths } from './use-widths.ts';

interface ResultGridProps {
  label: string;
  result: Result;
  active: CellAt | undefined;
  onActive: (cell: CellAt) => void;
  /** Enter, F2 or a double click. */
  onOpen: (cell: CellAt) => void;
  onCopied: (isDone: boolean) => void;
  /** What was changed in a row and is not written yet. */
  stagedAt?: ((row: number) => StagedRow | undefined) | undefined;
  /** Rows that are not written yet, after the others. */
  added?: readonly Row[];
}

const NONE: readonly Row[] = [];

export function ResultGrid(props: ResultGridProps) {
  const { label, result, active, onActive, onOpen, onCopied, stagedAt, added = NONE } = props;
  const t = useTranslate();
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const { names, types, rows, source } = result;
  const count = result.count + added.length;
  const numberPx = 28 + formatNumber(count).length * 8;
  const hasRows = count > 0;
  const wide = useWidths(names);
  const { widths } = wide;
  const columns = useMemo(
    () => columnsOf(names, types, (index) => (hasRows ? rows.at(index) : undefined), numberPx, widths),
    [names, types, rows, hasRows, numberPx, widths],
  );
  const { shown, fit, reveal } = useGridWindow(box, count, columns);
  const widthOf = (column: number) => (columns.edges[column + 1] ?? 0) - (columns.edges[column] ?? 0);
  const rowAt = (index: number) => rows.at(index) ?? added[index - result.count];

  const onKeyDown = (event: KeyboardEvent) => {
    if (!hasRows || event.altKey) return;
    const isWhole = event.ctrlKey || event.metaKey;
    const next = movedBy(event.key, isWhole, active, { rows: count, columns: names.length, fit });
    if (next) {
      onActive(next);
      reveal(next.row, next.column);
    } else if (!active) return;
    else if (isWhole && event.key.toLowerCase() === 'c' && !document.getSelection()?.toString()) {
      const staged = stagedAt?.(active.row)?.values[active.column];
      const value = staged === undefined ? rowAt(active.row)?.[active.column] : staged;
      void copyText(value ?? '').then(onCopied);
    } else if (!isWhole && (event.key === '+' || event.key === '-'))
      wide.step(active.column, widthOf(active.column), event.key === '+' ? 1 : -1);
    else if ((event.key === 'Enter' && !isWhole) || event.key === 'F2') onOpen(active);
    else return;
    event.preventDefault();
  };
  const cellOf = ({ target }: MouseEvent): CellAt | undefined => {
    const cell = target instanceof Element ? target.closest<HTMLElement>('[data-column]') : null;
    const line = cell?.closest<HTMLElement>('[data-row]');
    return cell && line ? { row: Number(line.dataset.row), column: Number(cell.dataset.column) } : undefined;
  };
  const isInSight =
    active !== undefined &&
    active.row >= shown.firstRow &&
    active.row < shown.lastRow &&
    active.column >= shown.firstColumn &&
    active.column < shown.lastColumn;

  const inSight: number[] = [];
  for (let index = shown.firstRow; index < shown.lastRow; index += 1) inSight.push(index);
  const columnsInSight: number[] = [];
  for (let index = shown.firstColumn; index < shown.lastColumn; index += 1) columnsInSight.push(index);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table cannot leave out the columns that are not in sight
    <div
      ref={box}
      role="grid"
      tabIndex={0}
      className={styles.box}
      aria-label={label}
      aria-rowcount={count + 1}
      aria-colcount={names.length + 1}
      aria-activedescendant={isInSight ? `${id}-${active.row}-${active.column}` : undefined}
      onKeyDown={onKeyDown}
      onClick={(event) => {
        const cell = cellOf(event);
        if (cell) onActive(cell);
      }}
      onDoubleClick={(event) => {
        const cell = cellOf(event);
        if (cell) onOpen(cell);
      }}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: a table cannot leave out the columns that are not in sight */}
      <div
        role="rowgroup"
        className={styles.all}
        style={{ width: columns.edges.at(-1), height: HEAD_PX + count * ROW_PX }}
      >
        {/* biome-ignore lint/a11y/useSemanticElements: see above */}
        {/* biome-ignore lint/a11y/useFocusableInteractive: the grid has the focus, and says which cell is meant */}
        <div role="row" aria-rowindex={1} className={styles.head} style={{ height: HEAD_PX }}>
          {/* biome-ignore lint/a11y/useSemanticElements: see above */}
          {/* biome-ignore lint/a11y/useFocusableInteractive: see above */}
          <div role="columnheader" aria-colindex={1} className={styles.corner} style={{ width: numberPx }}>
            <span aria-hidden="true">#</span>
            <VisuallyHidden>{t('workbench.row-number')}</VisuallyHidden>
          </div>
          {columnsInSight.map((column) => (
            // biome-ignore lint/a11y/useSemanticElements: see above
            // biome-ignore lint/a11y/useFocusableInteractive: see above
            <div
              key={column}
              role="columnheader"
              aria-colindex={column + 2}
              className={styles.title}
              style={{ left: columns.edges[column], width: widthOf(column) }}
            >
              <span className={styles.name}>
                <code title={names[column]}>{names[column]}</code>
                {source?.key.includes(source.columns[column] ?? '') && (
                  <KeyRound size={12} role="img" aria-label={t('workbench.key')} />
                )}
              </span>
              <code className={styles.type}>{types[column]}</code>
              <span
                className={styles.edge}
                aria-hidden="true"
                title={t('workbench.column-width')}
                onPointerDown={(event) => wide.drag(event, column, widthOf(column))}
                onDoubleClick={() => wide.set(column, fittingWidth(columns.longest[column] ?? 0))}
              />
            </div>
          ))}
        </div>
        {inSight.map((index) => (
          <GridRow
            key={index}
            id={id}
            index={index}
            row={rowAt(index)}
            isAdded={index >= result.count}
            buffer={rows}
            types={types}
            edges={columns.edges}
            numberPx={numberPx}
            first={shown.firstColumn}
            last={shown.lastColumn}
            active={active?.row === index ? active.column : undefined}
            staged={stagedAt?.(index)}
          />
        ))}
      </div>
    </div>
  );
}
