/** Watches what SQL Server answers: where each answer ends, how it went, and what it says of an error or another database. Rows are not read, unless they are sampled. */
import { malformed } from '../db-failure.ts';
import type { RowSample } from '../statement.ts';
import { Fields } from './fields.ts';
import { HEAD_BYTES, readHead, STATUS, TYPE } from './packets.ts';
import { RowSampler } from './sample-rows.ts';

const TOKEN = {
  error: 0xaa,
  info: 0xab,
  loginAck: 0xad,
  feature: 0xae,
  env: 0xe3,
  status: 0x79,
  done: 0xfd,
  doneProc: 0xfe,
  doneInProc: 0xff,
};
const DONE_BYTES = 13;
const STATUS_BYTES = 5;
const DONE = { error: 2, count: 16, attention: 32 };
const ENV = { database: 1, packetBytes: 4, routing: 20 };
/** Of an answer: errors stand before everything else, and what it has come to at its end. */
const MAX_BEGINNING = 16 * 1024;
const KEPT_END = DONE_BYTES + STATUS_BYTES + DONE_BYTES;

export interface Reply {
  isError: boolean;
  isAttention: boolean;
  rows: number;
  bytes: number;
  /** What its beginning says. */
  said: Said;
  /** Where results are sampled. */
  sample: RowSample | undefined;
}

export interface Said {
  error: { number: number; text: string } | undefined;
  /** Of the server, where it says so at a sign-in. */
  version: string | undefined;
  /** The version of TDS that it speaks from then on, as it stands in what was read. */
  agreed: Buffer | undefined;
  /** The database that the session is in from here on. */
  database: string | undefined;
  isRouted: boolean;
}

export class ReplyReader {
  readonly #heard: (reply: Reply) => void;
  readonly #isSampled: boolean;
  #sampler: RowSampler | undefined;
  #head = Buffer.alloc(0);
  #left = 0;
  #isLast = true;
  #beginning: Buffer[] = [];
  #begun = 0;
  #end: Buffer = Buffer.alloc(0);
  #bytes = 0;
  /** Of the session, as the server's own views have it. */
  spid = 0;

  constructor(heard: (reply: Reply) => void, isSampled = false) {
    this.#heard = heard;
    this.#isSampled = isSampled;
  }

  /** Between two answers. */
  get isBetween(): boolean {
    return this.#isLast && this.#left === 0 && this.#head.length === 0;
  }

  /** How much of it belongs to what has begun; all of it, unless an answer ends inside. */
  look(piece: Buffer): void {
    let at = 0;
    while (at < piece.length) {
      if (this.#left === 0) {
        const need = HEAD_BYTES - this.#head.length;
        this.#head = Buffer.concat([this.#head, piece.subarray(at, at + need)]);
        at += need;
        if (this.#head.length < HEAD_BYTES) return;
        this.#open();
      } else {
        const part = piece.subarray(at, at + this.#left);
        at += part.length;
        this.#left -= part.length;
        this.#keep(part);
      }
      if (this.#left === 0 && this.#isLast && this.#head.length === 0) this.#close();
    }
  }

  #open(): void {
    const { type, status, length, spid } = readHead(this.#head);
    if (type !== TYPE.reply) throw malformed(`a packet of the kind ${type} from a server`);
    this.#head = Buffer.alloc(0);
    this.spid = spid;
    this.#isLast = (status & STATUS.last) !== 0;
    this.#left = length - HEAD_BYTES;
    this.#bytes += length;
  }

  #keep(part: Buffer): void {
    if (this.#isSampled) {
      this.#sampler ??= new RowSampler();
      this.#sampler.look(part);
    }
    if (this.#begun < MAX_BEGINNING) {
      this.#beginning.push(Buffer.from(part.subarray(0, MAX_BEGINNING - this.#begun)));
      this.#begun += part.length;
    }
    // A copy: a piece of a page would keep the whole page.
    this.#end = Buffer.concat([this.#end, part.subarray(-KEPT_END)]).subarray(-KEPT_END);
  }

  #close(): void {
    const said = readBeginning(Buffer.concat(this.#beginning));
    const last = lastDone(this.#end);
    const isError = last.isError || said.error !== undefined;
    const reply = { ...last, isError, bytes: this.#bytes, said, sample: this.#sampler?.take() };
    this.#sampler = undefined;
    this.#beginning = [];
    this.#begun = 0;
    this.#bytes = 0;
    this.#end = Buffer.alloc(0);
    this.#heard(reply);
  }
}

function lastDone(end: Buffer): Pick<Reply, 'isError' | 'isAttention' | 'rows'> {
  const done = end.subarray(-DONE_BYTES);
  if (done.length < DONE_BYTES || (done[0] ?? 0) < TOKEN.done) return { isError: false, isAttention: false, rows: 0 };
  const status = done.readUInt16LE(1);
  // A procedure says at its end that it is over, and before it what its last statement came to.
  const isProcedure =
    done[0] === TOKEN.doneProc &&
    end.length === KEPT_END &&
    end[0] === TOKEN.doneInProc &&
    end[DONE_BYTES] === TOKEN.status;
  const counted = isProcedure ? end : done;
  const rows = counted.readUInt16LE(1) & DONE.count ? safe(counted.readBigUInt64LE(5)) : 0;
  return { isError: (status & DONE.error) !== 0, isAttention: (status & DONE.attention) !== 0, rows };
}

/** As a server may say any number. */
function safe(count: bigint): number {
  return count > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(count);
}

/** Up to the first row: what follows cannot be told apart without reading all of it. */
export function readBeginning(bytes: Buffer): Said {
  const said: Said = {
    ...{ error: undefined, version: undefined, agreed: undefined, database: undefined, isRouted: false },
  };
  const fields = new Fields(bytes);
  try {
    while (fields.left > 0) if (!readToken(fields, said)) break;
  } catch {
    // Only its beginning is there: what was read of it holds.
  }
  return said;
}

function readToken(fields: Fields, said: Said): boolean {
  const token = fields.byte();
  if (token === TOKEN.done || token === TOKEN.doneProc || token === TOKEN.doneInProc) fields.take(DONE_BYTES - 1);
  else if (token === TOKEN.status) fields.take(STATUS_BYTES - 1);
  else if (token === TOKEN.error || token === TOKEN.info) {
    const body = new Fields(fields.take(fields.uint16()));
    const number = body.take(4).readInt32LE();
    body.take(2);
    if (token === TOKEN.error) said.error ??= { number, text: body.longText() };
  } else if (token === TOKEN.env) readChange(new Fields(fields.take(fields.uint16())), said);
  else if (token === TOKEN.loginAck) readAck(new Fields(fields.take(fields.uint16())), said);
  else return false;
  return true;
}

function readChange(body: Fields, said: Said): void {
  const type = body.byte();
  if (type === ENV.database) said.database = body.shortText();
  if (type === ENV.routing) said.isRouted = true;
}

function readAck(body: Fields, said: Said): void {
  body.take(1);
  const agreed = body.take(4);
  const name = body.shortText().replaceAll('\0', '');
  const [major = 0, minor = 0, high = 0, low = 0] = body.take(4);
  said.version = `${name} ${major}.${minor}.${(high << 8) | low}`;
  said.agreed = agreed;
}
