/** A result on its way to the page: columns once their types have names, then rows, some at a time. */

import type { Outlet } from './outlet.ts';
import type { CutCell } from './row-cells.ts';
import type { Column, ResultSink } from './sql-client.ts';

const BATCH_BYTES = 64 * 1024;
/** A row of many short values is more than these. */
const ROW_OVERHEAD = 16;

export interface PlacedResult {
  statement: number;
  from: number;
  to: number;
}

type NameTypes = (columns: readonly Column[]) => Promise<readonly string[]> | readonly string[];

export class RowsOut implements ResultSink {
  readonly #outlet: Outlet;
  readonly #place: PlacedResult;
  readonly #name: NameTypes;
  #naming: Promise<void> | undefined;
  #rows: (string | null)[][] = [];
  #cut: { row: number; column: number; bytes: number }[] = [];
  #size = 0;
  columnsNow: readonly Column[] = [];
  /** Since it was last asked for. */
  #count = 0;

  constructor(outlet: Outlet, place: PlacedResult, name: NameTypes) {
    this.#outlet = outlet;
    this.#place = place;
    this.#name = name;
  }

  columns(columns: readonly Column[]): void {
    this.columnsNow = columns;
    const tell = (types: readonly string[]) => {
      this.#naming = undefined;
      this.#outlet.tell({ type: 'columns', ...this.#place, names: columns.map(({ name }) => name), types: [...types] });
    };
    const named = this.#name(columns);
    if (named instanceof Promise) this.#naming = named.catch(() => columns.map(({ type }) => type)).then(tell);
    else tell(named);
  }

  row(cells: (string | null)[], cut: readonly CutCell[]): void {
    for (const { column, bytes } of cut) this.#cut.push({ row: this.#rows.length, column, bytes });
    this.#rows.push(cells);
    this.#count += 1;
    for (const cell of cells) this.#size += (cell?.length ?? 0) + ROW_OVERHEAD;
    if (this.#size >= BATCH_BYTES && !this.#naming) this.#flush();
  }

  room(): Promise<void> | undefined {
    if (this.#naming) return this.#naming.then(() => this.room());
    this.#flush();
    return this.#outlet.room();
  }

  notice(severity: string, message: string): void {
    this.#outlet.tell({ type: 'notice', severity, message });
  }

  /** Everything so far is on its way; gives how many rows that were since the last time. */
  async settle(): Promise<number> {
    await this.#naming;
    this.#flush();
    const count = this.#count;
    this.#count = 0;
    return count;
  }

  #flush(): void {
    if (this.#rows.length === 0) return;
    const [rows, cut] = [this.#rows, this.#cut];
    this.#rows = [];
    this.#cut = [];
    this.#size = 0;
    this.#outlet.data({ type: 'rows', statement: this.#place.statement, rows, cut });
  }
}
