/** Reads what SQL Server answers while it comes: of each value no more is kept than is wanted, and it stops before a row where it is told to. */
import { malformed } from '../db-failure.ts';
import { type ColumnType, type ResultColumn, readColumn, readColumnCount } from './column-types.ts';
import { Fields } from './fields.ts';
import { showCell } from './show-cell.ts';

const TOKEN = { columns: 0x81, row: 0xd1, shortRow: 0xd2, status: 0x79, done: 0xfd, doneProc: 0xfe, doneInProc: 0xff };
/** Behind two bytes that say how long they are. */
const MEASURED: ReadonlySet<number> = new Set([0xa4, 0xa5, 0xa9, 0xaa, 0xab, 0xad, 0xe3]);
/** Behind four. */
const LONG_MEASURED: ReadonlySet<number> = new Set([0xe4, 0xee]);
const DONE_BYTES = 12;
const STATUS_BYTES = 4;
/** Of what is kept whole, and of what is said of all columns of a result. */
const MAX_WHOLE_BYTES = 2 * 1024 * 1024;
/** Of what is looked at again with each piece that comes: a server may send it byte by byte. */
const MAX_AGAIN_BYTES = 64 * 1024;
/** Of a token, before what it holds. */
const MAX_HEAD_BYTES = 5;
const CHUNK_HEAD_BYTES = 4;
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

/** `more`: bytes are needed; `waits`: it was told to. */
type Reading = 'on' | 'more' | 'waits';

interface Cell {
  type: ColumnType;
  /** Undefined while the length is not read. */
  left: number | undefined;
  size: number;
  kept: Buffer[];
  keptSize: number;
}

/** A token whose size is known, and how much of it has come. */
interface Filling {
  bytes: Buffer;
  filled: number;
}

/** What was read of the columns of a result, and of how many bytes. */
interface BegunColumns {
  count: number;
  columns: ResultColumn[];
  size: number;
}

export class TokenReader {
  readonly #listener: TokenListener;
  /** What is looked at now, and how far it was read. */
  #bytes: Buffer = NOTHING;
  #at = 0;
  #rest: Buffer = NOTHING;
  #whole: Filling | undefined;
  #begun: BegunColumns | undefined;
  #columns: readonly ResultColumn[] = [];
  /** Of the row that is being read. */
  #cells: (string | null)[] | undefined;
  #cut: { column: number; bytes: number }[] = [];
  #isNull: readonly boolean[] = NONE;
  #rowSize = 0;
  /** Of which not all has come. */
  #cell: Cell | undefined;
  keep: KeptBytes;

  constructor(listener: TokenListener, keep: KeptBytes) {
    this.#listener = listener;
    this.keep = keep;
  }

  /** Between two tokens. */
  get isBetween(): boolean {
    return this.#rest.length === 0 && !this.#cells && !this.#whole && !this.#begun;
  }

  /** What it was told to wait with is kept. Gives whether it waits. */
  feed(piece: Buffer): boolean {
    const joined = this.#whole ? this.#fill(this.#whole, piece) : this.#join(piece);
    if (!joined) return false;
    this.#bytes = joined;
    this.#at = 0;
    let state: Reading = 'on';
    while (state === 'on') state = this.#readOn();
    // A copy: the piece is gone by then.
    this.#rest = this.#whole ? NOTHING : Buffer.from(this.#bytes.subarray(this.#at));
    this.#bytes = NOTHING;
    if (state === 'more' && this.#rest.length > MAX_AGAIN_BYTES) throw malformed('a token that is longer than any is');
    return state === 'waits';
  }

  #join(piece: Buffer): Buffer {
    return this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
  }

