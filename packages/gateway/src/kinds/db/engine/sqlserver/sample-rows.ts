/** Reads columns and rows of SQL Server for the beginning of a result that is kept. */
import { KeptRows, MAX_SAMPLED_COLUMNS, SAMPLED_ROW_BYTES } from '../kept-rows.ts';
import type { RowSample } from '../statement.ts';
import { TokenReader } from './token-reader.ts';

const CELL_BYTES = 4_000;
const CELL_CHARACTERS = 1_000;

/** Of one answer. */
export class RowSampler {
  readonly #kept = new KeptRows();
  readonly #reader: TokenReader;
  #isOver = false;

  constructor() {
    const nothing = () => {};
    this.#reader = new TokenReader(
      {
        columns: (columns) => this.#kept.columns(columns.slice(0, MAX_SAMPLED_COLUMNS).map(({ name }) => name)),
        mayRow: () => true,
        row: (cells, cut) =>
          this.#kept.row(() => shown(cells), cut.length === 0 && cells.length <= MAX_SAMPLED_COLUMNS),
        ...{ done: nothing, told: nothing },
      },
      { cell: CELL_BYTES, row: SAMPLED_ROW_BYTES },
    );
  }

  look(part: Buffer): void {
    if (this.#isOver || this.#kept.isFull) return;
    try {
      this.#reader.feed(part);
    } catch {
      // What stands behind something that is not read cannot be told apart; what came before it holds.
      this.#isOver = true;
    }
  }

  take(): RowSample | undefined {
    return this.#kept.take();
  }
}

function shown(cells: readonly (string | null)[]): (string | null)[] {
  return cells.slice(0, MAX_SAMPLED_COLUMNS).map((cell) => cell?.slice(0, CELL_CHARACTERS) ?? null);
}
