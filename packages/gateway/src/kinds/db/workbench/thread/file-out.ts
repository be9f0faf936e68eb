/** A result as a file, written while it comes. */
import { csvCell } from '@gatehouse/contract/kinds/db/csv-cell';
import type { ExportFormat } from '@gatehouse/contract/kinds/db/editor';
import type { Outlet } from './outlet.ts';
import type { CutCell } from './row-cells.ts';
import { type Column, type ResultSink, SqlError } from './sql-client.ts';

const PIECE_CHARACTERS = 64 * 1024;

export interface ResultFile extends ResultSink {
  readonly rows: number;
  /** Why nothing can come of it. */
  readonly failure: SqlError | undefined;
  end(): void;
}

/** Its text, on its way in pieces of some size. */
export class FileText {
  readonly #outlet: Outlet;
  #parts: string[] = [];
  #size = 0;

  constructor(outlet: Outlet) {
    this.#outlet = outlet;
  }

  write(text: string): void {
    this.#parts.push(text);
    this.#size += text.length;
    if (this.#size >= PIECE_CHARACTERS) this.flush();
  }

  flush(): void {
    if (this.#size === 0) return;
    const text = this.#parts.join('');
    this.#parts = [];
    this.#size = 0;
    this.#outlet.data({ type: 'piece', text });
  }
}

export class FileOut implements ResultFile {
  readonly #outlet: Outlet;
  readonly #format: ExportFormat;
  readonly #text: FileText;
  #names: readonly string[] = [];
  rows = 0;
  failure: SqlError | undefined;

  readonly #stop: () => void;

  /** `stop`: ends what runs, once nothing can come of it. */
  constructor(outlet: Outlet, format: ExportFormat, stop: () => void) {
    this.#outlet = outlet;
    this.#format = format;
    this.#text = new FileText(outlet);
    this.#stop = stop;
  }

  columns(columns: readonly Column[]): void {
    this.#names = columns.map(({ name }) => name);
    if (this.#format === 'csv') this.#text.write(`${this.#names.map(csvCell).join(',')}\r\n`);
  }

  row(cells: (string | null)[], cut: readonly CutCell[]): void {
    const [long] = cut;
    if (this.failure) return;
    if (long) {
      const why = `row ${this.rows + 1} has a value of ${long.bytes} bytes, too long for a file`;
      this.failure = new SqlError('too_large', why);
      this.#stop();
      return;
    }
    this.#text.write(this.#format === 'csv' ? `${cells.map(csvCell).join(',')}\r\n` : this.#json(cells));
    this.rows += 1;
  }

  room(): Promise<void> | undefined {
    return this.#outlet.room();
  }

  notice(): void {}

  end(): void {
    if (this.#format === 'json') this.#text.write(this.rows === 0 ? '[]\n' : '\n]\n');
    this.#text.flush();
  }

  #json(cells: readonly (string | null)[]): string {
    const fields = cells.map((cell, index) => `${JSON.stringify(this.#names[index] ?? '')}:${JSON.stringify(cell)}`);
    return `${this.rows === 0 ? '[\n' : ',\n'}{${fields.join(',')}}`;
  }
}
