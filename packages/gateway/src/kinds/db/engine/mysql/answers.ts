/** Follows what a MySQL server answers to one command, packet by packet, up to its end: columns, rows, further results, an error in the middle. */
import { type DbFailure, malformed } from '../db-failure.ts';
import { SAMPLED_ROW_BYTES } from '../kept-rows.ts';
import type { RowSample } from '../statement.ts';
import { CAN, has } from './capabilities.ts';
import type { AnswerShape } from './commands.ts';
import { FieldReader } from './field-reader.ts';
import { EMPTY, type WantedPacket } from './packet-reader.ts';
import { type Done, MAX_PART_BYTES, readDone, readServerError, type ServerError, STATUS } from './packets.ts';
import { type RowForm, RowSampler } from './sample-rows.ts';

const KEPT: WantedPacket = { keep: 8_192 };
const SAMPLED: WantedPacket = { keep: SAMPLED_ROW_BYTES };
const OK = 0x00;
const FILE = 0xfb;
const END = 0xfe;
const ERROR = 0xff;
/** Longer than that, and it is a row that begins with a large field. */
const MAX_EOF_BYTES = 8;
const MAX_COLUMNS = 65_535;

/** What comes next. `columnsEnd`: the packet behind the columns, where the dialect has one. */
type Phase = 'one' | 'line' | 'fields' | 'first' | 'columns' | 'columnsEnd' | 'rows' | 'prepared' | 'file' | 'over';

const FIRST_PHASE: Readonly<Record<AnswerShape, Phase>> = {
  none: 'over',
  one: 'one',
  line: 'line',
  fields: 'fields',
  results: 'first',
  rows: 'rows',
  prepared: 'prepared',
};

export interface PreparedAs {
  statement: number;
  parameters: number;
}

export interface AnswerOptions {
  keepsColumns?: boolean | undefined;
  /** The beginning of its rows is kept, which are written so. */
  sampled?: RowForm | undefined;
}

export class Answer {
  readonly #capabilities: number;
  #phase: Phase;
  /** Blocks of columns that are still to come, and of each how many: parameters and columns of a statement, or columns of a result. */
  #blocks: number[] = [];
  readonly #isPrepare: boolean;
  readonly #keepsColumns: boolean;
  /** The beginning of its rows is kept by it; undefined: nothing is. */
  readonly #sampler: RowSampler | undefined;
  #isRow = false;
  #rowLength = 0;
  rows = 0;
  info = '';
  failure: ServerError | undefined;
  prepared: PreparedAs | undefined;
  /** The file of the client that the server asks for now. */
  file: string | undefined;

  /** `keepsColumns`: who reads on wants to know them; who passes on jumps over them. */
  constructor(shape: AnswerShape, capabilities: number, { keepsColumns = false, sampled }: AnswerOptions = {}) {
    this.#keepsColumns = keepsColumns || sampled !== undefined;
    this.#sampler = sampled && new RowSampler(sampled);
    this.#phase = FIRST_PHASE[shape];
    this.#isPrepare = shape === 'prepared';
    this.#capabilities = capabilities;
  }

  get isOver(): boolean {
    return this.#phase === 'over';
  }

  /** What is read next is about a column. */
  get isInColumns(): boolean {
    return this.#phase === 'columns';
  }

  /** What is not read is a row. */
  get isInRows(): boolean {
    return this.#phase === 'rows';
  }

  /** Once it is over. */
  sample(): RowSample | undefined {
    return this.#sampler?.take();
  }

  /** The client has sent its file to the end. */
  fileSent(): void {
    this.file = undefined;
    this.#phase = 'one';
  }

