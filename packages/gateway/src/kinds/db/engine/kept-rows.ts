/** Keeps the beginning of a result as text, while it passes: a few rows, and no more of each than somebody reads. */
import { isUtf8 } from 'node:buffer';
import { MAX_BINARY_BYTES, type RowSample } from './statement.ts';

const MAX_ROWS = 50;
const MAX_CHARACTERS = 64 * 1024;
export const MAX_CELL_CHARACTERS = 1_000;
export const MAX_SAMPLED_COLUMNS = 500;
/** Of a row: the rest of a longer one is not looked at. */
export const SAMPLED_ROW_BYTES = 16 * 1024;
/** But for tabs and ends of lines. */
const NO_TEXT = /(?![\t\n\r])\p{Cc}/u;

export class KeptRows {
  #columns: string[] = [];
  #rows: (string | null)[][] = [];
  #characters = 0;
  #isCut = false;

  get isFull(): boolean {
    return this.#isCut;
  }

  /** Of a statement with several results, the first is kept. */
  columns(names: readonly string[]): void {
    if (this.#rows.length > 0) this.#isCut = true;
    else this.#columns = names.map((name) => name.slice(0, MAX_CELL_CHARACTERS));
  }

  /** `isWhole`: nothing of it was left out. The cells are asked for where there is room. */
  row(cells: () => (string | null)[], isWhole: boolean): void {
    if (this.#rows.length >= MAX_ROWS || this.#characters >= MAX_CHARACTERS) this.#isCut = true;
    if (this.#isCut) return;
    const read = cells();
    if (!isWhole) this.#isCut = true;
    this.#characters += read.reduce((sum, cell) => sum + (cell?.length ?? 4), 0);
    this.#rows.push(read);
  }

  /** Of the statement that is over; whose columns come next is not known before they do. */
  take(): RowSample | undefined {
    const [columns, rows, isCut] = [this.#columns, this.#rows, this.#isCut];
    this.#columns = [];
    this.#rows = [];
    this.#characters = 0;
    this.#isCut = false;
    const count = Math.max(0, ...rows.map(({ length }) => length));
    if (count === 0) return undefined;
    const names = Array.from({ length: count }, (_, index) => columns[index] ?? String(index + 1));
    return { columns: names, rows, isCut };
  }
}

/** Which form the client asked for is not always to be known: what is no text is told as bytes. */
export function shownCell(bytes: Buffer): string {
  const beginning = bytes.subarray(0, 4 * MAX_CELL_CHARACTERS);
  const text = beginning.toString('utf8');
  const isText = !NO_TEXT.test(text) && (isUtf8(beginning) || bytes.length > beginning.length);
  return isText ? text.slice(0, MAX_CELL_CHARACTERS) : `\\x${bytes.toString('hex', 0, MAX_BINARY_BYTES)}`;
}
