/** Reads the beginning of a Redis server's answer as rows of text: values of lists, pairs of maps, and what is nested in them as one text. */
import { KeptRows, MAX_CELL_CHARACTERS, shownCell } from '../kept-rows.ts';
import type { RowSample } from '../statement.ts';

/** Of what is nested: deeper than that, nobody reads it. */
const MAX_SHOWN_DEPTH = 32;
/** Before a text that says of which form it is: `txt:`. */
const FORM_BYTES = 4;
const CUT = '…';
const LINE_END = Buffer.from('\r\n');

/** Thrown inside, where no more of the answer is kept. */
class Ended extends Error {}

/** `beginning`: of an answer that was read and is one, as far as it is kept; it had so many bytes. */
export function sampleReply(beginning: Buffer, bytes: number): RowSample | undefined {
  const rows = new KeptRows();
  let isCut = beginning.length < bytes;
  try {
    new ReplyRows(beginning, rows).read();
  } catch (error) {
    if (!(error instanceof Ended)) throw error;
    isCut = true;
  }
  const sample = rows.take();
  return sample && { ...sample, isCut: isCut || sample.isCut };
}

/** What a value begins with. `text`: nothing where it is null; `count`: how many values a list has, or pairs a map. */
type Head =
  | { is: 'text'; text: string | null; isQuoted: boolean; isWhole: boolean }
  | { is: 'list' | 'map'; count: number };

class ReplyRows {
  readonly #bytes: Buffer;
  readonly #rows: KeptRows;
  #at = 0;

  constructor(bytes: Buffer, rows: KeptRows) {
    this.#bytes = bytes;
    this.#rows = rows;
  }

  read(): void {
    const head = this.#head();
    this.#rows.columns(head.is === 'map' ? ['key', 'value'] : ['value']);
    if (head.is === 'text') {
      this.#rows.row(() => [head.text], head.isWhole);
      return;
    }
    for (let index = 0; index < head.count && !this.#rows.isFull; index += 1) this.#row(head.is === 'map' ? 2 : 1);
  }

  /** A row whose end is not kept is shown as far as it is. */
  #row(values: number): void {
    const cells: (string | null)[] = [];
    let isWhole = true;
    for (let index = 0; index < values && isWhole; index += 1) {
      const cell = new CellText();
      isWhole = this.#cell(cell);
      if (isWhole || !cell.isEmpty) cells.push(cell.take());
    }
    if (cells.length > 0) this.#rows.row(() => cells, isWhole);
    if (!isWhole) throw new Ended();
  }

  /** Whether all of it is kept. */
  #cell(cell: CellText): boolean {
    try {
      const head = this.#head();
      if (head.is !== 'text') {
        this.#nested(head, cell, 1);
        return true;
      }
      cell.only(head.text);
      return head.isWhole;
    } catch (error) {
      if (error instanceof Ended) return false;
      throw error;
    }
  }

  #nested(head: Head, cell: CellText, depth: number): void {
    if (head.is === 'text') {
      cell.put(head.text === null ? 'null' : head.isQuoted ? JSON.stringify(head.text) : head.text);
      if (!head.isWhole) throw new Ended();
      return;
    }
    const isMap = head.is === 'map';
    const isShown = depth <= MAX_SHOWN_DEPTH;
    if (isShown) cell.put(isMap ? '{' : '[');
    else cell.cut();
    // What is not shown is read all the same: the next row begins behind it.
    for (let index = 0; index < head.count; index += 1) {
      if (index > 0) cell.put(', ');
      this.#nested(this.#head(), cell, depth + 1);
      if (!isMap) continue;
      cell.put(': ');
      this.#nested(this.#head(), cell, depth + 1);
    }
    if (isShown) cell.put(isMap ? '}' : ']');
  }

  #head(): Head {
    for (;;) {
      const sign = String.fromCharCode(this.#bytes[this.#at] ?? 0);
      const line = this.#line();
      const number = Number(line.toString('latin1'));
      switch (sign) {
        case '$':
        case '=':
        case '!':
          return this.#text(sign, number);
        case '*':
        case '~':
          return number < 0 ? NULL : { is: 'list', count: number };
        case '%':
          return { is: 'map', count: number };
        case '>':
          // As an answer of its own it is nobody's; inside one, it is no value of it.
          this.#pass(number);
          break;
        case '|':
          this.#pass(2 * number);
          break;
        default:
          return lineValue(sign, line);
      }
    }
  }

  #line(): Buffer {
    const end = this.#bytes.indexOf(LINE_END, this.#at);
    if (end < 0) throw new Ended();
    const line = this.#bytes.subarray(this.#at + 1, end);
    this.#at = end + LINE_END.length;
    return line;
  }

  #text(sign: string, size: number): Head {
    if (size < 0) return NULL;
    const isWhole = this.#at + size <= this.#bytes.length;
    const from = sign === '=' ? this.#at + Math.min(FORM_BYTES, size) : this.#at;
    const text = shownCell(this.#bytes.subarray(from, this.#at + size));
    this.#at += size + LINE_END.length;
    return { is: 'text', text: sign === '!' ? shownError(text) : text, isQuoted: true, isWhole };
  }

  #pass(values: number): void {
    for (let left = values; left > 0; left -= 1) {
      const head = this.#head();
      if (head.is === 'text' && !head.isWhole) throw new Ended();
      if (head.is !== 'text') left += head.is === 'map' ? 2 * head.count : head.count;
    }
  }
}

/** One cell, as long as somebody reads. */
class CellText {
  #text = '';
  #isNull = false;
  #isCut = false;

  get isEmpty(): boolean {
    return this.#text === '';
  }

  only(text: string | null): void {
    this.#isNull = text === null;
    this.#text = text ?? '';
  }

  put(text: string): void {
    if (this.#isCut) return;
    this.#text += text.slice(0, MAX_CELL_CHARACTERS);
    if (this.#text.length > MAX_CELL_CHARACTERS) this.cut();
  }

  cut(): void {
    if (!this.#isCut) this.#text = `${this.#text.slice(0, MAX_CELL_CHARACTERS - CUT.length)}${CUT}`;
    this.#isCut = true;
  }

  take(): string | null {
    return this.#isNull ? null : this.#text;
  }
}

const NULL: Head = { is: 'text', text: null, isQuoted: false, isWhole: true };

function lineValue(sign: string, line: Buffer): Head {
  const text = shownCell(line);
  if (sign === '_') return NULL;
  if (sign === '#') return { is: 'text', text: text === 't' ? 'true' : 'false', isQuoted: false, isWhole: true };
  const isText = sign === '+' || sign === '-';
  return { is: 'text', text: sign === '-' ? shownError(text) : text, isQuoted: isText, isWhole: true };
}

/** Among values, it is told from a text that reads so. */
function shownError(text: string): string {
  return `(error) ${text}`;
}