  /** Undefined while some of it is missing: it is not even looked at. */
  #fill(whole: Filling, piece: Buffer): Buffer | undefined {
    const taken = piece.copy(whole.bytes, whole.filled);
    whole.filled += taken;
    if (whole.filled < whole.bytes.length) return undefined;
    this.#whole = undefined;
    return taken === piece.length ? whole.bytes : Buffer.concat([whole.bytes, piece.subarray(taken)]);
  }

  #readOn(): Reading {
    if (this.#cells) return this.#readCells(this.#cells);
    return this.#begun ? this.#readColumns(this.#begun) : this.#readToken();
  }

  get #left(): number {
    return this.#bytes.length - this.#at;
  }

  #readToken(): Reading {
    const [bytes, at] = [this.#bytes, this.#at];
    const token = bytes[at];
    if (token === undefined) return 'more';
    if (token === TOKEN.row || token === TOKEN.shortRow) return this.#beginRow(token);
    if (token === TOKEN.columns) return this.#beginColumns();
    if (token >= TOKEN.done) {
      if (this.#left < 1 + DONE_BYTES) return 'more';
      this.#at += 1 + DONE_BYTES;
      const [status, rows] = [bytes.readUInt16LE(at + 1), bytes.readBigUInt64LE(at + 5)];
      this.#listener.done({ status, rows, isOutmost: token !== TOKEN.doneInProc });
      return 'on';
    }
    const [head, size] = sizeOf(token, bytes.subarray(at, at + MAX_HEAD_BYTES));
    if (size === undefined) return 'more';
    if (head + size > MAX_WHOLE_BYTES) throw malformed('a token that is longer than any is');
    if (this.#left < head + size) {
      const whole = Buffer.alloc(head + size);
      this.#whole = { bytes: whole, filled: bytes.copy(whole, 0, at) };
      return 'more';
    }
    this.#at += head + size;
    this.#listener.told(token, bytes.subarray(at + head, at + head + size));
    return 'on';
  }

  #beginColumns(): Reading {
    if (this.#left < 3) return 'more';
    const count = readColumnCount(new Fields(this.#bytes, this.#at + 1));
    this.#at += 3;
    if (count === undefined) this.#listener.columns(this.#columns);
    else this.#begun = { count, columns: [], size: 0 };
    return 'on';
  }

  /** Each once, however they come. */
  #readColumns(begun: BegunColumns): Reading {
    while (begun.columns.length < begun.count) {
      const fields = new Fields(this.#bytes, this.#at);
      try {
        begun.columns.push(readColumn(fields));
      } catch (error) {
        if (fields.isShort) return 'more';
        throw error;
      }
      const at = this.#bytes.length - fields.left;
      begun.size += at - this.#at;
      this.#at = at;
      if (begun.size > MAX_WHOLE_BYTES) throw malformed('columns that say more than any do');
    }
    this.#begun = undefined;
    this.#columns = begun.columns;
    this.#listener.columns(this.#columns);
    return 'on';
  }

  #beginRow(token: number): Reading {
    const [bytes, at, columns] = [this.#bytes, this.#at, this.#columns];
    if (columns.length === 0) throw malformed('a row without columns');
    const bitmap = token === TOKEN.shortRow ? Math.ceil(columns.length / 8) : 0;
    if (this.#left < 1 + bitmap) return 'more';
    if (!this.#listener.mayRow()) return 'waits';
    const isNull = (index: number) => ((bytes[at + 1 + (index >> 3)] ?? 0) & (1 << (index & 7))) !== 0;
    this.#isNull = bitmap === 0 ? NONE : columns.map((_, index) => isNull(index));
    this.#cells = [];
    this.#cut = [];
    this.#rowSize = 0;
    this.#at += 1 + bitmap;
    return 'on';
  }

  #readCells(cells: (string | null)[]): Reading {
    for (let column = this.#columns[cells.length]; column; column = this.#columns[cells.length]) {
      if (this.#cell) {
        if (!this.#readPart(this.#cell, cells)) return 'more';
      } else if (this.#isNull[cells.length]) cells.push(null);
      else if (!this.#beginCell(column.type, cells)) return 'more';
    }
    this.#cells = undefined;
    this.#listener.row(cells, this.#cut);
    return 'on';
  }

  /** False: more bytes are needed. */
  #beginCell(type: ColumnType, cells: (string | null)[]): boolean {
    const head = headBytes(type, this.#bytes, this.#at);
    if (head === undefined || this.#left < head) return false;
    const length = lengthBehind(type, this.#bytes, this.#at, head);
    this.#at += head;
    if (length === null) cells.push(null);
    else if (length !== undefined && length <= this.#left && length <= this.#room(0)) {
      // Most of them: all of it is there, and is wanted.
      cells.push(showCell(this.#bytes.subarray(this.#at, this.#at + length), type));
      this.#at += length;
      this.#rowSize += length;
    } else this.#cell = { type, left: length, size: length ?? 0, kept: [], keptSize: 0 };
    return true;
  }

  #room(keptSize: number): number {
    return Math.max(0, Math.min(this.keep.cell - keptSize, this.keep.row - this.#rowSize));
  }

  /** False: more bytes are needed. */
  #readPart(cell: Cell, cells: (string | null)[]): boolean {
    if (cell.left === undefined) {
      if (this.#left < CHUNK_HEAD_BYTES) return false;
      const length = this.#bytes.readUInt32LE(this.#at);
      this.#at += CHUNK_HEAD_BYTES;
      cell.left = length;
      cell.size += length;
      if (length === 0) this.#endCell(cell, cells);
      return true;
    }
    if (this.#left === 0 && cell.left > 0) return false;
    const part = this.#bytes.subarray(this.#at, this.#at + cell.left);
    this.#at += part.length;
    cell.left -= part.length;
    const kept = part.subarray(0, this.#room(cell.keptSize));
    // A copy: the piece is much more than this.
    if (kept.length > 0) cell.kept.push(Buffer.from(kept));
    cell.keptSize += kept.length;
    this.#rowSize += kept.length;
    if (cell.left > 0) return true;
    if (cell.type.layout === 'chunks') cell.left = undefined;
    else this.#endCell(cell, cells);
    return true;
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

const HEADS: Readonly<Record<Exclude<ColumnType['layout'], 'pointer'>, number>> = {
  ...{ fixed: 0, byte: 1, short: 2, long: 4, chunks: 8 },
};
const TIMESTAMP_BYTES = 8;

/** What stands before a value; undefined where not even that can be told yet. */
function headBytes({ layout }: ColumnType, bytes: Buffer, at: number): number | undefined {
  if (layout !== 'pointer') return HEADS[layout];
  const pointer = bytes[at];
  if (pointer === undefined) return undefined;
  return pointer === 0 ? 1 : 1 + pointer + TIMESTAMP_BYTES + 4;
}

/** Null for NULL, undefined where it stands before each chunk. */
function lengthBehind(
  { layout, bytes: size }: ColumnType,
  bytes: Buffer,
  at: number,
  head: number,
): number | null | undefined {
  switch (layout) {
    case 'fixed':
      return size === 0 ? null : size;
    case 'byte':
      return bytes[at] || null;
    case 'short': {
      const length = bytes.readUInt16LE(at);
      return length === 0xffff ? null : length;
    }
    case 'long':
      return bytes.readUInt32LE(at) || null;
    case 'pointer':
      return head === 1 ? null : bytes.readUInt32LE(at + head - 4);
    default:
      return bytes.readUInt32LE(at) === 0xffff_ffff && bytes.readUInt32LE(at + 4) === 0xffff_ffff ? null : undefined;
  }
}
