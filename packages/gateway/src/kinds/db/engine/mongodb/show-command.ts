/** A command as the audit log has it: relaxed Extended JSON, as much of it as there is room for, without passwords. */
import { BSON } from './bson.ts';
import { isSecretField } from './secret-fields.ts';

const MAX_DEPTH = 32;
const MAX_BINARY_BYTES = 64;
/** Drivers add them to every command, and they say nothing of what is done. */
const UNTOLD: ReadonlySet<string> = new Set(['lsid', '$clusterTime', 'signature']);
const CUT = '…';

/** Thrown inside, where there is no more room, or no more bytes. */
class Enough extends Error {}

export interface ShownCommand {
  text: string;
  hasSecret: boolean;
  /** Whether all of it is there. */
  isWhole: boolean;
}

interface CommandBytes {
  /** The beginning of it, where it is long. */
  body: Buffer;
  lists: readonly { name: string; documents: Buffer }[];
}

export function showCommand({ body, lists }: CommandBytes, room: number): ShownCommand {
  const writer = new JsonWriter(room);
  try {
    writer.command(body, lists);
    return { text: writer.text, hasSecret: writer.hasSecret, isWhole: true };
  } catch (error) {
    // Bytes that no document has are shown as far as they are one: whoever reads them decides what they are.
    if (!(error instanceof Enough || error instanceof RangeError)) throw error;
    return { text: `${writer.text}${CUT}`, hasSecret: writer.hasSecret, isWhole: false };
  }
}

/** What people keep: nothing of it is hidden. `bytes`: the beginning of it, where it is long. */
export function showDocument(bytes: Buffer, room: number): string {
  const writer = new JsonWriter(room);
  try {
    writer.document(bytes);
    return writer.text;
  } catch (error) {
    if (!(error instanceof Enough || error instanceof RangeError)) throw error;
    return `${writer.text}${CUT}`;
  }
}

class JsonWriter {
  text = '';
  hasSecret = false;
  #room: number;
  #name = '';

  constructor(room: number) {
    this.#room = room;
  }

  command(body: Buffer, lists: CommandBytes['lists']): void {
    this.#put('{');
    const count = this.#elements(body, 0, { depth: 0, isArray: false });
    for (const [at, { name, documents }] of lists.entries()) {
      this.#put(`${count + at > 0 ? ', ' : ''}${JSON.stringify(name)}: [`);
      for (let from = 0, n = 0; from < documents.length; n++) {
        if (n > 0) this.#put(', ');
        from += this.#document(documents, from, { depth: 1, isArray: false });
      }
      this.#put(']');
    }
    this.#put('}');
  }

  document(bytes: Buffer): void {
    this.#document(bytes, 0, { depth: 1, isArray: false });
  }

  #put(text: string): void {
    if (text.length > this.#room) {
      this.text += text.slice(0, this.#room);
      throw new Enough();
    }
    this.#room -= text.length;
    this.text += text;
  }

