/** Follows the answers of a Redis server in pieces, wherever they are cut, and gives what goes on to the client. */
import { malformed } from '../db-failure.ts';
import { KeptBeginning } from '../kept-beginning.ts';

/** Of an error, or of what a server calls what it did. */
const MAX_TEXT_BYTES = 8_192;
/** Of the first word of an answer, which says what is pushed. */
const MAX_FIRST_BYTES = 16;
const MAX_NUMBER_BYTES = 24;
const MAX_BODY_BYTES = 1024 * 1024 * 1024;
const MAX_COUNT = 2 ** 32;
/** No server nests deeper by itself; a script might. */
const MAX_DEPTH = 1_024;
/** Above that, a text is no short one. */
const MAX_JUMPED_DIGITS = 6;
const [NEWLINE, RETURN, DOLLAR, ZERO] = [0x0a, 0x0d, 0x24, 0x30];
const NOTHING = Buffer.alloc(0);

export type ReplyType = 'line' | 'error' | 'number' | 'text' | 'list' | 'map' | 'push' | 'attribute' | 'other';

/** By its first byte. */
const TYPES: Readonly<Record<string, { type: ReplyType; has: 'line' | 'body' | 'values' }>> = {
  '+': { type: 'line', has: 'line' },
  '-': { type: 'error', has: 'line' },
  ':': { type: 'number', has: 'line' },
  _: { type: 'other', has: 'line' },
  '#': { type: 'other', has: 'line' },
  ',': { type: 'other', has: 'line' },
  '(': { type: 'other', has: 'line' },
  $: { type: 'text', has: 'body' },
  '=': { type: 'text', has: 'body' },
  '!': { type: 'error', has: 'body' },
  '*': { type: 'list', has: 'values' },
  '~': { type: 'list', has: 'values' },
  '%': { type: 'map', has: 'values' },
  '>': { type: 'push', has: 'values' },
  '|': { type: 'attribute', has: 'values' },
};
const BY_BYTE = Array.from({ length: 256 }, (_, byte) => TYPES[String.fromCharCode(byte)]);

export interface Reply {
  type: ReplyType;
  /** Of a line or an error. */
  text: string;
  /** How many values it has, or pairs of them; nothing where there is no list. */
  count: number;
  /** Of a list or what is pushed: the first value, where that is a short text; the last of its numbers. */
  first: string;
  number: number;
  /** The first error that stands in a list. */
  innerError: string;
  bytes: number;
}

export interface ReplyReaderOptions {
  /** What goes on in the place of the answer that begins; undefined: the answer itself. Throws where it must not be an answer at all. */
  replace(type: ReplyType): Buffer | undefined;
  /** Throws where nobody could have asked for it. `beginning`: of its bytes, where that is kept; they are gone when this returns. */
  read(reply: Reply, beginning: Buffer | undefined): void;
  keepsBeginning?: boolean;
}

export class ReplyReader {
  readonly #options: ReplyReaderOptions;
  /** For each list that is open: how many values are still to come, and whether it is one of those around it. */
  #lists: { left: number; isCounted: boolean }[] = [];
  /** Of the value that is read; undefined between two. */
  #value: { type: ReplyType; has: 'line' | 'body' | 'values' } | undefined;
  #head = '';
  #lastByte = 0;
  /** Of a body, with the two bytes of its end. */
  #bodyLeft = -1;
  #body = '';
  #reply: Reply | undefined;
  #index = 0;
  #replacement: Buffer | undefined;
  #bytes = 0;
  #out: Buffer[] = [];
  #from = 0;
  #at = 0;
  readonly #beginning: KeptBeginning | undefined;
  #wrong: { error: Error; sample: Buffer } | undefined;

  constructor(options: ReplyReaderOptions) {
    this.#options = options;
    this.#beginning = options.keepsBeginning ? new KeptBeginning() : undefined;
  }

  /** From there on nothing is read, and nothing is given out. */
  get wrong(): { error: Error; sample: Buffer } | undefined {
    return this.#wrong;
  }

  /** Whether what was given out ends where an answer does. */
  get isBetween(): boolean {
    return this.#bytes === 0;
  }

  feed(piece: Buffer): Buffer {
    return this.#feed(piece, () => true);
  }

  /** No more than the rest of the answer that has begun. */
  feedRest(piece: Buffer): Buffer {
    return this.#feed(piece, () => !this.isBetween);
  }

