/** Lets through of a list, or of a table, the items that may be seen: whole and untouched, each dropped or kept by its own metadata. */
import { ByteWindow } from './byte-window.ts';
import { unfilterable } from './unfilterable.ts';
import { isSpace, NO_FIELDS, ValueScan, type WantedFields } from './value-scan.ts';

export type Allows = (namespace: string, name: string) => boolean;

/** One item is in memory at a time. */
export const MAX_ITEM = 8 * 1024 * 1024;
const MAX_FIELD = 1024 * 1024;

const OBJECT = 0x7b;
const OBJECT_END = 0x7d;
const ARRAY = 0x5b;
const ARRAY_END = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;
const QUOTE = 0x22;

const NAMES = ['namespace', 'name'];
/** Where the items of each stand, and where their metadata is. */
const LISTED: ReadonlyMap<string, WantedFields> = new Map([
  ['items', { path: ['metadata'], texts: [[], NAMES] }],
  ['rows', { path: ['object', 'metadata'], texts: [[], [], NAMES] }],
]);
/** What of the list itself passes. What else a server might say of it could tell of what is not seen. */
const PASSED: ReadonlySet<string> = new Set(['kind', 'apiVersion', 'metadata', 'columnDefinitions']);

type Stage = 'begin' | 'key' | 'colon' | 'value' | 'array' | 'item' | 'end';

export interface ListScanOptions {
  /** Said by a table that has none of its own. */
  columnsBefore?: Buffer | undefined;
  /** What has no name passes: the row of a bookmark. */
  keepsNameless?: boolean;
  /** Says where a list goes on without telling what was not seen. */
  sealContinue?: ((token: string) => string) | undefined;
}

export class ListScan {
  readonly #allows: Allows;
  readonly #window = new ByteWindow();
  readonly #plain = new ValueScan(NO_FIELDS);
  #item = this.#plain;
  #stage: Stage = 'begin';
  #key = '';
  #fields = 0;
  #out: Buffer[] = [];
  kept = 0;
  /** Of a table, as they came; undefined where it has none to tell. */
  columns: Buffer | undefined;
  readonly #columnsBefore: Buffer | undefined;
  readonly #keepsNameless: boolean;
  readonly #sealContinue: ListScanOptions['sealContinue'];

  constructor(allows: Allows, { columnsBefore, keepsNameless = false, sealContinue }: ListScanOptions = {}) {
    this.#allows = allows;
    this.#columnsBefore = columnsBefore;
    this.#keepsNameless = keepsNameless;
    this.#sealContinue = sealContinue;
  }

