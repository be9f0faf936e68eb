/**
 * Directory sharing as the wire has it (messages 11 to 26): the gateway asks, the page that shares a directory answers. Integers are
 * big endian, texts have their length before them. Both sides take what the other sends for hostile: what is cut short, longer than
 * may be, or followed by more throws `BrokenMessage`.
 */

export const DIRECTORY = {
  announce: 11,
  acknowledge: 12,
  info: 13,
  create: 15,
  delete: 17,
  read: 19,
  write: 21,
  move: 23,
  list: 25,
} as const;

/** What is read or written at once. */
export const MAX_PIECE_BYTES = 1024 * 1024;
export const MAX_PATH_BYTES = 10_240;
export const MAX_DIRECTORY_NAME_BYTES = 256;
/** In one directory. */
export const MAX_LISTED_FILES = 10_000;
/** As pages number the one directory that they share. */
export const SHARED_DIRECTORY = 2;

export const DIRECTORY_ERROR = { none: 0, failed: 1, absent: 2, exists: 3 } as const;

/** `path` is relative to what is shared, with slashes; empty for the directory itself. */
export interface SharedFile {
  path: string;
  /** Milliseconds since 1970. */
  modified: number;
  size: number;
  isDirectory: boolean;
  isEmpty: boolean;
}

interface RequestHead {
  id: number;
  directory: number;
}

export type DirectoryRequest = RequestHead &
  (
    | { type: 'info' | 'delete' | 'list'; path: string }
    | { type: 'create'; path: string; isDirectory: boolean }
    | { type: 'read'; path: string; offset: number; length: number }
    | { type: 'write'; path: string; offset: number; bytes: Uint8Array }
    | { type: 'move'; path: string; to: string }
  );

/** Where `error` is not 0 the rest says nothing. */
export type DirectoryAnswer = { id: number; error: number } & (
  | { type: 'info' | 'create'; file: SharedFile }
  | { type: 'delete' | 'move' }
  | { type: 'read'; bytes: Uint8Array }
  | { type: 'write'; written: number }
  | { type: 'list'; files: readonly SharedFile[] }
);

/** Browsers and Node have them alike; nothing else of theirs is known here. */
declare const TextEncoder: new () => { encode(text: string): Uint8Array };
declare const TextDecoder: new (
  label: 'utf-8',
  options: { fatal: boolean; ignoreBOM: boolean },
) => { decode(bytes: Uint8Array): string };
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export const NO_FILE: SharedFile = { path: '', modified: 0, size: 0, isDirectory: false, isEmpty: true };

export class BrokenMessage extends Error {}

/** What the page says: that it shares a directory, and its answers. */
export type FromPage =
  | { type: 'announce'; directory: number; name: string }
  | { type: 'answer'; answer: DirectoryAnswer };

/** The number of what an answer answers, without reading the rest of it. Undefined: it is no answer. */
export function answeredId(bytes: Uint8Array): number | undefined {
  const fields = new Fields(bytes);
  return fields.u8() === DIRECTORY.announce ? undefined : fields.u32();
}

export function readFromPage(bytes: Uint8Array): FromPage {
  const fields = new Fields(bytes);
  const type = fields.u8();
  if (type === DIRECTORY.announce) {
    fields.u32();
    const announced = { directory: fields.u32(), name: fields.text(MAX_DIRECTORY_NAME_BYTES) };
    fields.end();
    return { type: 'announce', ...announced };
  }
  const answer = readAnswer(type - 1, fields);
  fields.end();
  return { type: 'answer', answer };
}

function readAnswer(asked: number, fields: Fields): DirectoryAnswer {
  const head = { id: fields.u32(), error: fields.u32() };
  switch (asked) {
    case DIRECTORY.info:
      return { ...head, type: 'info', file: fields.file() };
    case DIRECTORY.create:
      return { ...head, type: 'create', file: fields.file() };
    case DIRECTORY.delete:
      return { ...head, type: 'delete' };
    case DIRECTORY.move:
      return { ...head, type: 'move' };
    case DIRECTORY.read:
      return { ...head, type: 'read', bytes: fields.bytes(MAX_PIECE_BYTES) };
    case DIRECTORY.write:
      return { ...head, type: 'write', written: fields.u32() };
    case DIRECTORY.list:
      return { ...head, type: 'list', files: fields.files() };
    default:
      throw new BrokenMessage('no answer about a directory');
  }
}

/** What the gateway says: whether the directory is shared now, and what it asks. */
export type FromGateway =
  | { type: 'acknowledge'; error: number; directory: number }
  | { type: 'request'; request: DirectoryRequest };

export function readFromGateway(bytes: Uint8Array): FromGateway {
  const fields = new Fields(bytes);
  const type = fields.u8();
  if (type === DIRECTORY.acknowledge) {
    const acknowledged = { error: fields.u32(), directory: fields.u32() };
    fields.end();
    return { type: 'acknowledge', ...acknowledged };
  }
  const request = readRequest(type, fields);
  fields.end();
  return { type: 'request', request };
}

