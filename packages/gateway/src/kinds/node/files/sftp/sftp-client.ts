/**
 * Speaks SFTP to a server over any stream: the channel of an SSH connection, or a stream to an agent. The server may be
 * hostile: everything it sends is bounded, matched to what was asked, and waited for only so long.
 */
import type { Duplex } from 'node:stream';
import {
  ANSWER,
  EXTENSION,
  REQUEST,
  type RequestType,
  SFTP_VERSION,
  STATUS,
} from '@gatehouse/contract/kinds/node/files/sftp';
import { encodePacket, type Field } from '@gatehouse/tunnel/sftp/encode-packet';
import { encodeAttributes, FieldReader, type FileAttributes, serverPackets } from './fields.ts';
import { SftpBroken, SftpRefusal } from './sftp-error.ts';

/** From a question to any answer at all; disks that spin up answer within this. */
const SILENCE_MS = 60_000;
const GREETING_MS = 20_000;
/** What every server reads and writes at once; more only where it says so. */
const PIECE_BYTES = 32 * 1024;
const MAX_PIECE_BYTES = 128 * 1024;
const MAX_EXTENSIONS = 100;
/** A handle is the server's own business; the draft ends it at 256 bytes. */
const MAX_HANDLE_BYTES = 256;

export interface ListedName {
  name: Buffer;
  /** The line of `ls -l`, for the names of owner and group. */
  line: Buffer;
  attributes: FileAttributes;
}

interface Answer {
  type: number;
  body: FieldReader;
}

interface Waiting {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

export class SftpClient {
  /** For one read or write. */
  pieceBytes = PIECE_BYTES;
  readonly #stream: Duplex;
  readonly #packets = serverPackets();
  readonly #waiting = new Map<number, Waiting>();
  readonly #extensions = new Set<string>();
  readonly #greeted = Promise.withResolvers<void>();
  readonly #over = new AbortController();
  #lastId = 0;
  #broken: Error | undefined;
  #timer: NodeJS.Timeout | undefined;
  #drained: PromiseWithResolvers<void> | undefined;