  /** What passes of what has come. */
  write(chunk: Buffer): Buffer[] {
    this.#window.append(chunk);
    while (this.#step()) {
      // Until more is needed.
    }
    if (this.#window.length > MAX_ITEM) throw unfilterable(`one item has more than ${MAX_ITEM / 1024 / 1024} MiB`);
    const out = this.#out;
    this.#out = [];
    return out;
  }

  finish(): void {
    if (this.#stage !== 'end') throw unfilterable('the list breaks off');
  }

  /** False when nothing can be said without more bytes. */
  #step(): boolean {
    const { bytes, end } = this.#window;
    if (this.#stage === 'item') return this.#readItem(bytes, end);
    if (this.#stage === 'value') return this.#readValue(bytes, end);
    let { start } = this.#window;
    while (start < end && isSpace(bytes[start])) start += 1;
    this.#window.start = start;
    if (start === end) return false;
    switch (this.#stage) {
      case 'begin':
        if (bytes[start] !== OBJECT) throw unfilterable('it is no list');
        this.#emit('{');
        return this.#goOn('key', 1);
      case 'key':
        return this.#readKey(bytes, start, end);
      case 'colon':
        if (bytes[start] !== COLON) throw unfilterable('its fields cannot be told apart');
        this.#plain.reset();
        return this.#goOn('value', 1);
      case 'array':
        return this.#readArray(bytes, start);
      default:
        throw unfilterable('something follows the list');
    }
  }

  #readKey(bytes: Buffer, start: number, end: number): boolean {
    if (bytes[start] === COMMA) return this.#goOn('key', 1);
    if (bytes[start] === OBJECT_END) {
      this.#finishFields();
      return this.#goOn('end', 1);
    }
    if (bytes[start] !== QUOTE) throw unfilterable('its fields cannot be told apart');
    const after = this.#plain.run(bytes, start, end);
    if (after < 0) return false;
    this.#plain.reset();
    // Escapes in a key of ours would be strange: it is another key then, and does not pass.
    this.#key = bytes.toString('latin1', start + 1, Math.min(after - 1, start + 64));
    return this.#goOn('colon', after - start);
  }

  #readValue(bytes: Buffer, end: number): boolean {
    let { start } = this.#window;
    while (start < end && isSpace(bytes[start])) start += 1;
    this.#window.start = start;
    if (start === end) return false;
    const listed = LISTED.get(this.#key);
    if (listed && bytes[start] === ARRAY) {
      this.#item = new ValueScan(listed);
      this.#field(this.#key);
      this.#emit('[');
      this.kept = 0;
      return this.#goOn('array', 1);
    }
    const after = this.#plain.run(bytes, start, end);
    if (after < 0) {
      if (end - start > MAX_FIELD && PASSED.has(this.#key)) throw unfilterable(`its ${this.#key} has no end`);
      return false;
    }
    this.#plain.reset();
    this.#passField(bytes.subarray(start, after));
    return this.#goOn('key', after - start);
  }

  #passField(value: Buffer): void {
    const isNull = value.length === 4 && value.toString('latin1') === 'null';
    if (LISTED.has(this.#key)) {
      // A server may say null of an empty list; a list that is something else is none.
      if (!isNull) throw unfilterable(`its ${this.#key} are no list`);
    } else if (!PASSED.has(this.#key)) return;
    else if (this.#key === 'columnDefinitions') {
      if (!isNull && value.length > 2) this.columns = value;
      else if (this.#columnsBefore) return;
    }
    this.#field(this.#key);
    if (this.#key === 'metadata') this.#emit(aboutList(value, this.#sealContinue));
    else this.#out.push(value);
  }

  #readArray(bytes: Buffer, start: number): boolean {
    if (bytes[start] === COMMA) return this.#goOn('array', 1);
    if (bytes[start] === ARRAY_END) {
      this.#emit(']');
      return this.#goOn('key', 1);
    }
    if (bytes[start] !== OBJECT) throw unfilterable('its items are no objects');
    this.#item.reset();
    return this.#goOn('item', 0);
  }

  #readItem(bytes: Buffer, end: number): boolean {
    const { start } = this.#window;
    const after = this.#item.run(bytes, start, end);
    if (after < 0) return false;
    if (!this.#item.isDoubtful && this.#mayPass(this.#key === 'items' ? 1 : 2)) {
      this.#keep(bytes, start, after);
      this.kept += 1;
    }
    return this.#goOn('array', after - start);
  }

  #mayPass(step: number): boolean {
    const name = this.#item.text(step, 'name') ?? '';
    return name === '' ? this.#keepsNameless : this.#allows(this.#item.text(step, 'namespace') ?? '', name);
  }

  /** Items that lie beside each other go out as one piece. */
  #keep(bytes: Buffer, start: number, after: number): void {
    const last = this.#out.at(-1);
    const isBeside =
      this.kept > 0 &&
      last !== undefined &&
      last.buffer === bytes.buffer &&
      last.byteOffset + last.length === bytes.byteOffset + start - 1 &&
      bytes[start - 1] === COMMA;
    if (isBeside) {
      const from = last.byteOffset - bytes.byteOffset;
      this.#out[this.#out.length - 1] = bytes.subarray(from, after);
      return;
    }
    if (this.kept > 0) this.#emit(',');
    this.#out.push(bytes.subarray(start, after));
  }

  #finishFields(): void {
    if (this.#columnsBefore && !this.columns) {
      this.#field('columnDefinitions');
      this.#out.push(this.#columnsBefore);
    }
    this.#emit('}');
  }

  #field(key: string): void {
    this.#emit(`${this.#fields === 0 ? '' : ','}"${key}":`);
    this.#fields += 1;
  }

  #emit(text: string): void {
    this.#out.push(Buffer.from(text));
  }

  #goOn(stage: Stage, bytes: number): true {
    this.#stage = stage;
    this.#window.start += bytes;
    return true;
  }
}

/** How many are left tells how many are not seen, and where it goes on the name of the last one. */
function aboutList(value: Buffer, sealContinue: ListScanOptions['sealContinue']): string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(value.toString());
  } catch {
    throw unfilterable('its metadata cannot be read');
  }
  if (typeof parsed !== 'object' || parsed === null) return '{}';
  const { remainingItemCount: _, continue: next, ...rest } = parsed as Record<string, unknown>;
  if (typeof next !== 'string' || next === '') return JSON.stringify(rest);
  return JSON.stringify({ ...rest, continue: sealContinue ? sealContinue(next) : next });
}
