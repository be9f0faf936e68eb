/**
 * Finds the end of a JSON value and reads a few of its own fields on the way, without parsing the rest. Goes on where it
 * stopped when more bytes come. What is nested elsewhere can say what it likes: only fields on the way are read.
 */
import { unfilterable } from './unfilterable.ts';

/** The way to what decides, as `['metadata']`, and the texts that are wanted at each step of it. */
export interface WantedFields {
  path: readonly string[];
  /** By how far the path has been followed; the last is of what it leads to. */
  texts: readonly (readonly string[])[];
}

interface Field {
  key: string;
  bytes: Buffer;
  /** The next step of the path, and not a text. */
  isStep: boolean;
  number: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const OPEN_ARRAY = 0x5b;
const CLOSE_OBJECT = 0x7d;
const CLOSE_ARRAY = 0x5d;
/** Names have 253 characters. What is longer is nobody's name. */
const MAX_TEXT = 4_096;
/** Read again with each piece that comes, so it must be little. */
const MAX_SPACE = 1_024;
/** Bytes of a string that are looked at one by one: a call out of JavaScript takes longer than most strings are. */
const SHORT = 256;

export const NO_FIELDS: WantedFields = { path: [], texts: [] };

export class ValueScan {
  readonly #fields: readonly (readonly Field[])[];
  /** How far from the beginning of the value. */
  #at = 0;
  /** How far the string at `#at` has been searched for its end. */
  #searched = 0;
  #depth = 0;
  /** How much of the path is open here. */
  #open = 0;
  /** What was met, a bit for each field. */
  #met = 0;
  #found: (string | undefined)[] = [];
  /** Where the first step of the path begins and ends, from the beginning of the value. */
  inner: readonly [number, number] = [0, 0];
  /** A field that decides is there twice, or is no text: nobody knows what a reader will take it for. */
  isDoubtful = false;

