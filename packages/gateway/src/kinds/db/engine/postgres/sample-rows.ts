/** Keeps the beginning of a result as text, while it passes: a few rows, and no more of each than somebody reads. */
import { isUtf8 } from 'node:buffer';
import { MAX_BINARY_BYTES, type RowSample } from '../statement.ts';

const MAX_ROWS = 50;
const MAX_CHARACTERS = 64 * 1024;
const MAX_CELL_CHARACTERS = 1_000;
const MAX_COLUMNS = 500;
/** Of a row: the rest of a longer one is not looked at. */
export const SAMPLED_ROW_BYTES = 16 * 1024;
/** Behind the name of a column stand its table, type and form. */
const COLUMN_FACTS_BYTES = 18;
/** But for tabs and ends of lines. */
const NO_TEXT = /(?![\t\n\r])\p{Cc}/u;

export class RowSampler {
  #columns: string[] = [];
  #rows: (string | null)[][] = [];
  #characters = 0;
  #isCut = false;

  get isFull(): boolean {
    return this.#isCut;
  }

  /** Of a statement with several results, the first is kept. */
  columns(body: Buffer): void {
    if (this.#rows.length > 0) this.#isCut = true;
    else this.#columns = columnsIn(body);
  }

  /** `length`: of the whole, of which only the beginning may be there. */
  row(body: Buffer, length: number): void {
    if (this.#rows.length >= MAX_ROWS || this.#characters >= MAX_CHARACTERS) this.#isCut = true;
    if (this.#isCut) return;
    const cells = cellsIn(body);
    if (body.length < length) this.#isCut = true;
    this.#characters += cells.reduce((sum, cell) => sum + (cell?.length ?? 4), 0);
    this.#rows.push(cells);
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

function columnsIn(body: Buffer): string[] {
  const columns: string[] = [];
  const count = body.length < 2 ? 0 : body.readUInt16BE(0);
  for (let at = 2; columns.length < Math.min(count, MAX_COLUMNS); ) {
    const end = body.indexOf(0, at);
    if (end < 0) break;
    columns.push(body.toString('utf8', at, end).slice(0, MAX_CELL_CHARACTERS));
    at = end + 1 + COLUMN_FACTS_BYTES;
  }
  return columns;
}

function cellsIn(body: Buffer): (string | null)[] {
  const cells: (string | null)[] = [];
  const count = body.length < 2 ? 0 : body.readUInt16BE(0);
  for (let at = 2; cells.length < Math.min(count, MAX_COLUMNS) && at + 4 <= body.length; ) {
    const size = body.readInt32BE(at);
    at += 4;
    cells.push(size < 0 ? null : shown(body.subarray(at, at + size)));
    at += Math.max(0, size);
  }
  return cells;
}

/** Which form the client asked for is not always to be known: what is no text is told as bytes. */
function shown(bytes: Buffer): string {
  const beginning = bytes.subarray(0, 4 * MAX_CELL_CHARACTERS);
  const text = beginning.toString('utf8');
  const isText = !NO_TEXT.test(text) && (isUtf8(beginning) || bytes.length > beginning.length);
  return isText ? text.slice(0, MAX_CELL_CHARACTERS) : `\\x${bytes.toString('hex', 0, MAX_BINARY_BYTES)}`;
}