  /** Takes the stream over. Rejects when what answers there is no SFTP server. */
  static async greet(stream: Duplex): Promise<SftpClient> {
    const client = new SftpClient(stream);
    client.#timer = setTimeout(() => client.#break(new SftpBroken('the server gave no greeting')), GREETING_MS).unref();
    stream.write(encodePacket(REQUEST.init, [SFTP_VERSION]));
    await client.#greeted.promise;
    client.#rest();
    if (client.#extensions.has(EXTENSION.limits)) await client.#readLimits();
    return client;
  }

  private constructor(stream: Duplex) {
    this.#stream = stream;
    this.#greeted.promise.catch(() => {});
    const lost = (cause?: Error) => this.#break(new SftpBroken('the connection to the server was lost', { cause }));
    stream.on('data', (piece: Buffer) => this.#hear(piece));
    stream.on('error', lost);
    stream.on('end', () => lost());
    stream.on('close', () => lost());
    stream.on('drain', () => {
      this.#drained?.resolve();
      this.#drained = undefined;
    });
  }

  /** Why nothing can be asked any more. */
  get broken(): Error | undefined {
    return this.#broken;
  }

  /** Aborted with the reason when nothing can be asked any more: for whoever waits for something else. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  end(reason: Error = new SftpBroken('the connection was closed')): void {
    this.#break(reason);
  }

  has(extension: string): boolean {
    return this.#extensions.has(extension);
  }

  /** Resolves when the stream takes more: whoever sends much waits for this before. */
  async room(): Promise<void> {
    if (this.#broken) throw this.#broken;
    if (!this.#stream.writableNeedDrain) return;
    this.#drained ??= Promise.withResolvers<void>();
    await this.#drained.promise;
  }

  /** A handle, of a file or a folder. */
  async handle(type: typeof REQUEST.open | typeof REQUEST.opendir, ...fields: Field[]): Promise<Buffer> {
    const { body } = await this.#ask(type, fields, ANSWER.handle);
    const handle = this.#guard(() => body.bytes());
    if (handle.length > MAX_HANDLE_BYTES)
      throw this.#break(new SftpBroken('the server gave a handle that is too long'));
    return Buffer.from(handle);
  }

  /** At most so many bytes; none at the end. */
  async read(handle: Buffer, offset: number, length: number): Promise<Buffer> {
    const answer = await this.#ask(REQUEST.read, [handle, BigInt(offset), length], ANSWER.data, STATUS.eof);
    if (answer.type === ANSWER.status) return Buffer.alloc(0);
    const data = this.#guard(() => answer.body.bytes());
    if (data.length > length) throw this.#break(new SftpBroken('the server sent more than it was asked for'));
    if (data.length === 0) throw this.#break(new SftpBroken('the server sent nothing where there was something'));
    return data;
  }

  /** The next names of a folder; none at the end. */
  async names(handle: Buffer): Promise<ListedName[]> {
    const answer = await this.#ask(REQUEST.readdir, [handle], ANSWER.name, STATUS.eof);
    if (answer.type === ANSWER.status) return [];
    const listed = this.#guard(() => readNames(answer.body));
    // A server that goes on without telling anything would be asked for ever.
    if (listed.length === 0) throw this.#break(new SftpBroken('the server listed nothing, and no end'));
    return listed;
  }

  async attributes(
    type: typeof REQUEST.stat | typeof REQUEST.lstat | typeof REQUEST.fstat,
    of: Buffer,
  ): Promise<FileAttributes> {
    const { body } = await this.#ask(type, [of], ANSWER.attributes);
    return this.#guard(() => body.attributes());
  }

  /** One path: where another really leads, or what a link says. */
  async path(type: typeof REQUEST.realpath | typeof REQUEST.readlink, of: Buffer): Promise<Buffer> {
    const { body } = await this.#ask(type, [of], ANSWER.name);
    const [first] = this.#guard(() => readNames(body));
    if (!first) throw this.#break(new SftpBroken('the server gave no path'));
    return first.name;
  }

  async change(type: RequestType, ...fields: Field[]): Promise<void> {
    await this.#ask(type, fields, undefined, STATUS.ok);
  }

  /** Deletes a folder with what is in it, as far as the server comes in one go. */
  async removeTree(path: Buffer): Promise<{ removed: number; isDone: boolean }> {
    const { body } = await this.#ask(REQUEST.extended, [EXTENSION.removeTree, path], ANSWER.extended);
    return this.#guard(() => ({ removed: body.uint64(), isDone: body.uint64() === 1 }));
  }

  setAttributes(
    type: typeof REQUEST.setstat | typeof REQUEST.fsetstat,
    of: Buffer,
    wanted: { size?: number; permissions?: number },
  ) {
    return this.change(type, of, encodeAttributes(wanted));
  }

  async close(handle: Buffer): Promise<void> {
    // Nobody can do anything about a handle that does not close.
    if (!this.#broken) await this.change(REQUEST.close, handle).catch(() => {});
  }

  /** Gives an answer of the wanted type, or a status that is fine; throws what the server refused. */
  async #ask(type: RequestType, fields: readonly Field[], wanted: number | undefined, fine?: number): Promise<Answer> {
    const answer = await this.#send(type, fields);
    if (answer.type === ANSWER.status) {
      const status = this.#guard(() => answer.body.uint32());
      if (status === fine) return answer;
      const said = answer.body.left >= 4 ? this.#guard(() => answer.body.bytes()).toString() : '';
      throw new SftpRefusal(status, said);
    }
    if (answer.type !== wanted) throw this.#break(new SftpBroken('the server answered something else than was asked'));
    return answer;
  }

  #send(type: RequestType, fields: readonly Field[]): Promise<Answer> {
    if (this.#broken) return Promise.reject(this.#broken);
    this.#lastId = (this.#lastId + 1) >>> 0;
    const id = this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#waiting.set(id, { resolve, reject });
    this.#watch();
    this.#stream.write(encodePacket(type, [id, ...fields]));
    return promise;
  }

  /** Any answer is a sign of life; questions without one for a minute are the end. */
  #watch(): void {
    this.#timer ??= setTimeout(
      () => this.#break(new SftpBroken('the server does not answer any more')),
      SILENCE_MS,
    ).unref();
  }

  #rest(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #hear(piece: Buffer): void {
    if (this.#broken) return;
    try {
      for (const packet of this.#packets.push(piece)) this.#take(packet);
    } catch (error) {
      this.#break(error instanceof Error ? error : new SftpBroken('the server sent what is no SFTP'));
    }
  }

  #take(packet: Buffer): void {
    const type = packet[0] ?? 0;
    const body = new FieldReader(packet, 1);
    const id = body.uint32();
    if (type === ANSWER.version) {
      this.#takeGreeting(body);
      return;
    }
    const waiting = this.#waiting.get(id);
    if (!waiting) throw new SftpBroken('the server answered what was not asked');
    this.#waiting.delete(id);
    if (this.#waiting.size > 0) this.#timer?.refresh();
    else this.#rest();
    waiting.resolve({ type, body });
  }

  #takeGreeting(body: FieldReader): void {
    for (let count = 0; body.left > 0 && count < MAX_EXTENSIONS; count++) {
      this.#extensions.add(body.bytes().toString());
      body.bytes();
    }
    this.#greeted.resolve();
  }

  async #readLimits(): Promise<void> {
    try {
      const { body } = await this.#ask(REQUEST.extended, [EXTENSION.limits], ANSWER.extended);
      const [, read, write] = [body.uint64(), body.uint64(), body.uint64()];
      // Nought stands for no limit.
      const most = Math.min(read || MAX_PIECE_BYTES, write || MAX_PIECE_BYTES, MAX_PIECE_BYTES);
      this.pieceBytes = Math.max(PIECE_BYTES, most);
    } catch (error) {
      if (this.#broken) throw error;
    }
  }

  /** What cannot be read is the end of the connection, not only of the one who reads it. */
  #guard<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw this.#break(error instanceof Error ? error : new SftpBroken('the server sent what is no SFTP'));
    }
  }

  #break(error: Error): Error {
    if (this.#broken) return this.#broken;
    this.#broken = error;
    clearTimeout(this.#timer);
    this.#greeted.reject(error);
    this.#drained?.reject(error);
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
    this.#over.abort(error);
    this.#stream.destroy();
    return error;
  }
}

function readNames(body: FieldReader): ListedName[] {
  const names: ListedName[] = [];
  for (let left = body.uint32(); left > 0; left--)
    names.push({ name: body.bytes(), line: body.bytes(), attributes: body.attributes() });
  return names;
}
