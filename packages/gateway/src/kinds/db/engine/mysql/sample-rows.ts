/** Reads columns and rows of MySQL for the beginning of a result that is kept. */
import { KeptRows, MAX_SAMPLED_COLUMNS, shownCell } from '../kept-rows.ts';
import type { RowSample } from '../statement.ts';
import { FieldReader } from './field-reader.ts';
import { readValue, UNSIGNED } from './read-values.ts';

const NULL = 0xfb;
/** Before its name, a column has its catalog, schema and table, the table once more, and then itself. */
const BEFORE_NAME = 4;
/** Its characters, its width, its type, flags, decimals, and two bytes of nothing. */
const COLUMN_FACTS_BYTES = 12;
const TYPE_AT = 6;
const IS_UNSIGNED = 0x20;

/** As queries are answered, or what was prepared. */
export type RowForm = 'text' | 'binary';

/** Of one answer. */
export class RowSampler {
  readonly #kept = new KeptRows();
  readonly #form: RowForm;
  #names: string[] = [];
  /** Of the columns that are told now, and of those whose rows come. */
  #told: number[] = [];
  #types: readonly number[] = [];

  constructor(form: RowForm) {
    this.#form = form;
  }

  get isFull(): boolean {
    return this.#kept.isFull;
  }

  column(body: Buffer): void {
    if (this.#names.length < MAX_SAMPLED_COLUMNS) this.#names.push(fieldsIn(body, BEFORE_NAME + 1)[BEFORE_NAME] ?? '');
    if (this.#form === 'binary') this.#told.push(typeIn(body));
  }

  row(body: Buffer, isWhole: boolean): void {
    if (this.#names.length > 0) {
      this.#kept.columns(this.#names);
      this.#types = this.#told;
    }
    this.#names = [];
    this.#told = [];
    const cells = () => (this.#form === 'text' ? fieldsIn(body, MAX_SAMPLED_COLUMNS) : valuesIn(body, this.#types));
    this.#kept.row(cells, isWhole);
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

/** With whether it has no sign in its high byte; 0 where that is not told. */
function typeIn(body: Buffer): number {
  // It stands last: before it are names, and with MariaDB more, as it was agreed on.
  const facts = body.subarray(-COLUMN_FACTS_BYTES);
  if (facts.length < COLUMN_FACTS_BYTES) return 0;
  return (facts[TYPE_AT] ?? 0) | (facts.readUInt16LE(TYPE_AT + 1) & IS_UNSIGNED ? UNSIGNED << 8 : 0);
}

/** As far as they are there. Which of them are missing stands before all of them, from the third bit on. */
function valuesIn(body: Buffer, types: readonly number[]): (string | null)[] {
  const cells: (string | null)[] = [];
  try {
    const fields = new FieldReader(body);
    fields.take(1);
    const nulls = fields.take((types.length + 9) >> 3);
    for (const [index, type] of types.slice(0, MAX_SAMPLED_COLUMNS).entries()) {
      const bit = index + 2;
      const isNull = (((nulls[bit >> 3] ?? 0) >> (bit & 7)) & 1) === 1;
      cells.push(isNull ? null : readValue(fields, type, shownCell));
    }
  } catch {
    // The row is longer than what is kept of it.
  }
  return cells;
}
