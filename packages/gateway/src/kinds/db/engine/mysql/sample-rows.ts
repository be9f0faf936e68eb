/** Reads columns and rows of MySQL for the beginning of a result that is kept. */
import { KeptRows, MAX_SAMPLED_COLUMNS, shownCell } from '../kept-rows.ts';
import type { RowSample } from '../statement.ts';

const NULL = 0xfb;
/** Before its name, a column has its catalog, schema and table, the table once more, and then itself. */
const BEFORE_NAME = 4;

/** Of one answer. */
export class RowSampler {
  readonly #kept = new KeptRows();
  #names: string[] = [];

  get isFull(): boolean {
    return this.#kept.isFull;
  }

  column(body: Buffer): void {
    if (this.#names.length < MAX_SAMPLED_COLUMNS) this.#names.push(fieldsIn(body, BEFORE_NAME + 1)[BEFORE_NAME] ?? '');
  }

  /** In text, as queries are answered. */
  row(body: Buffer, isWhole: boolean): void {
    if (this.#names.length > 0) this.#kept.columns(this.#names);
    this.#names = [];
    this.#kept.row(() => fieldsIn(body, MAX_SAMPLED_COLUMNS), isWhole);
  }

  take(): RowSample | undefined {
    return this.#kept.take();
  }
}

/** As far as they are there: a server may say any length. */
function fieldsIn(body: Buffer, most: number): (string | null)[] {
  const fields: (string | null)[] = [];
  for (let at = 0; at < body.length && fields.length < most; ) {
    if (body[at] === NULL) {
      fields.push(null);
      at += 1;
      continue;
    }
    const { size, from } = sizeAt(body, at);
    if (from > body.length) break;
    fields.push(shownCell(body.subarray(from, from + size)));
    at = from + size;
  }
  return fields;
}

/** A number that says first how long it is. */
function sizeAt(body: Buffer, at: number): { size: number; from: number } {
  const first = body[at] ?? 0;
  const bytes = first < NULL ? 0 : first === 0xfc ? 2 : first === 0xfd ? 3 : 8;
  const from = at + 1 + bytes;
  if (bytes === 0) return { size: first, from };
  if (from > body.length) return { size: 0, from };
  return { size: bytes === 8 ? Number(body.readBigUInt64LE(at + 1)) : body.readUIntLE(at + 1, bytes), from };
}