  #feed(piece: Buffer, goesOn: () => boolean): Buffer {
    if (this.#wrong) return NOTHING;
    [this.#out, this.#from, this.#at] = [[], 0, 0];
    let began = 0;
    try {
      while (this.#at < piece.length && goesOn()) {
        const at = this.#at;
        if (this.isBetween) began = at;
        const next = this.#bodyLeft >= 0 ? this.#takeBody(piece, at) : this.#takeLine(piece, at);
        this.#bytes += next - at;
        this.#at = next;
        if (this.#isWhole()) this.#finish(this.#beginning?.end(piece.subarray(began, next)));
      }
      if (!this.isBetween) this.#beginning?.add(piece.subarray(began, this.#at));
    } catch (error) {
      this.#wrong = { error: error instanceof Error ? error : new Error(String(error)), sample: piece.subarray(began) };
      // Not even its beginning: the client is told what is wrong instead.
      if (began > 0 || this.#bytes <= this.#at) {
        this.#at = began;
        this.#bytes = 0;
      }
    }
    if (!this.#replacement) this.#give(piece, this.#at);
    const [only] = this.#out;
    return this.#out.length === 1 && only ? only : Buffer.concat(this.#out);
  }

  #takeLine(piece: Buffer, from: number): number {
    let at = from;
    if (!this.#value) {
      at = this.#jump(piece, at);
      if (at > from) return at;
      this.#begin(piece, at);
      at += 1;
    }
    const newline = piece.indexOf(NEWLINE, at);
    const to = newline < 0 ? piece.length : newline;
    if (this.#head.length < MAX_TEXT_BYTES)
      this.#head += piece.toString('latin1', at, Math.min(to, at + MAX_TEXT_BYTES - this.#head.length));
    if (to > at) this.#lastByte = piece[to - 1] as number;
    if (this.#value?.has !== 'line' && this.#head.length > MAX_NUMBER_BYTES)
      throw malformed('an answer that does not say how long it is');
    if (newline < 0) return to;
    // An end of line is both bytes; one alone is part of the line.
    if (this.#lastByte !== RETURN) {
      if (this.#head.length < MAX_TEXT_BYTES) this.#head += '\n';
      this.#lastByte = NEWLINE;
      return to + 1;
    }
    this.#endLine(this.#head.endsWith('\r') ? this.#head.slice(0, -1) : this.#head);
    return to + 1;
  }

  /** The usual case in one tight loop: texts in a list that nobody wants. The last one of it is left to the others. */
  #jump(piece: Buffer, from: number): number {
    const around = this.#lists.at(-1);
    if (!around || (this.#lists.length === 1 && this.#index === 0)) return from;
    let at = from;
    while (around.left > 1 && piece[at] === DOLLAR) {
      let size = 0;
      let digit = at + 1;
      for (; digit - at < MAX_JUMPED_DIGITS; digit += 1) {
        const value = (piece[digit] ?? 0) - ZERO;
        if (value < 0 || value > 9 || (size === 0 && digit > at + 1)) break;
        size = 10 * size + value;
      }
      const end = digit + 2 + size;
      const isText = digit > at + 1 && end + 2 <= piece.length && isLineEnd(piece, digit) && isLineEnd(piece, end);
      if (!isText) break;
      around.left -= 1;
      at = end + 2;
    }
    return at;
  }

  #begin(piece: Buffer, at: number): void {
    const value = BY_BYTE[piece[at] as number];
    if (!value) throw malformed(`an answer of the type ${piece[at]}, which there is none of`);
    this.#value = value;
    this.#head = '';
    this.#lastByte = 0;
    if (this.#lists.length > 0 || value.type === 'attribute') return;
    const { type } = value;
    this.#reply = { type, text: '', count: 0, first: '', number: 0, innerError: '', bytes: 0 };
    this.#index = 0;
    this.#replacement = this.#options.replace(type);
    if (this.#replacement) this.#give(piece, at);
  }

  #endLine(line: string): void {
    const { type, has } = this.#value as { type: ReplyType; has: string };
    if (has === 'line') {
      this.#keep(type, line);
      this.#endValue();
      return;
    }
    const number = /^(?:0|-1|[1-9]\d{0,10})$/.test(line) ? Number(line) : Number.NaN;
    if (has === 'body') {
      if (!(number <= MAX_BODY_BYTES)) throw malformed(`an answer that says it has '${shown(line)}' bytes`);
      this.#body = '';
      if (number < 0) this.#endValue();
      else this.#bodyLeft = number + 2;
      return;
    }
    if (!(number <= MAX_COUNT)) throw malformed(`an answer that says it has '${shown(line)}' values`);
    if (this.#lists.length === 0 && this.#reply && type !== 'attribute') this.#reply.count = Math.max(0, number);
    const isPairs = type === 'map' || type === 'attribute';
    this.#value = undefined;
    // What somebody publishes to themselves in a transaction is pushed into the middle of its answer.
    const isCounted = type !== 'attribute' && type !== 'push';
    this.#lists.push({ left: Math.max(0, isPairs ? 2 * number : number), isCounted });
    if (this.#lists.length > MAX_DEPTH) throw malformed(`an answer with lists in lists, more than ${MAX_DEPTH}`);
    this.#closeLists();
  }

  #takeBody(piece: Buffer, at: number): number {
    const size = Math.min(this.#bodyLeft, piece.length - at);
    const wanted = this.#wantedOfBody();
    const left = Math.min(wanted - this.#body.length, this.#bodyLeft - 2, size);
    if (left > 0) this.#body += piece.toString('latin1', at, at + left);
    for (let end = Math.min(this.#bodyLeft, 2); end > 0; end -= 1) {
      const byte = piece[at + this.#bodyLeft - end];
      if (byte !== undefined && byte !== (end === 2 ? RETURN : NEWLINE))
        throw malformed('an answer that does not end where it says');
    }
    this.#bodyLeft -= size;
    if (this.#bodyLeft > 0) return at + size;
    this.#bodyLeft = -1;
    this.#keep((this.#value as { type: ReplyType }).type, this.#body);
    this.#endValue();
    return at + size;
  }

  #wantedOfBody(): number {
    if (this.#value?.type === 'error') return MAX_TEXT_BYTES;
    return this.#isInReply() && this.#index === 0 ? MAX_FIRST_BYTES : 0;
  }

  /** Whether the value is one of those of the answer itself, and not of a list in it. */
  #isInReply(): boolean {
    return this.#lists.length === 1 && this.#reply !== undefined;
  }

  #keep(type: ReplyType, text: string): void {
    const reply = this.#reply;
    if (!reply) return;
    if (this.#lists.length === 0) reply.text = utf8(text);
    else if (this.#isInReply()) {
      if (type === 'error') reply.innerError ||= utf8(text);
      else if (type === 'number') reply.number = Number(text);
      else if (this.#index === 0) reply.first = text.slice(0, MAX_FIRST_BYTES);
    }
  }

  #endValue(): void {
    this.#value = undefined;
    const around = this.#lists.at(-1);
    if (!around) return;
    around.left -= 1;
    if (this.#isInReply()) this.#index += 1;
    this.#closeLists();
  }

  #closeLists(): void {
    for (let last = this.#lists.at(-1); last && last.left <= 0; last = this.#lists.at(-1)) {
      this.#lists.pop();
      const around = this.#lists.at(-1);
      // Behind an attribute stands the value that it says something about.
      if (!last.isCounted || !around) continue;
      around.left -= 1;
      if (this.#isInReply()) this.#index += 1;
    }
  }

  #isWhole(): boolean {
    return this.#lists.length === 0 && this.#value === undefined && this.#reply !== undefined;
  }

  #finish(beginning: Buffer | undefined): void {
    const reply = this.#reply as Reply;
    this.#reply = undefined;
    this.#options.read({ ...reply, bytes: this.#bytes }, beginning);
    this.#bytes = 0;
    if (!this.#replacement) return;
    this.#out.push(this.#replacement);
    this.#replacement = undefined;
    this.#from = this.#at;
  }

  #give(piece: Buffer, to: number): void {
    if (to > this.#from) this.#out.push(piece.subarray(this.#from, to));
    this.#from = Math.max(this.#from, to);
  }
}

function isLineEnd(piece: Buffer, at: number): boolean {
  return piece[at] === RETURN && piece[at + 1] === NEWLINE;
}

function utf8(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString('utf8');
}

function shown(line: string): string {
  return line.slice(0, 32).replaceAll(/[^ -~]/g, '?');
}