  #document(bytes: Buffer, at: number, level: { depth: number; isArray: boolean }): number {
    if (level.depth > MAX_DEPTH) throw new Enough();
    this.#put(level.isArray ? '[' : '{');
    this.#elements(bytes, at, level);
    this.#put(level.isArray ? ']' : '}');
    return Math.max(bytes.readInt32LE(at), 1);
  }

  #elements(bytes: Buffer, start: number, { depth, isArray }: { depth: number; isArray: boolean }): number {
    const end = start + bytes.readInt32LE(start) - 1;
    let written = 0;
    for (let at = start + 4; at < end; ) {
      const type = bytes[at] ?? 0;
      const stop = bytes.indexOf(0, at + 1);
      if (stop < 0) throw new Enough();
      const name = bytes.toString('utf8', at + 1, stop);
      if (depth === 0 && this.#name === '') this.#name = name.toLowerCase();
      const isHidden = depth === 0 && UNTOLD.has(name);
      if (!isHidden && written++ > 0) this.#put(', ');
      if (!isHidden && !isArray) this.#put(`${JSON.stringify(name)}: `);
      // What is explained is a command by itself.
      const isField = depth === 0 || (depth === 1 && !isArray && this.#name === 'explain');
      const isSecret = isField && name.toLowerCase() !== this.#name && isSecretField(this.#name, name);
      if (isSecret) {
        this.hasSecret = true;
        this.#put('"***"');
      }
      at = stop + 1 + this.#value(type, bytes, stop + 1, depth, isHidden || isSecret);
    }
    return written;
  }

  /** Gives how many bytes it takes. */
  #value(type: number, bytes: Buffer, at: number, depth: number, isSilent: boolean): number {
    const put = (text: string) => {
      if (!isSilent) this.#put(text);
    };
    switch (type) {
      case BSON.document:
      case BSON.array:
        if (isSilent) return Math.max(bytes.readInt32LE(at), 1);
        return this.#document(bytes, at, { depth: depth + 1, isArray: type === BSON.array });
      case BSON.string:
      case BSON.symbol:
      case BSON.code: {
        const length = Math.max(bytes.readInt32LE(at), 1);
        // A long one is cut before it is made a text.
        const shown = bytes.toString('utf8', at + 4, Math.min(at + 4 + length - 1, at + 4 + this.#room * 4));
        const text = JSON.stringify(shown);
        put(type === BSON.string ? text : `{"$${type === BSON.code ? 'code' : 'symbol'}": ${text}}`);
        return 4 + length;
      }
      case BSON.double: {
        const number = bytes.readDoubleLE(at);
        put(Number.isFinite(number) ? String(number) : `{"$numberDouble": "${number}"}`);
        return 8;
      }
      case BSON.int32:
        put(String(bytes.readInt32LE(at)));
        return 4;
      case BSON.int64:
        put(String(bytes.readBigInt64LE(at)));
        return 8;
      case BSON.boolean:
        put(bytes.readUInt8(at) ? 'true' : 'false');
        return 1;
      case BSON.objectId:
        put(`{"$oid": "${bytes.toString('hex', at, at + 12)}"}`);
        return 12;
      case BSON.date:
        put(`{"$date": ${dateOf(bytes.readBigInt64LE(at))}}`);
        return 8;
      case BSON.timestamp:
        put(`{"$timestamp": {"t": ${bytes.readUInt32LE(at + 4)}, "i": ${bytes.readUInt32LE(at)}}}`);
        return 8;
      case BSON.decimal:
        put(`{"$numberDecimalBytes": "${bytes.toString('hex', at, at + 16)}"}`);
        return 16;
      case BSON.binary: {
        const length = Math.max(bytes.readInt32LE(at), 0);
        const shown = bytes.subarray(at + 5, at + 5 + Math.min(length, MAX_BINARY_BYTES)).toString('base64');
        const cut = length > MAX_BINARY_BYTES ? CUT : '';
        put(`{"$binary": {"base64": "${shown}${cut}", "subType": "${bytes.readUInt8(at + 4).toString(16)}"}}`);
        return 5 + length;
      }
      case BSON.regex: {
        const first = bytes.indexOf(0, at);
        const second = first < 0 ? -1 : bytes.indexOf(0, first + 1);
        if (second < 0) throw new Enough();
        const [pattern, options] = [bytes.toString('utf8', at, first), bytes.toString('utf8', first + 1, second)];
        put(`{"$regularExpression": {"pattern": ${JSON.stringify(pattern)}, "options": ${JSON.stringify(options)}}}`);
        return second + 1 - at;
      }
      case BSON.null:
        put('null');
        return 0;
      case BSON.undefined:
        put('{"$undefined": true}');
        return 0;
      case BSON.minKey:
        put('{"$minKey": 1}');
        return 0;
      case BSON.maxKey:
        put('{"$maxKey": 1}');
        return 0;
      default:
        // Of the others only how long they are matters: nobody writes them any more.
        put('{"$unknown": true}');
        if (type === BSON.codeWithScope) return Math.max(bytes.readInt32LE(at), 1);
        if (type === BSON.pointer) return 16 + Math.max(bytes.readInt32LE(at), 1);
        throw new Enough();
    }
  }
}

function dateOf(milliseconds: bigint): string {
  const date = new Date(Number(milliseconds));
  const year = date.getUTCFullYear();
  return year >= 1970 && year <= 9999 ? JSON.stringify(date.toISOString()) : `{"$numberLong": "${milliseconds}"}`;
}