  constructor({ path, texts }: WantedFields) {
    let number = 0;
    const field = (key: string, isStep: boolean): Field => ({ key, bytes: Buffer.from(key), isStep, number: number++ });
    this.#fields = texts.map((wanted, step) => [
      ...path.slice(step, step + 1).map((key) => field(key, true)),
      ...wanted.map((key) => field(key, false)),
    ]);
  }

  reset(): void {
    this.#at = 0;
    this.#searched = 0;
    this.#depth = 0;
    this.#open = 0;
    this.#met = 0;
    this.#found.length = 0;
    this.inner = [0, 0];
    this.isDoubtful = false;
  }

  /** A text that was wanted, by its step. */
  text(step: number, key: string): string | undefined {
    const field = this.#fields[step]?.find((each) => each.key === key);
    return field && this.#found[field.number];
  }

  /** Where the value that begins at `from` ends, or -1 while it goes on behind `end`. */
  run(bytes: Buffer, from: number, end: number): number {
    const reads = this.#fields.length > 0;
    let at = from + this.#at;
    let depth = this.#depth;
    let readable = reads ? this.#open + 1 : -1;
    let done = -1;
    while (at < end) {
      const byte = bytes[at];
      if (byte === QUOTE) {
        const stop = Math.min(end, at + SHORT);
        let close = at + 1;
        for (; close < stop; close += 1) {
          const inside = bytes[close];
          if (inside === QUOTE) break;
          if (inside === BACKSLASH) close += 1;
        }
        if (close >= stop) {
          close = this.#closing(bytes, at, end, from);
          if (close < 0) break;
          this.#searched = 0;
        }
        if (depth === readable) {
          this.#depth = depth;
          const next = this.#readField(bytes, at, close, end, from);
          if (next < 0) break;
          at = next;
          depth = this.#depth;
          readable = this.#open + 1;
        } else {
          at = close + 1;
          if (depth === 0) {
            done = at;
            break;
          }
        }
      } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
        depth += 1;
        at += 1;
      } else if (depth === 0) {
        // A number or a word ends before what follows it.
        if (byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_ARRAY || isSpace(byte)) {
          done = at;
          break;
        }
        at += 1;
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
        depth -= 1;
        at += 1;
        if (depth === 0) {
          done = at;
          break;
        }
        if (depth === readable - 1) {
          this.#leave(at - from);
          readable -= 1;
        }
      } else at += 1;
    }
    this.#at = at - from;
    this.#depth = depth;
    return done;
  }

  #leave(at: number): void {
    this.#open -= 1;
    if (this.#open === 0) this.inner = [this.inner[0], at];
  }

  /** The quote that ends the string which begins at `at`, or -1. Each byte is looked at once, however small the pieces. */
  #closing(bytes: Buffer, at: number, end: number, from: number): number {
    let close = Math.max(at, from + this.#searched);
    for (;;) {
      close = bytes.indexOf(QUOTE, close + 1);
      if (close < 0 || close >= end) break;
      if (!isEscaped(bytes, close)) return close;
    }
    this.#searched = Math.max(at, end - 1) - from;
    return -1;
  }

  /** Behind a key on the way, or a text that is none; -1 while what must be seen has not come. */
  #readField(bytes: Buffer, at: number, close: number, end: number, from: number): number {
    const colon = skipSpace(bytes, close + 1, end);
    if (colon >= end) return -1;
    if (bytes[colon] !== COLON) return close + 1;
    const field = this.#fieldAt(bytes, at, close);
    if (!field) return colon + 1;
    const value = skipSpace(bytes, colon + 1, end);
    if (value >= end) return -1;
    if (!field.isStep) return this.#readText(bytes, field, value, end);
    this.#meet(field);
    if (bytes[value] !== OPEN_OBJECT) return value;
    if (this.#open === 0) this.inner = [value - from, 0];
    this.#open += 1;
    this.#depth += 1;
    return value + 1;
  }

  #fieldAt(bytes: Buffer, at: number, close: number): Field | undefined {
    const fields = this.#fields[this.#open]!;
    for (let place = at + 1; place < close; place += 1) {
      if (bytes[place] !== BACKSLASH) continue;
      // The same key in another writing.
      const key = readText(bytes, at, close);
      return fields.find((field) => field.key === key);
    }
    for (const field of fields) {
      if (field.bytes.length === close - at - 1 && field.bytes.compare(bytes, at + 1, close) === 0) return field;
    }
    return undefined;
  }

  #readText(bytes: Buffer, field: Field, value: number, end: number): number {
    if (bytes[value] !== QUOTE) {
      this.isDoubtful = true;
      return value;
    }
    let close = bytes.indexOf(QUOTE, value + 1);
    while (close >= 0 && close < end && isEscaped(bytes, close)) close = bytes.indexOf(QUOTE, close + 1);
    const isThere = close >= 0 && close < end;
    if ((isThere ? close : end) - value > MAX_TEXT) {
      this.isDoubtful = true;
      return value;
    }
    if (!isThere) return -1;
    this.#meet(field);
    const text = readText(bytes, value, close);
    if (text === undefined) this.isDoubtful = true;
    this.#found[field.number] = text;
    return close + 1;
  }

  #meet({ number }: Field): void {
    const bit = 1 << number;
    if ((this.#met & bit) !== 0) this.isDoubtful = true;
    this.#met |= bit;
  }
}

function isEscaped(bytes: Buffer, quote: number): boolean {
  let before = quote - 1;
  while (bytes[before] === BACKSLASH) before -= 1;
  return (quote - before) % 2 === 0;
}

/** A string as it is meant, between its quotes. Undefined where it cannot be one. */
function readText(bytes: Buffer, open: number, close: number): string | undefined {
  if (close - open > MAX_TEXT) return undefined;
  const text = bytes.toString('utf8', open + 1, close);
  if (!text.includes('\\')) return text;
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return undefined;
  }
}

export function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

export function skipSpace(bytes: Buffer, from: number, end: number): number {
  let at = from;
  while (at < end && isSpace(bytes[at])) at += 1;
  if (at - from > MAX_SPACE) throw unfilterable('it has more space than anybody writes');
  return at;
}