  begin(first: number, length: number): WantedPacket | undefined {
    if (this.#phase === 'rows') {
      if (first === EMPTY) throw malformed('an empty packet among rows');
      if (first === ERROR || (first === END && this.#isEnd(length))) return KEPT;
      this.rows += 1;
      if (!this.#sampler || this.#sampler.isFull) return undefined;
      this.#isRow = true;
      this.#rowLength = length;
      return SAMPLED;
    }
    if (this.#phase === 'columns' && first !== ERROR) {
      // The very last packet of an answer is always read: with it, the next one begins.
      if (this.#keepsColumns || this.#isLastColumn()) return KEPT;
      this.#columnCame();
      return undefined;
    }
    if (this.#phase === 'fields' && first !== ERROR && first !== END) return undefined;
    return KEPT;
  }

  /** Gives what a packet says that ends a result, or all. */
  read(body: Buffer): Done | undefined {
    const first = body[0] ?? EMPTY;
    if (this.#isRow) {
      this.#isRow = false;
      this.#sampler?.row(body, body.length >= this.#rowLength);
      return undefined;
    }
    if (first === ERROR) {
      this.failure = readServerError(body);
      this.#phase = 'over';
      return undefined;
    }
    switch (this.#phase) {
      case 'one':
        if (first !== OK && first !== END) throw unexpected(first);
        return this.#readOk(body);
      case 'line':
        this.#phase = 'over';
        return undefined;
      case 'columns':
        this.#sampler?.column(body);
        this.#columnCame();
        return undefined;
      case 'first':
        return this.#readFirst(first, body);
      case 'prepared':
        this.#readPrepared(first, body);
        return undefined;
      case 'columnsEnd':
        return this.#readColumnsEnd(first, body);
      case 'fields':
      case 'rows':
        return this.#done(body);
      default:
        throw unexpected(first);
    }
  }

  #readFirst(first: number, body: Buffer): Done | undefined {
    if (first === OK) return this.#readOk(body);
    if (first === FILE) {
      this.file = body.toString('utf8', 1);
      this.#phase = 'file';
      return undefined;
    }
    const fields = new FieldReader(body);
    const columns = first === EMPTY || first === END ? 0 : fields.size();
    if (columns < 1 || columns > MAX_COLUMNS || fields.left > 0) throw unexpected(first);
    this.#blocks = [columns];
    this.#phase = 'columns';
    return undefined;
  }

  #readOk(body: Buffer): Done {
    const done = this.#done(body);
    this.rows += done.affected;
    return done;
  }

  #readPrepared(first: number, body: Buffer): void {
    if (first !== OK) throw unexpected(first);
    const fields = new FieldReader(body.subarray(1));
    const statement = fields.number(4);
    const columns = fields.number(2);
    const parameters = fields.number(2);
    this.prepared = { statement, parameters };
    this.#blocks = [parameters, columns].filter((count) => count > 0);
    this.#phase = this.#blocks.length > 0 ? 'columns' : 'over';
  }

  #isLastColumn(): boolean {
    return this.#isPrepare && this.#blocks.length === 1 && this.#blocks[0] === 1;
  }

  #columnCame(): void {
    const [left = 0, ...others] = this.#blocks;
    if (left > 1) this.#blocks = [left - 1, ...others];
    else if (has(this.#capabilities, CAN.deprecateEof)) this.#blockOver();
    else this.#phase = 'columnsEnd';
  }

  #blockOver(): void {
    this.#blocks = this.#blocks.slice(1);
    if (this.#blocks.length > 0) this.#phase = 'columns';
    else this.#phase = this.#isPrepare ? 'over' : 'rows';
  }

  #readColumnsEnd(first: number, body: Buffer): Done | undefined {
    if (first !== END) throw unexpected(first);
    // Its rows are fetched later, by a command of their own.
    if (!this.#isPrepare && (this.#read(body).status & STATUS.cursorExists) !== 0) return this.#done(body);
    this.#blockOver();
    return undefined;
  }

  #isEnd(length: number): boolean {
    return has(this.#capabilities, CAN.deprecateEof) ? length < MAX_PART_BYTES : length <= MAX_EOF_BYTES;
  }

  #read(body: Buffer): Done {
    return readDone(body, has(this.#capabilities, CAN.sessionTrack));
  }

  #done(body: Buffer): Done {
    const done = this.#read(body);
    if (done.info !== '') this.info = done.info;
    this.#phase = (done.status & STATUS.moreResults) === 0 ? 'over' : 'first';
    return done;
  }
}

function unexpected(first: number): DbFailure {
  return malformed(first === EMPTY ? 'an empty packet' : `a packet that begins with ${first} where none does`);
}
