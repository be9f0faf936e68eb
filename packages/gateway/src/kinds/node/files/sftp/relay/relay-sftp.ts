/**
 * Lets a client of SFTP 3 use a server's files through the gateway, packet by packet: each is read strictly before it goes on,
 * and what was done is told before the client hears of it. Memory is bounded whatever either side sends.
 */
import type { Duplex } from 'node:stream';
import { ANSWER, REQUEST, SFTP_VERSION, STATUS, type Status } from '@gatehouse/contract/kinds/node/files/sftp';
import { encodePacket } from '@gatehouse/tunnel/sftp/encode-packet';
import { PacketReader } from '@gatehouse/tunnel/sftp/packet-reader';
import { FieldReader, serverPackets } from '../fields.ts';
import { textOfName } from '../name-bytes.ts';
import { SftpBroken, SftpRefusal } from '../sftp-error.ts';
import type { SftpObservation } from './observation.ts';
import { count, type OpenFile, OpenHandles } from './open-handles.ts';
import { isKnownExtension, MAX_HANDLE_BYTES, readRequest, type SftpRequest } from './request.ts';

/** Asked and not answered yet; a client that asks for more waits. */
const MAX_ASKED = 256;
const MAX_HANDLES = 1_024;
const MAX_EXTENSIONS = 100;
const HEADER_BYTES = 5;

export interface SftpRelayOptions {
  client: Duplex;
  server: Duplex;
  /** Resolves when it is kept; the client hears of what was done only then. Where it rejects the relay ends. */
  onObserved(observation: SftpObservation): Promise<void>;
  limits?: { asked?: number; handles?: number };
}

export interface SftpRelay {
  /**
   * Never rejects. With nothing when the client was done and has all its answers, else with why it is over, in words. The server's
   * stream is closed then; the client's is left to whoever gave it, who may have something to say on it.
   */
  readonly ended: Promise<string | undefined>;
  end(reason: string): void;
}

interface AskedRequest extends SftpRequest {
  /** Those it uses: what they were when it was asked, whatever is closed before its answer. */
  files: OpenFile[];
}

export function relaySftp(options: SftpRelayOptions): SftpRelay {
  return new Relay(options);
}

class Relay implements SftpRelay {
  readonly ended: Promise<string | undefined>;
  readonly #options: SftpRelayOptions;
  readonly #asked = new Map<number, AskedRequest>();
  readonly #handles: OpenHandles;
  readonly #telling = new Set<Promise<void>>();
  readonly #resolve: (reason: string | undefined) => void;
  readonly #maxAsked: number;
  #greeting: 'none' | 'asked' | 'done' = 'none';
  #home = '';
  #clientDone = false;
  #over = false;
  #waiting: (() => void)[] = [];
  /** Of what is asked, what may become a handle. */
  readonly #opening = new Set<number>();

