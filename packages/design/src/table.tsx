/** The main furniture: sticky head, sorting by the server, keys j and k, skeleton of the same columns, cards on a phone. */

import { type MouseEvent, type ReactNode, useRef } from 'react';
import { classNames } from './class-names.ts';
import styles from './table.module.css';
import { type Column, type Sort, TableHead } from './table-head.tsx';
import { type RowSelection, SelectRow, useSelectKey } from './table-selection.tsx';
import { TableSkeleton } from './table-skeleton.tsx';
import { useRowKeys } from './use-row-keys.ts';
import { VisuallyHidden } from './visually-hidden.tsx';
import { useWords } from './words.tsx';

export interface TableProps<T> {
  /** What the rows are, for screen readers. */
  label: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  rowKey: (row: T) => string;
  sort?: Sort;
  onSortChange?: (sort: Sort) => void;
  /** Where a row leads: its first cell becomes a link, the row follows it. */
  rowHref?: (row: T) => string;
  /** Takes a plain click or Enter on a row; with `rowHref` the browser keeps its other ways to open a link. */
  onOpenRow?: (row: T) => void;
  /** Rows can be chosen, for doing something to several at once. */
  selection?: RowSelection<T>;
  /** The row whose details stand beside the table. */
  isCurrent?: (row: T) => boolean;
  /** First load: a skeleton after 400 ms. */
  loading?: boolean;
  /** The rows shown are being asked for again. They stay. */
  refreshing?: boolean;
  skeletonRows?: number;
  /** In place of rows when there are none. */
  empty?: ReactNode;
  /** False when another table of the screen has the keys. */
  keys?: boolean;
  /** After the rows, inside what scrolls: "Show more", or what watches for the end. */
  after?: ReactNode;
  className?: string;
}

const CONTROLS = 'a, button, input, select, textarea, label, [role=menuitem]';

/** A click anywhere on a row is a click on its control, unless it was meant for something else or selected text. */
function passClickOn(event: MouseEvent<HTMLElement>): void {
  const target = event.target instanceof Element ? event.target : undefined;
  if (!target || target.closest(CONTROLS) || window.getSelection()?.toString()) return;
  const { ctrlKey, metaKey, shiftKey } = event;
  target
    .closest('tr')
    ?.querySelector('[data-row-control]')
    ?.dispatchEvent(new window.MouseEvent('click', { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }));
}

export function Table<T>(props: TableProps<T>) {
  const { label, columns, rows, loading = false, refreshing = false, skeletonRows = 8, keys = true } = props;
  const words = useWords();
  const body = useRef<HTMLTableSectionElement>(null);
  const opens = props.rowHref !== undefined || props.onOpenRow !== undefined;
  const onKeyDown = useRowKeys(body, keys && opens);
  useSelectKey(body, rows, keys ? props.selection : undefined);
  const waiting = loading && rows.length === 0;

  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be read as a form's part
    <div
      role="group"
      aria-label={label}
      // Without a control in each row, the keyboard could not scroll a long table in every browser.
      tabIndex={opens ? undefined : 0}
      className={classNames(styles.scroll, props.className)}
    >
      <table
        className={styles.table}
        aria-busy={loading || refreshing}
        data-selects={props.selection !== undefined || undefined}
      >
        <caption>
          <VisuallyHidden>{waiting ? `${label}: ${words.loading}` : label}</VisuallyHidden>
        </caption>
        <TableHead
          columns={columns}
          sort={props.sort}
          onSortChange={props.onSortChange}
          rows={rows}
          selection={props.selection}
        />
        {waiting ? (
          <TableSkeleton columns={columns} count={skeletonRows} selects={props.selection !== undefined} />
        ) : (
          <tbody ref={body} onKeyDown={onKeyDown} onClick={opens ? passClickOn : undefined}>
            {rows.map((row) => (
              <TableRow key={props.rowKey(row)} row={row} {...props} />
            ))}
          </tbody>
        )}
      </table>
      {!waiting && rows.length === 0 && <div className={styles.empty}>{props.empty}</div>}
      {props.after}
    </div>
  );
}

type RowProps<T> = Pick<TableProps<T>, 'columns' | 'rowHref' | 'onOpenRow' | 'isCurrent' | 'selection'> & {
  row: T;
};

function TableRow<T>({ row, columns, rowHref, onOpenRow, isCurrent, selection }: RowProps<T>) {
  const opens = rowHref !== undefined || onOpenRow !== undefined;
  return (
    <tr
      className={styles.row}
      data-open-row={opens || undefined}
      aria-current={isCurrent?.(row) || undefined}
      data-selected={selection?.isSelected(row) || undefined}
    >
      {selection && <SelectRow selection={selection} row={row} />}
      {columns.map((column, index) => (
        <td
          key={column.id}
          data-card={column.card ?? (index === 0 ? 'title' : 'line')}
          data-title={column.titleHidden ? undefined : column.title}
          className={classNames(
            index === 0 && styles.first,
            column.align === 'end' && styles.end,
            column.mono && styles.mono,
            column.overflow === 'visible' && styles.visible,
          )}
        >
          {index === 0 && opens ? (
            <RowControl href={rowHref?.(row)} onOpen={onOpenRow && (() => onOpenRow(row))}>
              {column.cell(row)}
            </RowControl>
          ) : (
            column.cell(row)
          )}
        </td>
      ))}
    </tr>
  );
}

interface RowControlProps {
  href?: string;
  onOpen?: () => void;
  children: ReactNode;
}

function RowControl({ href, onOpen, children }: RowControlProps) {
  if (href === undefined) {
    return (
      <button type="button" data-row-control="" className={styles.control} onClick={onOpen}>
        {children}
      </button>
    );
  }
  const follow = (event: MouseEvent) => {
    if (!onOpen || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    onOpen();
  };
  return (
    <a href={href} data-row-control="" className={styles.control} onClick={follow}>
      {children}
    </a>
  );
}
