/** Reads columns and rows of PostgreSQL for the beginning of a result that is kept. */
import { KeptRows, MAX_SAMPLED_COLUMNS, SAMPLED_ROW_BYTES, shownCell } from '../kept-rows.ts';
import type { RowSample } from '../statement.ts';

/** Behind the name of a column stand its table, type and form. */
const COLUMN_FACTS_BYTES = 18;

export { SAMPLED_ROW_BYTES };

export class RowSampler {
  readonly #kept = new KeptRows();

  get isFull(): boolean {
    return this.#kept.isFull;
  }

  columns(body: Buffer): void {
    this.#kept.columns(columnsIn(body));
  }

  /** `length`: of the whole, of which only the beginning may be there. */
  row(body: Buffer, length: number): void {
    this.#kept.row(() => cellsIn(body), body.length >= length);
  }

  take(): RowSample | undefined {
    return this.#kept.take();
  }
}

function columnsIn(body: Buffer): string[] {
  const columns: string[] = [];
  const count = body.length < 2 ? 0 : body.readUInt16BE(0);
  for (let at = 2; columns.length < Math.min(count, MAX_SAMPLED_COLUMNS); ) {
    const end = body.indexOf(0, at);
    if (end < 0) break;
    columns.push(body.toString('utf8', at, end));
    at = end + 1 + COLUMN_FACTS_BYTES;
  }
  return columns;
}

function cellsIn(body: Buffer): (string | null)[] {
  const cells: (string | null)[] = [];
  const count = body.length < 2 ? 0 : body.readUInt16BE(0);
  for (let at = 2; cells.length < Math.min(count, MAX_SAMPLED_COLUMNS) && at + 4 <= body.length; ) {
    const size = body.readInt32BE(at);
    at += 4;
    cells.push(size < 0 ? null : shownCell(body.subarray(at, at + size)));
    at += Math.max(0, size);
  }
  return cells;
}
