/** What a client asks a PostgreSQL server, from its messages. */
import { malformed } from '../db-failure.ts';
import { type Masked, maskSecrets } from '../mask-secrets.ts';
import { MAX_BINARY_BYTES, MAX_VALUE_CHARACTERS, MAX_VALUES, type StatementText } from '../statement.ts';
import type { ReadMessage } from './message-reader.ts';

const MAX_NAME_CHARACTERS = 256;

export type ClientRequest =
  | { what: 'query'; query: StatementText }
  | { what: 'parse'; statement: string; query: StatementText }
  | { what: 'bind'; statement: string; portal: string; values: readonly string[] }
  | { what: 'execute'; portal: string }
  | { what: 'close'; statement: string; portal: string }
  | { what: 'function'; oid: number; values: readonly string[] }
  | { what: 'describe' }
  | { what: 'sync' }
  /** Of what the client copies to the server: done, or given up. */
  | { what: 'copyEnd' };

/** `standardStrings` as the server has told it last: it decides where a text ends. */
export function readRequest({ type, body, length, text }: ReadMessage, standardStrings: boolean): ClientRequest {
  const reader = new BodyReader(body, body.length < length);
  if (type === 'Q') return { what: 'query', query: reader.statement(text, length - 1, standardStrings) };
  if (type === 'P') {
    const statement = reader.name();
    // Behind the text stand the types of its values.
    return { what: 'parse', statement, query: reader.statement(text, undefined, standardStrings) };
  }
  if (type === 'B') {
    const portal = reader.name();
    return { what: 'bind', portal, statement: reader.name(), values: reader.values() };
  }
  if (type === 'E') return { what: 'execute', portal: reader.name() };
  if (type === 'C') {
    const isPortal = reader.byte() === 'P';
    const name = reader.name();
    return { what: 'close', portal: isPortal ? name : '', statement: isPortal ? '' : name };
  }
  if (type === 'F') return { what: 'function', oid: reader.number(), values: reader.values() };
  if (type === 'S') return { what: 'sync' };
  if (type === 'c' || type === 'f') return { what: 'copyEnd' };
  return { what: 'describe' };
}

class BodyReader {
  readonly #body: Buffer;
  /** More came than is kept: what ends there is no mistake of the client. */
  readonly #isCut: boolean;
  #at = 0;

  constructor(body: Buffer, isCut: boolean) {
    this.#body = body;
    this.#isCut = isCut;
  }

  byte(): string {
    const [byte = 0] = this.#take(1);
    return String.fromCharCode(byte);
  }

  number(): number {
    const bytes = this.#take(4);
    return bytes.length === 4 ? bytes.readUInt32BE(0) : 0;
  }

  /** The server itself tells names apart by less. */
  name(): string {
    return this.text().slice(0, MAX_NAME_CHARACTERS);
  }

  text(): string {
    const from = this.#at;
    // As most names are: the rest of it is asked of the machine, which takes longer.
    if (this.#body[from] === 0) {
      this.#at += 1;
      return '';
    }
    const end = this.#body.indexOf(0, from);
    if (end < 0 && !this.#isCut) throw malformed('a text in a message does not end');
    this.#at = end < 0 ? this.#body.length : end + 1;
    return this.#body.toString('utf8', from, end < 0 ? this.#body.length : end);
  }

  /** `whole`: its hash and size where not all of it was kept; `size`: where the text is all that the message has. */
  statement(
    whole: { sha256: string; length: number } | undefined,
    size: number | undefined,
    standardStrings: boolean,
  ): StatementText {
    const from = this.#at;
    const { text, hasSecret }: Masked = maskSecrets(this.text(), { backslashes: !standardStrings, isMysql: false });
    const length = whole?.length ?? size ?? this.#at - 1 - from;
    if (hasSecret) return { text, length, hasSecret };
    return whole ? { text, length, sha256: whole.sha256 } : { text, length };
  }

  /** Formats, then the values, each with its length. */
  values(): readonly string[] {
    const formats: boolean[] = [];
    for (let left = this.#short(); left > 0 && this.#has(2); left -= 1) formats.push(this.#short() === 1);
    const count = this.#short();
    const values: string[] = [];
    for (let index = 0; index < count && index < MAX_VALUES && this.#has(4); index += 1) {
      const size = this.#body.readInt32BE(this.#at);
      this.#at += 4;
      const isBinary = formats[formats.length > 1 ? index : 0] ?? false;
      values.push(size < 0 ? 'NULL' : shown(this.#take(size), isBinary));
    }
    if (values.length < count) values.push('…');
    return values;
  }

  #short(): number {
    if (!this.#has(2)) {
      this.#take(2);
      return 0;
    }
    this.#at += 2;
    return this.#body.readUInt16BE(this.#at - 2);
  }

  #has(size: number): boolean {
    return this.#at + size <= this.#body.length;
  }

  #take(size: number): Buffer {
    if (!this.#has(size) && !this.#isCut) throw malformed('a message is shorter than what it says is in it');
    const bytes = this.#body.subarray(this.#at, this.#at + size);
    this.#at += bytes.length;
    return bytes;
  }
}

function shown(bytes: Buffer, isBinary: boolean): string {
  if (isBinary) return `\\x${bytes.toString('hex', 0, Math.min(bytes.length, MAX_BINARY_BYTES))}`;
  // Four bytes a character at most: the rest need not be read.
  return bytes.toString('utf8', 0, Math.min(bytes.length, 4 * MAX_VALUE_CHARACTERS)).slice(0, MAX_VALUE_CHARACTERS);
}