  constructor(options: SftpRelayOptions) {
    const { client, server, limits } = options;
    this.#options = options;
    this.#maxAsked = limits?.asked ?? MAX_ASKED;
    this.#handles = new OpenHandles(limits?.handles ?? MAX_HANDLES);
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    this.ended = promise;
    this.#resolve = resolve;
    for (const stream of [client, server]) {
      stream.on('error', () => {});
      stream.on('drain', () => this.#wake());
    }
    client.on('close', () => this.#wake());
    server.on('close', () => this.#wake());
    void this.#run(this.#fromClient());
    void this.#run(this.#fromServer());
  }

  end(reason: string): void {
    void this.#finish(reason);
  }

  async #run(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      const isKnown = error instanceof SftpBroken || error instanceof SftpRefusal;
      await this.#finish(isKnown ? error.message : 'something of SFTP could not be handled');
    }
  }

  async #fromClient(): Promise<void> {
    const { client, server } = this.#options;
    const packets = new PacketReader(
      (length) => new SftpBroken(`the client announced a message of ${length} bytes, which is no SFTP`),
    );
    for await (const piece of piecesOf(client)) {
      for (const packet of packets.push(piece)) {
        await this.#until(
          () => this.#asked.size < this.#maxAsked && !server.writableNeedDrain && !client.writableNeedDrain,
        );
        if (this.#over) return;
        this.#ask(packet);
      }
      if (this.#over) return;
    }
    if (!client.readableEnded) throw new SftpBroken('the client left');
    this.#clientDone = true;
    // A server that reads the end of its input still does what was asked before.
    if (!server.destroyed) server.end();
  }

  async #fromServer(): Promise<void> {
    const { client, server } = this.#options;
    const packets = serverPackets();
    for await (const piece of piecesOf(server)) {
      for (const packet of packets.push(piece)) {
        await this.#until(() => !client.writableNeedDrain);
        if (this.#over) return;
        this.#hear(packet);
      }
      if (this.#over) return;
    }
    while (this.#telling.size > 0) await Promise.all(this.#telling);
    const isClean = this.#clientDone && this.#asked.size === 0;
    await this.#finish(isClean ? undefined : 'the server ended the connection');
  }

  #ask(packet: Buffer): void {
    const { server } = this.#options;
    if (this.#greeting === 'none') {
      if (packet[0] !== REQUEST.init || packet.length < HEADER_BYTES)
        throw new SftpBroken('the first message of the client is no greeting');
      if (packet.readUInt32BE(1) < SFTP_VERSION) throw new SftpBroken('the client speaks a version before SFTP 3');
      this.#greeting = 'asked';
      // Of whatever it knows, the version that is read here is asked for.
      server.write(encodePacket(REQUEST.init, [SFTP_VERSION]));
      return;
    }
    if (packet.length < HEADER_BYTES || packet[0] === REQUEST.init)
      throw new SftpBroken('a message of the client is no request');
    const id = packet.readUInt32BE(1);
    if (this.#asked.has(id)) throw new SftpBroken('the client asks twice under one number');
    const request = readRequest(packet);
    const { handles = [] } = request ?? {};
    const files = handles.map((handle) => this.#handles.get(handle)).filter((file) => file !== undefined);
    if (!request) this.#answer(id, STATUS.unsupported, 'this is not served here');
    else if (request.opens && this.#handles.isFull(this.#opening.size))
      this.#answer(id, STATUS.failure, 'too many files are open at once');
    else if (files.length < handles.length) this.#answer(id, STATUS.failure, 'there is no such handle');
    else this.#pass(id, { ...request, files }, packet);
  }

  #pass(id: number, asked: AskedRequest, packet: Buffer): void {
    // At once: the server may give the same one again with its very next answer.
    if (asked.closes) for (const handle of asked.handles ?? []) this.#handles.forget(handle);
    this.#asked.set(id, asked);
    if (asked.opens) this.#opening.add(id);
    this.#options.server.write(withLength(packet));
  }

  #hear(packet: Buffer): void {
    const type = packet[0] ?? 0;
    if (this.#greeting !== 'done') {
      this.#greet(packet, type);
      return;
    }
    if (packet.length < HEADER_BYTES) throw new SftpBroken('a message of the server is no answer');
    const id = packet.readUInt32BE(1);
    const request = this.#asked.get(id);
    if (!request) throw new SftpBroken('the server answers what nobody asked');
    if (type !== ANSWER.status && type !== request.answer)
      throw new SftpBroken('the server answers with something else than was asked for');
    this.#opening.delete(id);
    const body = new FieldReader(packet, HEADER_BYTES);
    const error = type === ANSWER.status ? failureIn(body) : undefined;
    this.#count(request, type, body, error);
    const observed = this.#observationOf(request, error);
    if (observed) this.#tellThen(observed, id, packet);
    else this.#handOn(id, packet);
  }

  #greet(packet: Buffer, type: number): void {
    if (this.#greeting !== 'asked' || type !== ANSWER.version) throw new SftpBroken('the server does not speak SFTP');
    const body = new FieldReader(packet, 1);
    const version = body.uint32();
    if (version !== SFTP_VERSION)
      throw new SftpBroken(`the server speaks version ${version} of SFTP, not ${SFTP_VERSION}`);
    const extensions: Buffer[] = [];
    for (let count = 0; body.left > 0; count++) {
      if (count === MAX_EXTENSIONS) throw new SftpBroken('the server has an endless list of extensions');
      const [name, value] = [body.bytes(), body.bytes()];
      // Others are refused anyway: who does not hear of them does not ask.
      if (isKnownExtension(name.toString('latin1'))) extensions.push(name, value);
    }
    this.#greeting = 'done';
    this.#options.client.write(encodePacket(ANSWER.version, [SFTP_VERSION, ...extensions]));
  }

  #count(request: AskedRequest, type: number, body: FieldReader, error: string | undefined): void {
    if (type === ANSWER.handle) {
      const handle = body.bytes();
      if (handle.length > MAX_HANDLE_BYTES) throw new SftpBroken('the server gave an endless handle');
      const isNew = this.#handles.open(handle.toString('latin1'), request.path ?? '', request.operation === 'open');
      if (!isNew) throw new SftpBroken('the server gave the same handle twice');
    }
    const [from, to = from] = request.files;
    if (type === ANSWER.data) {
      const { length } = body.bytes();
      if (length > (request.reads ?? 0)) throw new SftpBroken('the server sends more of a file than was asked for');
      count(from, { read: length });
    }
    if (type === ANSWER.name && request.asksHome && body.uint32() === 1) this.#home = textOfName(body.bytes());
    if (type !== ANSWER.status || error !== undefined) return;
    if (request.writes) count(from, { written: request.writes });
    if (request.copies !== undefined) {
      count(from, { read: request.copies });
      count(to, { written: request.copies });
    }
  }

  #observationOf(request: AskedRequest, error: string | undefined): SftpObservation | undefined {
    const { operation, to, flags, attributes, files } = request;
    const [file] = files;
    // Looking into folders is no event, and neither is the end of that.
    if (!operation || (operation === 'close' && !file?.isFile)) return undefined;
    return {
      operation,
      path: request.path ?? file?.path ?? '',
      ...(to === undefined ? {} : { to }),
      ...(flags === undefined ? {} : { flags }),
      ...(attributes && Object.keys(attributes).length > 0 ? { attributes } : {}),
      ...(operation === 'close' && file ? { transferred: file.transferred } : {}),
      ...(error === undefined ? {} : { error }),
      home: this.#home,
    };
  }

  /** Whoever was told that something is done finds it in the log, whatever happens next. */
  #tellThen(observation: SftpObservation, id: number, packet: Buffer): void {
    // A view would keep all of the piece it came in.
    const kept = Buffer.from(packet);
    const telling = this.#options.onObserved(observation).then(
      () => this.#handOn(id, kept),
      () => this.end('what was done could not be written to the audit log'),
    );
    this.#telling.add(telling);
    void telling.finally(() => this.#telling.delete(telling));
  }

