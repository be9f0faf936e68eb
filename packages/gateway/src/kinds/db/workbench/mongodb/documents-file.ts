/** Documents as a file of Extended JSON, written while they come. */

import { FileText, type ResultFile } from '../thread/file-out.ts';
import type { Outlet } from '../thread/outlet.ts';
import type { CutCell } from '../thread/row-cells.ts';
import { SqlError } from '../thread/sql-client.ts';

export class DocumentsFile implements ResultFile {
  readonly #text: FileText;
  readonly #outlet: Outlet;
  readonly #stop: () => void;
  rows = 0;
  failure: SqlError | undefined;

  constructor(outlet: Outlet, stop: () => void) {
    this.#outlet = outlet;
    this.#text = new FileText(outlet);
    this.#stop = stop;
  }

  columns(): void {}

  row([document]: (string | null)[], [long]: readonly CutCell[]): void {
    if (this.failure) return;
    if (long) {
      this.failure = new SqlError(
        'too_large',
        `document ${this.rows + 1} has ${long.bytes} bytes, too long for a file`,
      );
      this.#stop();
      return;
    }
    this.#text.write(`${this.rows === 0 ? '[\n' : ',\n'}${document}`);
    this.rows += 1;
  }

  room(): Promise<void> | undefined {
    return this.#outlet.room();
  }

  notice(): void {}

  end(): void {
    this.#text.write(this.rows === 0 ? '[]\n' : '\n]\n');
    this.#text.flush();
  }
}
