/** Follows the commands of a client in pieces, wherever they are cut, and gives what goes on to the server: a command that is refused does not. */
import { malformed } from '../db-failure.ts';
import { inlineWords } from './inline-words.ts';
import { KeptWords } from './kept-words.ts';
import { command, MAX_WORD_BYTES, MAX_WORDS } from './resp.ts';

/** As the server itself has it. */
const MAX_LINE_BYTES = 64 * 1024;
const MAX_LINE_PARTS = 64;
/** Of a head: its sign, a number, and the end of the line. */
const MAX_HEAD_BYTES = 24;
/** What decides whether a command passes is held back until it has come: so much, and not more. */
const MAX_JUDGED_BYTES = 64 * 1024;
const MAX_JUDGED_WORDS = 64;
const TOO_LONG = 'ERR the command is too long to be looked at here';
/** Goes on in the place of what is refused: the server answers it in its turn, and fails the transaction it stands in. */
const IN_ITS_PLACE = command('GATEHOUSE.REFUSED');
/** Of what is no command, for the audit. */
const SAMPLE_BYTES = 256;
const [NEWLINE, RETURN, STAR, DOLLAR, ZERO] = [0x0a, 0x0d, 0x2a, 0x24, 0x30];
const NOTHING = Buffer.alloc(0);

export interface ReadCommand {
  /** Valid until the next piece is fed. */
  words: KeptWords;
  /** On its way here. */
  bytes: number;
  /** What the client hears instead of the server's answer. */
  refusal: string | undefined;
}

export interface CommandReaderOptions {
  /** How many of its first words decide about a command, by its name. */
  needs(name: string): number;
  /** Gives the error where the command does not pass. `words`: as many as it needs. */
  judge(words: readonly string[]): string | undefined;
  /** When all of it has come. */
  read(command: ReadCommand): void;
}

type State = 'start' | 'count' | 'head' | 'word' | 'end' | 'line';

export class CommandReader {
  readonly #options: CommandReaderOptions;
  readonly #words = new KeptWords();
  #state: State = 'start';
  #verdict: 'open' | 'passes' | 'refused' = 'open';
  #refusal: string | undefined;
  #head = '';
  #line: Buffer[] = [];
  #lineSize = 0;
  #left = 0;
  #wordsLeft = 0;
  #needed = 0;
  #bytes = 0;
  #out: Buffer[] = [];
  /** In the piece that is fed: what stands before it has been given out, and where the command begins. */
  #from = 0;
  #began = 0;
  #wrong: { error: Error; sample: Buffer } | undefined;

  constructor(options: CommandReaderOptions) {
    this.#options = options;
  }

  /** From there on nothing is read, and nothing is given out. */
  get wrong(): { error: Error; sample: Buffer } | undefined {
    return this.#wrong;
  }

