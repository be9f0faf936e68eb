/** A table of any length: only the rows in sight are on the page, and rows that have not come yet hold their place. */

import {
  type CSSProperties,
  type MouseEvent,
  memo,
  type ReactNode,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
} from 'react';
import { cardHeight } from './card-height.ts';
import { classNames } from './class-names.ts';
import { Skeleton } from './skeleton.tsx';
import styles from './table.module.css';
import { type Column, type Sort, TableHead } from './table-head.tsx';
import { TableSkeleton } from './table-skeleton.tsx';
import { useGridKeys } from './use-grid-keys.ts';
import { useHeldPlace } from './use-held-place.ts';
import { type RowRange, useRowWindow } from './use-row-window.ts';
import virtual from './virtual-table.module.css';
import { useWords } from './words.tsx';

export type { RowRange };

/** The rows as far as they are known. A new object means that something changed. */
export interface RowSource<T> {
  /** Another name means another list, which begins at its top. */
  list: string;
  count: number;
  /** Nothing while it is not there yet. */
  rowAt: (index: number) => T | undefined;
  indexOf: (key: string) => number | undefined;
}

export interface VirtualTableProps<T> {
  /** What the rows are, for screen readers. */
  label: string;
  columns: readonly Column<T>[];
  source: RowSource<T>;
  rowKey: (row: T) => string;
  /** The rows in sight, each time they are others. */
  onRange: (range: RowRange) => void;
  sort?: Sort;
  onSortChange?: (sort: Sort) => void;
  /** A plain click on a row, or Space. Enter presses what the row marks with `data-row-action`, L what it marks with `data-row-choice`. */
  onOpenRow: (row: T) => void;
  isCurrent?: (row: T) => boolean;
  /** Rows that have just appeared, shown by a light that goes out. */
  isNew?: (row: T) => boolean;
  loading?: boolean;
  refreshing?: boolean;
  empty?: ReactNode;
  className?: string;
}

/** Beyond what is in sight, so that a quick hand does not see them being made. */
const MORE_ROWS = 10;
const SKELETON_ROWS = 12;
const CONTROLS = 'a, button, input, select, textarea, label';

export function VirtualTable<T>(props: VirtualTableProps<T>) {
  const { label, columns, source, rowKey, onRange, loading = false, refreshing = false } = props;
  const words = useWords();
  const box = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLTableSectionElement>(null);
  const edges = { before: useRef<HTMLSpanElement>(null), after: useRef<HTMLSpanElement>(null) };
  const window = useRowWindow(box, body, source.count);
  const open = useOpen(props);
  const keys = useGridKeys({ body, edges, window, count: source.count, enabled: !loading, onOpen: open });
  const { first, last, rowHeight } = window;
  useEffect(() => onRange({ first, last }), [onRange, first, last]);

  const inSight = useCallback(() => {
    const rows: { key: string; index: number }[] = [];
    for (let index = first; index < last; index += 1) {
      const row = source.rowAt(index);
      if (row) rows.push({ key: rowKey(row), index });
    }
    return rows;
  }, [first, last, source, rowKey]);
  useHeldPlace({
    box,
    rowHeight,
    list: source.list,
    inSight,
    indexOf: source.indexOf,
    version: source,
    onMoved: (places) => keys.active !== undefined && keys.setActive(keys.active + places),
  });

  const waiting = loading && source.count === 0;
  const shown = shownRows({ first, last }, keys.active, source.count);
  const stop = keys.active ?? first;
  return (
    <div ref={box} className={classNames(styles.scroll, props.className)}>
      <span ref={edges.before} tabIndex={-1} className={virtual.edge} />
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: its rows take the focus, which makes it a grid
        role="grid"
        className={classNames(styles.table, virtual.table)}
        style={{ '--card-height': `${cardHeight(columns)}px` } as CSSProperties}
        aria-label={waiting ? `${label}: ${words.loading}` : label}
        aria-busy={loading || refreshing}
        aria-rowcount={waiting ? undefined : source.count + 1}
      >
        <TableHead columns={columns} sort={props.sort} onSortChange={props.onSortChange} />
        {waiting ? (
          <TableSkeleton columns={columns} count={SKELETON_ROWS} />
        ) : (
          <tbody
            ref={body}
            onKeyDown={keys.onKeyDown}
            onFocus={keys.onFocus}
            onBlur={keys.onBlur}
            onClick={(event) => openClicked(event, open)}
          >
            {shown.map((part) =>
              'rows' in part ? (
                <Gap key={`gap-${part.after}`} height={part.rows * rowHeight} span={columns.length} />
              ) : (
                <MemoRow
                  key={keyAt(source, rowKey, part.index)}
                  index={part.index}
                  columns={columns}
                  row={source.rowAt(part.index)}
                  isStop={part.index === stop}
                  isCurrent={has(props.isCurrent, source.rowAt(part.index))}
                  isNew={has(props.isNew, source.rowAt(part.index))}
                  onOpen={open}
                />
              ),
            )}
          </tbody>
        )}
      </table>
      <span ref={edges.after} tabIndex={-1} className={virtual.edge} />
      {!waiting && source.count === 0 && <div className={styles.empty}>{props.empty}</div>}
    </div>
  );
}