  #handOn(id: number, packet: Buffer): void {
    this.#asked.delete(id);
    if (!this.#over && !this.#options.client.destroyed) this.#options.client.write(withLength(packet));
    this.#wake();
  }

  #answer(id: number, status: Status, words: string): void {
    this.#options.client.write(encodePacket(ANSWER.status, [id, status, words, 'en']));
  }

  async #until(condition: () => boolean): Promise<void> {
    const { client, server } = this.#options;
    while (!this.#over && !condition()) {
      if (client.destroyed) throw new SftpBroken('the client left');
      if (server.destroyed) throw new SftpBroken('the server ended the connection');
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  async #finish(reason: string | undefined): Promise<void> {
    if (this.#over) return;
    this.#over = true;
    this.#wake();
    this.#options.server.destroy();
    const error = 'the connection ended before it was closed';
    const left = this.#handles.forgetAll().map(({ path, transferred }): SftpObservation => {
      return { operation: 'close', path, transferred, home: this.#home, error };
    });
    // One after the other: there may be a thousand. What cannot be kept now has nobody left to hear of it.
    for (const observation of left) await this.#options.onObserved(observation).catch(() => {});
    while (this.#telling.size > 0) await Promise.all(this.#telling);
    this.#resolve(reason);
  }
}

/** Not destroyed when the reading stops: whoever gave the stream may still say something on it. */
async function* piecesOf(stream: Duplex): AsyncGenerator<Buffer> {
  try {
    for await (const piece of stream.iterator({ destroyOnReturn: false })) yield piece;
  } catch {
    // Cut; who reads sees that it has not ended.
  }
}

function failureIn(body: FieldReader): string | undefined {
  const status = body.uint32();
  // Before version 3 there were no words; some servers still send none.
  const said = body.left > 0 ? textOfName(body.bytes()) : '';
  if (status === STATUS.ok) return undefined;
  return new SftpRefusal(status, said || `status ${status}`).message;
}

function withLength(packet: Buffer): Buffer {
  const whole = Buffer.allocUnsafe(packet.length + 4);
  whole.writeUInt32BE(packet.length, 0);
  packet.copy(whole, 4);
  return whole;
}
