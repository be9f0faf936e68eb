/** Reads what SQL Server answers while it comes: of each value no more is kept than is wanted, and it stops before a row where it is told to. */
import { malformed } from '../db-failure.ts';
import { type ColumnType, type ResultColumn, readColumns } from './column-types.ts';
import { Fields } from './fields.ts';
import { showCell } from './show-cell.ts';

const TOKEN = { columns: 0x81, row: 0xd1, shortRow: 0xd2, status: 0x79, done: 0xfd, doneProc: 0xfe, doneInProc: 0xff };
/** Behind two bytes that say how long they are. */
const MEASURED: ReadonlySet<number> = new Set([0xa4, 0xa5, 0xa9, 0xaa, 0xab, 0xad, 0xe3]);
/** Behind four. */
const LONG_MEASURED: ReadonlySet<number> = new Set([0xe4, 0xee]);
const DONE_BYTES = 12;
const STATUS_BYTES = 4;
/** Of what is kept whole: what is said of all columns of a result is the longest. */
const MAX_WHOLE_BYTES = 2 * 1024 * 1024;
const NOTHING: Buffer = Buffer.alloc(0);
const NONE: readonly boolean[] = [];

export interface Done {
  status: number;
  rows: bigint;
  /** Not of a statement inside a procedure. */
  isOutmost: boolean;
}

export interface TokenListener {
  columns(columns: readonly ResultColumn[]): void;
  /** Before each row; false: it stays unread until the rest is fed. */
  mayRow(): boolean;
  row(cells: (string | null)[], cut: { column: number; bytes: number }[]): void;
  done(done: Done): void;
  /** Any other, whole. */
  told(token: number, body: Buffer): void;
}

export interface KeptBytes {
  cell: number;
  row: number;
}

interface Cell {
  type: ColumnType;
  /** Undefined while the length is not read. */
  left: number | undefined;
  size: number;
  kept: Buffer[];
  keptSize: number;
}

export class TokenReader {
  readonly #listener: TokenListener;
  #rest: Buffer = NOTHING;
  #columns: readonly ResultColumn[] = [];
  /** Of the row that is being read. */
  #cells: (string | null)[] | undefined;
  #cut: { column: number; bytes: number }[] = [];
  #isNull: readonly boolean[] = [];
  #rowSize = 0;
  #cell: Cell | undefined;
  keep: KeptBytes;

  constructor(listener: TokenListener, keep: KeptBytes) {
    this.#listener = listener;
    this.keep = keep;
  }

  /** Between two tokens. */
  get isBetween(): boolean {
    return this.#rest.length === 0 && !this.#cells;
  }

  /** What it was told to wait with is kept. Gives whether it waits. */
  feed(piece: Buffer): boolean {
    let bytes = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    this.#rest = NOTHING;
    for (;;) {
      const took = this.#cells ? this.#readCell(bytes) : this.#readToken(bytes);
      if (took === 'waits' || took === 'more') {
        // A copy: the piece is gone by then.
        this.#rest = Buffer.from(bytes);
        if (took === 'more' && bytes.length > MAX_WHOLE_BYTES) throw malformed('a token that is longer than any is');
        return took === 'waits';
      }
      bytes = bytes.subarray(took);
    }
  }