/** The same function at all times, so that a row that scrolls by is not drawn again for it. */
function useOpen<T>({ source, onOpenRow }: Pick<VirtualTableProps<T>, 'source' | 'onOpenRow'>) {
  const latest = useRef({ source, onOpenRow });
  useLayoutEffect(() => {
    latest.current = { source, onOpenRow };
  });
  return useCallback((index: number) => {
    const row = latest.current.source.rowAt(index);
    if (row) latest.current.onOpenRow(row);
  }, []);
}

function has<T>(test: ((row: T) => boolean) | undefined, row: T | undefined): boolean {
  return row !== undefined && (test?.(row) ?? false);
}

function keyAt<T>(source: RowSource<T>, rowKey: (row: T) => string, index: number): string {
  const row = source.rowAt(index);
  return row ? `row-${rowKey(row)}` : `place-${index}`;
}

type RowOrGap = { index: number } | { rows: number; after: number };

/** The rows to put on the page and the gaps between them. The row with the focus stays, wherever it is. */
function shownRows({ first, last }: RowRange, active: number | undefined, count: number): RowOrGap[] {
  const from = Math.max(0, first - MORE_ROWS);
  const to = Math.min(count, last + MORE_ROWS);
  const indices = Array.from({ length: Math.max(0, to - from) }, (_, place) => from + place);
  if (active !== undefined && active < Math.min(from, count)) indices.unshift(active);
  if (active !== undefined && active >= to && active < count) indices.push(active);
  const shown: RowOrGap[] = [];
  let next = 0;
  for (const index of indices) {
    if (index > next) shown.push({ rows: index - next, after: next });
    shown.push({ index });
    next = index + 1;
  }
  if (next < count) shown.push({ rows: count - next, after: next });
  return shown;
}

function Gap({ height, span }: { height: number; span: number }) {
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it takes the focus
    <tr aria-hidden="true" className={virtual.gap}>
      <td colSpan={span} style={{ height }} />
    </tr>
  );
}

/** A click on a row opens it, unless it was meant for something in it, came from something over it, or selected text. */
function openClicked(event: MouseEvent<HTMLElement>, open: (index: number) => void): void {
  const target = event.target instanceof Element ? event.target : undefined;
  if (!target || !event.currentTarget.contains(target) || target.closest(CONTROLS)) return;
  const row = target.closest<HTMLElement>('[data-index]');
  if (row && !document.getSelection()?.toString()) open(Number(row.dataset.index));
}

interface VirtualRowProps<T> {
  index: number;
  columns: readonly Column<T>[];
  row: T | undefined;
  /** Where Tab enters the table. */
  isStop: boolean;
  isCurrent: boolean;
  isNew: boolean;
  onOpen: (index: number) => void;
}

// The cast gives back what memo forgets: that the row fits its columns.
const MemoRow = memo(VirtualRow) as typeof VirtualRow;

function VirtualRow<T>({ index, row, columns, isStop, isCurrent, isNew, onOpen }: VirtualRowProps<T>) {
  return (
    <tr
      className={classNames(styles.row, virtual.row)}
      data-index={index}
      data-open-row=""
      data-new={isNew || undefined}
      tabIndex={isStop ? 0 : -1}
      aria-rowindex={index + 2}
      aria-busy={row === undefined || undefined}
      aria-current={isCurrent || undefined}
    >
      {columns.map((column, place) => (
        <td
          key={column.id}
          data-card={column.card ?? (place === 0 ? 'title' : 'line')}
          data-title={column.titleHidden ? undefined : column.title}
          className={classNames(
            place === 0 && styles.first,
            column.align === 'end' && styles.end,
            column.mono && styles.mono,
            column.overflow === 'visible' && styles.visible,
          )}
        >
          {row === undefined && !column.titleHidden && <Skeleton width={skeletonWidth(index, place)} />}
          {row !== undefined && place > 0 && column.cell(row)}
          {row !== undefined && place === 0 && (
            <button type="button" tabIndex={-1} className={styles.control} onClick={() => onOpen(index)}>
              {column.cell(row)}
            </button>
          )}
        </td>
      ))}
    </tr>
  );
}

/** Uneven like words, but the same on every render. */
function skeletonWidth(row: number, column: number): string {
  return `${40 + ((row * 29 + column * 17) % 40)}%`;
}
