/** Reads what people write for MongoDB: JSON, Extended JSON, and the looser form of its shell. It is parsed and never evaluated. */
import { called, extended, numeral, regex, WrongValue } from './mongo-types.ts';
import { MAX_MONGO_DEPTH, type MongoField, type MongoValue } from './mongo-value.ts';

/** `position`: in characters, from 0. */
export class MongoTextError extends Error {
  readonly position: number;
  constructor(message: string, position: number) {
    super(message);
    this.name = 'MongoTextError';
    this.position = position;
  }
}

/** Where the value of a field stands in the text. */
export interface PlacedField extends MongoField {
  from: number;
  to: number;
}

const SPACE = /(?:[\s\ufeff]+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
const WORD = /[\p{L}_$][\p{L}\p{N}_$]*/uy;
const NUMBER = /[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|Infinity|NaN)/y;
const REGEX = /\/((?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([a-z]*)/y;
const PLAIN: Readonly<Record<'"' | "'", RegExp>> = { '"': /[^"\\\n]*/y, "'": /[^'\\\n]*/y };
const ESCAPES: Readonly<Record<string, string>> = {
  ...{ n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v', '0': '\0' },
  ...{ '\\': '\\', '/': '/', "'": "'", '"': '"' },
};

/** Throws MongoTextError. */
export function readMongo(text: string): MongoValue {
  const reader = new Reader(text);
  const value = reader.value(0);
  reader.end();
  return value;
}

/** The fields of the document that the text is. Throws MongoTextError. */
export function readFields(text: string): PlacedField[] {
  const reader = new Reader(text);
  const fields = reader.fields(0);
  reader.end();
  return fields;
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  end(): void {
    this.#skip();
    if (this.#at < this.#text.length) this.#fail(`'${this.#next()}' is too much: it was at its end`);
  }

  value(depth: number): MongoValue {
    this.#skip();
    const from = this.#at;
    const next = this.#next();
    if (next === '{')
      return this.#typed(from, () => extended({ is: 'document', fields: this.fields(depth).map(unplaced) }));
    if (next === '[') return { is: 'array', values: this.#list('[', ']', depth) };
    if (next === '"' || next === "'") return { is: 'text', text: this.#quoted(next) };
    const number = this.#match(NUMBER);
    if (number) return this.#typed(from, () => numeral(number[0]));
    const pattern = next === '/' ? this.#match(REGEX) : undefined;
    if (pattern) return this.#typed(from, () => regex(pattern[1] ?? '', pattern[2] ?? ''));
    return this.#word(from, depth);
  }

  fields(depth: number): PlacedField[] {
    this.#open('{', depth);
    const fields: PlacedField[] = [];
    for (;;) {
      this.#skip();
      if (this.#take('}')) return fields;
      const name = this.#name();
      this.#skip();
      if (!this.#take(':')) this.#fail(`':' is missing behind the name '${name}'`);
      this.#skip();
      const from = this.#at;
      const value = this.value(depth + 1);
      fields.push({ name, value, from, to: this.#at });
      this.#skip();
      if (!this.#take(',') && this.#next() !== '}') this.#fail("',' or '}' is missing");
    }
  }

  #list(open: string, close: string, depth: number): MongoValue[] {
    this.#open(open, depth);
    const values: MongoValue[] = [];
    for (;;) {
      this.#skip();
      if (this.#take(close)) return values;
      values.push(this.value(depth + 1));
      this.#skip();
      if (!this.#take(',') && this.#next() !== close) this.#fail(`',' or '${close}' is missing`);
    }
  }

  #open(bracket: string, depth: number): void {
    this.#skip();
    if (depth > MAX_MONGO_DEPTH) this.#fail(`it has more than ${MAX_MONGO_DEPTH} levels`);
    if (!this.#take(bracket)) this.#fail(`'${bracket}' is missing`);
  }

  #name(): string {
    const next = this.#next();
    const name = next === '"' || next === "'" ? this.#quoted(next) : (this.#match(WORD) ?? this.#match(/\d+/y))?.[0];
    if (name === undefined) this.#fail('the name of a field is missing');
    if (name.includes('\0')) this.#fail('the name of a field cannot hold a zero');
    return name;
  }

  #word(from: number, depth: number): MongoValue {
    const word = this.#match(WORD)?.[0];
    if (word === undefined) this.#fail(this.#at < this.#text.length ? 'a value is missing here' : 'it ends too early');
    if (word === 'true' || word === 'false') return { is: 'bool', value: word === 'true' };
    if (word === 'null' || word === 'undefined') return { is: word };
    if (word === 'new') {
      this.#skip();
      return this.#word(from, depth);
    }
    this.#skip();
    if (this.#next() !== '(') {
      if (word === 'MinKey' || word === 'MaxKey') return { is: word === 'MinKey' ? 'minKey' : 'maxKey' };
      this.#at = from;
      this.#fail(`'${word}' is no value: a text stands between quotes`);
    }
    const given = this.#list('(', ')', depth);
    return this.#typed(from, () => called(word, given));
  }

  #quoted(quote: '"' | "'"): string {
    const from = this.#at;
    this.#at += 1;
    let text = '';
    for (;;) {
      text += this.#match(PLAIN[quote])?.[0] ?? '';
      if (this.#take(quote)) return text;
      if (!this.#take('\\')) {
        this.#at = from;
        this.#fail('a quote does not end on its line');
      }
      text += this.#escape();
    }
  }

  #escape(): string {
    const code = this.#match(/u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})/y);
    if (code) {
      const point = Number.parseInt(code[1] ?? code[2] ?? code[3] ?? '', 16);
      if (point > 0x10ffff) this.#fail('there is no such character');
      return code[1] === undefined ? String.fromCharCode(point) : String.fromCodePoint(point);
    }
    const escaped = ESCAPES[this.#next()];
    if (escaped === undefined) this.#fail(`'\\${this.#next()}' is no escape`);
    this.#at += 1;
    return escaped;
  }

  /** What is wrong with a value is said where it begins. */
  #typed(from: number, read: () => MongoValue): MongoValue {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof WrongValue)) throw error;
      throw new MongoTextError(error.message, from);
    }
  }

  #skip(): void {
    this.#match(SPACE);
  }

  #next(): string {
    return this.#text[this.#at] ?? '';
  }

  #take(character: string): boolean {
    if (this.#next() !== character) return false;
    this.#at += 1;
    return true;
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (!found) return undefined;
    this.#at = pattern.lastIndex;
    return found;
  }

  #fail(message: string): never {
    throw new MongoTextError(message, this.#at);
  }
}

function unplaced({ name, value }: PlacedField): MongoField {
  return { name, value };
}
