/** The rows of a result as they came: appended to, never copied. */

export type Cell = string | null;
export type Row = readonly Cell[];

interface Batch {
  from: number;
  rows: readonly Row[];
}

export class RowBuffer {
  readonly #batches: Batch[] = [];
  /** By row and column, how many bytes a value has of which only the beginning came. */
  readonly #cut = new Map<string, number>();
  count = 0;

  append(rows: readonly Row[], cut: readonly { row: number; column: number; bytes: number }[]): void {
    for (const { row, column, bytes } of cut) this.#cut.set(`${this.count + row} ${column}`, bytes);
    if (rows.length > 0) this.#batches.push({ from: this.count, rows });
    this.count += rows.length;
  }

  at(index: number): Row | undefined {
    let low = 0;
    let high = this.#batches.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const batch = this.#batches[middle] as Batch;
      if (index < batch.from) high = middle - 1;
      else if (index >= batch.from + batch.rows.length) low = middle + 1;
      else return batch.rows[index - batch.from];
    }
    return undefined;
  }

  cutAt(row: number, column: number): number | undefined {
    return this.#cut.get(`${row} ${column}`);
  }

  get hasCut(): boolean {
    return this.#cut.size > 0;
  }

  *rows(): Generator<Row> {
    for (const { rows } of this.#batches) yield* rows;
  }
}
