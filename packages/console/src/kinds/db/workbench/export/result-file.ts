/** What is shown of a result, as a file. The gateway writes whole ones the same way. */
import { csvCell } from '@gatehouse/contract/kinds/db/csv-cell';
import type { ExportFormat } from '@gatehouse/contract/kinds/db/editor';
import type { Row } from '../bench/row-buffer.ts';

const TYPES: Readonly<Record<ExportFormat, string>> = { csv: 'text/csv', json: 'application/json' };
/** Texts of about this length are handed to the browser, which keeps them where there is room. */
const HANDED_OVER = 4 * 1024 * 1024;

/** Takes a file piece by piece. */
export class FileParts {
  readonly #type: string;
  readonly #blobs: Blob[] = [];
  #texts: string[] = [];
  #length = 0;
  /** So far, about. */
  size = 0;

  constructor(format: ExportFormat) {
    this.#type = TYPES[format];
  }

  add(text: string): void {
    this.#texts.push(text);
    this.#length += text.length;
    this.size += text.length;
    if (this.#length >= HANDED_OVER) this.#handOver();
  }

  whole(): Blob {
    this.#handOver();
    return new Blob(this.#blobs, { type: this.#type });
  }

  #handOver(): void {
    if (this.#length > 0) this.#blobs.push(new Blob(this.#texts));
    this.#texts = [];
    this.#length = 0;
  }
}

export function resultFile(format: ExportFormat, names: readonly string[], rows: Iterable<Row>): Blob {
  const parts = new FileParts(format);
  if (format === 'csv') {
    parts.add(`${names.map(csvCell).join(',')}\r\n`);
    for (const row of rows) parts.add(`${row.map(csvCell).join(',')}\r\n`);
    return parts.whole();
  }
  let isFirst = true;
  for (const row of rows) {
    const fields = row.map((cell, index) => `${JSON.stringify(names[index] ?? '')}:${JSON.stringify(cell)}`);
    parts.add(`${isFirst ? '[\n' : ',\n'}{${fields.join(',')}}`);
    isFirst = false;
  }
  parts.add(isFirst ? '[]\n' : '\n]\n');
  return parts.whole();
}