function readRequest(type: number, fields: Fields): DirectoryRequest {
  const head = { id: fields.u32(), directory: fields.u32() };
  switch (type) {
    case DIRECTORY.info:
      return { ...head, type: 'info', path: fields.path() };
    case DIRECTORY.create: {
      const isDirectory = fields.u32() === 1;
      return { ...head, type: 'create', isDirectory, path: fields.path() };
    }
    case DIRECTORY.delete:
      return { ...head, type: 'delete', path: fields.path() };
    case DIRECTORY.read: {
      const path = fields.path();
      return { ...head, type: 'read', path, offset: fields.u64(), length: fields.u32() };
    }
    case DIRECTORY.write: {
      const offset = fields.u64();
      return { ...head, type: 'write', offset, path: fields.path(), bytes: fields.bytes(MAX_PIECE_BYTES) };
    }
    case DIRECTORY.move: {
      const path = fields.path();
      return { ...head, type: 'move', path, to: fields.path() };
    }
    case DIRECTORY.list:
      return { ...head, type: 'list', path: fields.path() };
    default:
      throw new BrokenMessage('no question about a directory');
  }
}

export function directoryAnnounce(directory: number, name: string): Uint8Array {
  return joined([Uint8Array.of(DIRECTORY.announce), u32(0), u32(directory), text(name)]);
}

export function directoryAcknowledge(error: number, directory: number): Uint8Array {
  return joined([Uint8Array.of(DIRECTORY.acknowledge), u32(error), u32(directory)]);
}

export function directoryRequest(request: DirectoryRequest): Uint8Array {
  const head = [Uint8Array.of(DIRECTORY[request.type]), u32(request.id), u32(request.directory)];
  switch (request.type) {
    case 'create':
      return joined([...head, u32(request.isDirectory ? 1 : 0), text(request.path)]);
    case 'read':
      return joined([...head, text(request.path), u64(request.offset), u32(request.length)]);
    case 'write':
      // The offset stands before the path here alone.
      return joined([...head, u64(request.offset), text(request.path), u32(request.bytes.length), request.bytes]);
    case 'move':
      return joined([...head, text(request.path), text(request.to)]);
    default:
      return joined([...head, text(request.path)]);
  }
}

export function directoryAnswer(answer: DirectoryAnswer): Uint8Array {
  const head = [Uint8Array.of(DIRECTORY[answer.type] + 1), u32(answer.id), u32(answer.error)];
  switch (answer.type) {
    case 'info':
    case 'create':
      return joined([...head, ...file(answer.file)]);
    case 'read':
      return joined([...head, u32(answer.bytes.length), answer.bytes]);
    case 'write':
      return joined([...head, u32(answer.written)]);
    case 'list':
      return joined([...head, u32(answer.files.length), ...answer.files.flatMap(file)]);
    default:
      return joined(head);
  }
}

function file({ path, modified, size, isDirectory, isEmpty }: SharedFile): Uint8Array[] {
  return [u64(modified), u64(size), u32(isDirectory ? 1 : 0), Uint8Array.of(isEmpty ? 1 : 0), text(path)];
}

function u32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}

function u64(value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(Math.max(0, Math.trunc(value))));
  return bytes;
}

function text(value: string): Uint8Array {
  const bytes = new TextEncoder().encode(value);
  return joined([u32(bytes.length), bytes]);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

class Fields {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  #step(count: number): number {
    const at = this.#at;
    if (count > this.#bytes.length - at) throw new BrokenMessage('a message about a directory is cut short');
    this.#at = at + count;
    return at;
  }

  u8(): number {
    return this.#view.getUint8(this.#step(1));
  }

  u32(): number {
    return this.#view.getUint32(this.#step(4));
  }

  u64(): number {
    const value = this.#view.getBigUint64(this.#step(8));
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new BrokenMessage('a file is larger than any');
    return Number(value);
  }

  bytes(max: number): Uint8Array {
    const length = this.u32();
    if (length > max) throw new BrokenMessage('a message about a directory holds more than may be');
    const at = this.#step(length);
    return this.#bytes.subarray(at, at + length);
  }

  text(max: number): string {
    const bytes = this.bytes(max);
    try {
      return UTF8.decode(bytes);
    } catch {
      throw new BrokenMessage('a name is not UTF-8');
    }
  }

  path(): string {
    return this.text(MAX_PATH_BYTES);
  }

  file(): SharedFile {
    const [modified, size, type, isEmpty] = [this.u64(), this.u64(), this.u32(), this.u8()];
    return { modified, size, isDirectory: type === 1, isEmpty: isEmpty === 1, path: this.path() };
  }

  /** No room is made for more than has come. */
  files(): SharedFile[] {
    const files: SharedFile[] = [];
    const count = this.u32();
    if (count > MAX_LISTED_FILES) throw new BrokenMessage('a directory holds more than may be');
    while (files.length < count) files.push(this.file());
    return files;
  }

  end(): void {
    if (this.#at !== this.#bytes.length) throw new BrokenMessage('a message about a directory goes on behind its end');
  }
}