  #readToken(bytes: Buffer): number | 'more' | 'waits' {
    const token = bytes[0];
    if (token === undefined) return 'more';
    if (token === TOKEN.row || token === TOKEN.shortRow) return this.#beginRow(bytes);
    if (token === TOKEN.columns) return this.#readColumns(bytes);
    if (token >= TOKEN.done) {
      if (bytes.length < 1 + DONE_BYTES) return 'more';
      const [status, rows] = [bytes.readUInt16LE(1), bytes.readBigUInt64LE(5)];
      this.#listener.done({ status, rows, isOutmost: token !== TOKEN.doneInProc });
      return 1 + DONE_BYTES;
    }
    const [head, size] = sizeOf(token, bytes);
    if (size === undefined || bytes.length < head + size) return 'more';
    this.#listener.told(token, bytes.subarray(head, head + size));
    return head + size;
  }

  #readColumns(bytes: Buffer): number | 'more' {
    const fields = new Fields(bytes, 1);
    try {
      this.#columns = readColumns(fields) ?? this.#columns;
    } catch (error) {
      if (fields.isShort) return 'more';
      throw error;
    }
    this.#listener.columns(this.#columns);
    return bytes.length - fields.left;
  }

  #beginRow(bytes: Buffer): number | 'more' | 'waits' {
    const columns = this.#columns;
    if (columns.length === 0) throw malformed('a row without columns');
    const bitmap = bytes[0] === TOKEN.shortRow ? Math.ceil(columns.length / 8) : 0;
    if (bytes.length < 1 + bitmap) return 'more';
    if (!this.#listener.mayRow()) return 'waits';
    const isNull = (index: number) => ((bytes[1 + (index >> 3)] ?? 0) & (1 << (index & 7))) !== 0;
    this.#isNull = bitmap === 0 ? NONE : columns.map((_, index) => isNull(index));
    this.#cells = [];
    this.#cut = [];
    this.#rowSize = 0;
    return 1 + bitmap;
  }

  #readCell(bytes: Buffer): number | 'more' {
    const cells = this.#cells as (string | null)[];
    const column = this.#columns[cells.length];
    if (!column) {
      this.#cells = undefined;
      this.#listener.row(cells, this.#cut);
      return 0;
    }
    if (!this.#cell) {
      if (this.#isNull[cells.length]) {
        cells.push(null);
        return 0;
      }
      const begun = beginCell(column.type, bytes);
      if (begun === 'more') return 'more';
      if (begun.left === null) cells.push(null);
      else this.#cell = { type: column.type, left: begun.left, size: begun.left ?? 0, kept: [], keptSize: 0 };
      return begun.took;
    }
    return this.#readPart(this.#cell, cells, bytes);
  }

  #readPart(cell: Cell, cells: (string | null)[], bytes: Buffer): number | 'more' {
    const isChunked = cell.type.layout === 'chunks';
    if (cell.left === undefined) {
      if (bytes.length < 4) return 'more';
      const length = bytes.readUInt32LE();
      cell.left = length;
      cell.size += length;
      if (length === 0) this.#endCell(cell, cells);
      return 4;
    }
    if (cell.left > 0 && bytes.length === 0) return 'more';
    const part = bytes.subarray(0, cell.left);
    cell.left -= part.length;
    const room = Math.max(0, Math.min(this.keep.cell - cell.keptSize, this.keep.row - this.#rowSize));
    const kept = part.subarray(0, room);
    // A copy: the piece is much more than this.
    if (kept.length > 0) cell.kept.push(Buffer.from(kept));
    cell.keptSize += kept.length;
    this.#rowSize += kept.length;
    if (cell.left > 0) return part.length;
    if (isChunked) cell.left = undefined;
    else this.#endCell(cell, cells);
    return part.length;
  }

  #endCell(cell: Cell, cells: (string | null)[]): void {
    const whole = cell.kept.length === 1 ? (cell.kept[0] as Buffer) : Buffer.concat(cell.kept);
    if (cell.keptSize < cell.size) this.#cut.push({ column: cells.length, bytes: cell.size });
    cells.push(showCell(whole, cell.type));
    this.#cell = undefined;
  }
}

function sizeOf(token: number, bytes: Buffer): [head: number, size: number | undefined] {
  if (token === TOKEN.status) return [1, STATUS_BYTES];
  if (MEASURED.has(token)) return [3, bytes.length < 3 ? undefined : bytes.readUInt16LE(1)];
  if (LONG_MEASURED.has(token)) return [5, bytes.length < 5 ? undefined : bytes.readUInt32LE(1)];
  throw malformed(`a token 0x${token.toString(16)}, which is not read here`);
}

/** `left`: null for NULL, undefined where the length stands before each chunk. */
function beginCell(
  { layout, bytes: size }: ColumnType,
  bytes: Buffer,
): { took: number; left: number | null | undefined } | 'more' {
  switch (layout) {
    case 'fixed':
      return size === 0 ? { took: 0, left: null } : { took: 0, left: size };
    case 'byte':
      return bytes.length < 1 ? 'more' : { took: 1, left: bytes[0] || null };
    case 'short': {
      if (bytes.length < 2) return 'more';
      const length = bytes.readUInt16LE();
      return { took: 2, left: length === 0xffff ? null : length };
    }
    case 'long':
      return bytes.length < 4 ? 'more' : { took: 4, left: bytes.readUInt32LE() || null };
    case 'pointer':
      return behindPointer(bytes);
    default:
      if (bytes.length < 8) return 'more';
      return { took: 8, left: bytes.subarray(0, 8).every((byte) => byte === 0xff) ? null : undefined };
  }
}

const TIMESTAMP_BYTES = 8;

function behindPointer(bytes: Buffer): { took: number; left: number | null } | 'more' {
  const pointer = bytes[0];
  if (pointer === undefined) return 'more';
  if (pointer === 0) return { took: 1, left: null };
  const head = 1 + pointer + TIMESTAMP_BYTES;
  return bytes.length < head + 4 ? 'more' : { took: head + 4, left: bytes.readUInt32LE(head) };
}
