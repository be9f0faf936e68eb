/** Takes rows apart while they come: of each value no more is kept than is shown, however long it is. */
import { MAX_CELL_BYTES } from '@gatehouse/contract/kinds/db/editor';
import { malformed } from '../../engine/db-failure.ts';

/** Of all values of one row; those behind are only counted. */
const MAX_ROW_BYTES = 1024 * 1024;
const MAX_SIZE_BYTES = 9;
/** Of one row: no protocol counts further, and one that does not end would fill the memory with nothing. */
const MAX_CELLS = 65_535;

export interface CutCell {
  column: number;
  bytes: number;
}

export interface Row {
  cells: (string | null)[];
  cut: CutCell[];
}

/** The size of a value as it stands before it: null for NULL, undefined where more bytes are needed. */
export type ReadSize = (bytes: Buffer, at: number) => { size: number | null; to: number } | undefined;

export type ShowCell = (bytes: Buffer, column: number) => string;

export class RowCells {
  readonly #readSize: ReadSize;
  readonly #show: ShowCell;
  #maxCell = MAX_CELL_BYTES;
  #maxRow = MAX_ROW_BYTES;
  #cells: (string | null)[] = [];
  #cut: CutCell[] = [];
  #head = Buffer.alloc(0);
  #kept: Buffer[] = [];
  #keptSize = 0;
  #rowSize = 0;
  #size = 0;
  #left = -1;

  constructor(readSize: ReadSize, show: ShowCell) {
    this.#readSize = readSize;
    this.#show = show;
  }

  /** As much of each row, and of each of its values; as much as is shown without it. */
  keep(rowBytes: number | undefined): void {
    this.#maxCell = rowBytes ?? MAX_CELL_BYTES;
    this.#maxRow = rowBytes ?? MAX_ROW_BYTES;
  }

  push(piece: Buffer): void {
    let bytes = piece;
    let at = 0;
    if (this.#head.length > 0) {
      bytes = Buffer.concat([this.#head, piece]);
      this.#head = Buffer.alloc(0);
    }
    while (at < bytes.length || this.#left === 0) {
      if (this.#left >= 0) {
        at = this.#takeValue(bytes, at);
        continue;
      }
      const read = this.#readSize(bytes, at);
      if (!read) {
        this.#head = Buffer.from(bytes.subarray(at, at + MAX_SIZE_BYTES));
        return;
      }
      if (this.#cells.length >= MAX_CELLS) throw malformed('a row of more values than any has');
      at = read.to;
      if (read.size === null) this.#cells.push(null);
      else {
        this.#size = read.size;
        this.#left = read.size;
      }
    }
  }

  end(): Row {
    const row = { cells: this.#cells, cut: this.#cut };
    this.#cells = [];
    this.#cut = [];
    this.#rowSize = 0;
    this.#left = -1;
    this.#head = Buffer.alloc(0);
    return row;
  }

  #takeValue(bytes: Buffer, at: number): number {
    const part = bytes.subarray(at, at + this.#left);
    this.#left -= part.length;
    const room = Math.min(this.#maxCell - this.#keptSize, this.#maxRow - this.#rowSize);
    const kept = part.subarray(0, Math.max(0, room));
    this.#keptSize += kept.length;
    this.#rowSize += kept.length;
    if (this.#left > 0) {
      // A copy: the piece is much more than this.
      if (kept.length > 0) this.#kept.push(Buffer.from(kept));
      return at + part.length;
    }
    const whole = this.#kept.length === 0 ? kept : Buffer.concat([...this.#kept, kept]);
    if (this.#keptSize < this.#size) this.#cut.push({ column: this.#cells.length, bytes: this.#size });
    this.#cells.push(this.#show(this.#keptSize < this.#size ? wholeCharacters(whole) : whole, this.#cells.length));
    this.#kept = [];
    this.#keptSize = 0;
    this.#left = -1;
    return at + part.length;
  }
}

/** Without the beginning of a character whose rest was cut off. */
function wholeCharacters(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < 0x80) return bytes;
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return length > back ? bytes.subarray(0, bytes.length - back) : bytes;
    }
  }
  return bytes;
}