  feed(piece: Buffer): Buffer {
    if (this.#wrong) return NOTHING;
    [this.#out, this.#from, this.#began] = [[], 0, 0];
    let at = 0;
    try {
      while (at < piece.length) {
        const next = this.#step(piece, at);
        this.#bytes += next - at;
        at = next;
        if (this.#state === 'start') this.#bytes = 0;
      }
    } catch (error) {
      this.#wrong = {
        error: error instanceof Error ? error : new Error(String(error)),
        sample: this.#sample(piece, at),
      };
    }
    if (this.#verdict === 'passes' || this.#state === 'start') this.#give(piece, at);
    else if (this.#verdict === 'open') this.#give(piece, this.#began);
    const [only] = this.#out;
    return this.#out.length === 1 && only ? only : Buffer.concat(this.#out);
  }

  #step(piece: Buffer, at: number): number {
    switch (this.#state) {
      case 'start':
        return this.#begin(piece, at);
      case 'count':
      case 'head':
        return this.#takeHead(piece, at);
      case 'word':
        return this.#takeWord(piece, at);
      case 'end':
        return this.#takeEnd(piece, at);
      case 'line':
        return this.#takeLine(piece, at);
      default:
        return this.#state satisfies never;
    }
  }

  #begin(piece: Buffer, at: number): number {
    this.#state = piece[at] === STAR ? 'count' : 'line';
    this.#verdict = 'open';
    this.#refusal = undefined;
    this.#needed = 0;
    this.#head = '';
    this.#began = at;
    return at;
  }

  /** A number is taken in its one shape only: what others would read into it, nobody here has judged. */
  #takeHead(piece: Buffer, at: number): number {
    if (this.#head === '' && this.#state === 'head' && piece[at] !== DOLLAR)
      throw malformed(`Protocol error: expected '$', got '${shownByte(piece[at] ?? 0)}'`);
    const limit = Math.min(piece.length, at + MAX_HEAD_BYTES);
    let to = at;
    while (to < limit && piece[to] !== NEWLINE) to += 1;
    const isWhole = to < limit;
    if (isWhole) to += 1;
    const number = isWhole && this.#head === '' ? smallNumber(piece, at + 1, to) : undefined;
    if (number !== undefined) {
      this.#takeNumber(piece, number, to);
      return to;
    }
    this.#head += piece.toString('latin1', at, to);
    if (!isWhole && this.#head.length < MAX_HEAD_BYTES) return to;
    const digits = /^.(0|-?[1-9]\d{0,10})\r\n$/.exec(this.#head)?.[1];
    if (digits === undefined)
      throw malformed(`Protocol error: invalid ${this.#state === 'count' ? 'multibulk' : 'bulk'} length`);
    this.#head = '';
    this.#takeNumber(piece, Number(digits), to);
    return to;
  }

  #takeNumber(piece: Buffer, number: number, at: number): void {
    if (this.#state === 'count') this.#beginCommand(piece, number, at);
    else this.#beginWord(piece, number);
  }

  #beginCommand(piece: Buffer, count: number, at: number): void {
    if (count > MAX_WORDS) throw malformed('Protocol error: invalid multibulk length');
    // The server answers nothing to a command of no words.
    if (count <= 0) {
      this.#skip(piece, at);
      return;
    }
    this.#words.begin(count);
    this.#wordsLeft = count;
    this.#state = 'head';
  }

  #beginWord(piece: Buffer, size: number): void {
    if (size < 0 || size > MAX_WORD_BYTES) throw malformed('Protocol error: invalid bulk length');
    this.#words.beginWord(size);
    this.#left = size;
    this.#state = size === 0 ? 'end' : 'word';
    if (this.#verdict === 'open' && this.#words.size + size > MAX_JUDGED_BYTES) this.#refuse(piece, TOO_LONG);
  }

  #takeWord(piece: Buffer, at: number): number {
    const to = Math.min(piece.length, at + this.#left);
    this.#words.add(piece, at, to);
    this.#left -= to - at;
    if (this.#left === 0) this.#state = 'end';
    return to;
  }

  #takeEnd(piece: Buffer, at: number): number {
    // The server looks at neither byte; another that does would find a command where nobody here has seen one.
    if (piece[at] !== (this.#head === '' ? RETURN : NEWLINE))
      throw malformed('Protocol error: a word does not end where it says');
    if (this.#head === '') {
      this.#head = '\r';
      return at + 1;
    }
    this.#head = '';
    this.#words.endWord();
    this.#wordsLeft -= 1;
    this.#state = 'head';
    if (this.#verdict === 'open') this.#judge(piece, at + 1);
    if (this.#wordsLeft === 0) this.#finish(at + 1);
    return at + 1;
  }

  #judge(piece: Buffer, at: number): void {
    const words = this.#words;
    if (this.#needed === 0) {
      this.#needed = Math.min(words.count, this.#options.needs(words.textAt(0).toUpperCase()));
      if (this.#needed > MAX_JUDGED_WORDS) {
        this.#refuse(piece, TOO_LONG);
        return;
      }
    }
    if (words.length < this.#needed) return;
    const refusal = this.#options.judge(words.texts());
    if (refusal !== undefined) {
      this.#refuse(piece, refusal);
      return;
    }
    this.#verdict = 'passes';
    if (this.#bytesBefore(at) === 0) return;
    // Its beginning came in another piece, and was held back.
    this.#out.push(words.encoded());
    this.#from = at;
  }

  /** Of the command that is read, in the pieces before this one. */
  #bytesBefore(at: number): number {
    return this.#bytes + 1 - (at - this.#began);
  }

  #refuse(piece: Buffer, refusal: string): void {
    this.#give(piece, this.#began);
    this.#verdict = 'refused';
    this.#refusal = refusal;
  }

  #finish(at: number): void {
    this.#options.read({ words: this.#words, bytes: this.#bytes + 1, refusal: this.#refusal });
    if (this.#refusal !== undefined) {
      this.#out.push(IN_ITS_PLACE);
      this.#from = at;
    }
    this.#state = 'start';
  }

  #takeLine(piece: Buffer, at: number): number {
    const newline = piece.indexOf(NEWLINE, at);
    const to = newline < 0 ? piece.length : newline + 1;
    this.#lineSize += to - at;
    if (this.#lineSize > MAX_LINE_BYTES) throw malformed('Protocol error: too big inline request');
    // A copy: the piece may be much larger.
    this.#line.push(Buffer.from(piece.subarray(at, to)));
    if (newline >= 0) this.#readLine(piece, Buffer.concat(this.#line), to);
    // A client that sends byte by byte costs no more than another.
    else if (this.#line.length > MAX_LINE_PARTS) this.#line = [Buffer.concat(this.#line)];
    return to;
  }

  #readLine(piece: Buffer, line: Buffer, at: number): void {
    // The server does not see behind a zero.
    const words = line.includes(0) ? undefined : inlineWords(line);
    if (!words) throw malformed('Protocol error: unbalanced quotes in request');
    this.#line = [];
    this.#lineSize = 0;
    if (words.length === 0) {
      this.#skip(piece, at);
      return;
    }
    this.#words.begin(words.length);
    for (const word of words) {
      this.#words.beginWord(word.length);
      this.#words.add(word, 0, word.length);
      this.#words.endWord();
    }
    this.#give(piece, this.#began);
    const needed = this.#options.needs(latin1(words[0] as Buffer).toUpperCase());
    this.#refusal = this.#options.judge(words.slice(0, needed).map(latin1));
    this.#options.read({ words: this.#words, bytes: line.length, refusal: this.#refusal });
    // In the words that were judged: whoever cuts a line otherwise would see others.
    this.#out.push(this.#refusal === undefined ? this.#words.encoded() : IN_ITS_PLACE);
    this.#from = at;
    this.#state = 'start';
  }

  #skip(piece: Buffer, at: number): void {
    this.#give(piece, this.#began);
    this.#from = at;
    this.#state = 'start';
  }

  #give(piece: Buffer, to: number): void {
    if (to <= this.#from) return;
    this.#out.push(piece.subarray(this.#from, to));
    this.#from = to;
  }

  /** Only the first word, where that is whole: what stands behind may be a password. */
  #sample(piece: Buffer, at: number): Buffer {
    if (this.#state === 'count') return Buffer.from(this.#head.slice(0, SAMPLE_BYTES), 'latin1');
    if (this.#state !== 'line')
      return Buffer.from(
        this.#words.length > 0 ? this.#words.at(0).subarray(0, SAMPLE_BYTES) : piece.subarray(at, at + 4),
      );
    const line = Buffer.concat([...this.#line, piece.subarray(at)]).subarray(0, SAMPLE_BYTES);
    const space = line.findIndex((byte) => byte <= 0x20);
    return space < 0 ? line : line.subarray(0, space);
  }
}

/** What most heads have, without a text for each: undefined where it is anything else than one or two digits. */
function smallNumber(piece: Buffer, from: number, to: number): number | undefined {
  const size = to - from - 2;
  const first = (piece[from] as number) - ZERO;
  if (size < 1 || size > 2 || piece[to - 2] !== RETURN || first < 0 || first > 9) return undefined;
  if (size === 1) return first;
  const second = (piece[from + 1] as number) - ZERO;
  return first === 0 || second < 0 || second > 9 ? undefined : 10 * first + second;
}

function latin1(word: Buffer): string {
  return word.toString('latin1');
}

function shownByte(byte: number): string {
  return byte > 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`;
}
