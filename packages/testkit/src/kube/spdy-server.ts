/** The server's side of SPDY/3.1, as API servers and kubelets speak it. Nobody heeds its windows: who reads slowly pauses the connection. */
import { Duplex } from 'node:stream';
import { HeaderReader, HeaderWriter, type SpdyHeaders, u32 } from './spdy-headers.ts';

const SYN_STREAM = 1;
const SYN_REPLY = 2;
const RST_STREAM = 3;
const PING = 6;
const GOAWAY = 7;
const FIN = 1;
const CONTROL = 0x8003;
const DATA_BYTES = 32 * 1024;

export class SpdyStream extends Duplex {
  readonly id: number;
  readonly headers: SpdyHeaders;
  readonly #connection: SpdyServer;
  constructor(connection: SpdyServer, id: number, headers: SpdyHeaders) {
    super({ allowHalfOpen: true });
    this.#connection = connection;
    this.id = id;
    this.headers = headers;
    this.on('error', () => {});
  }
  override _read(): void {
    this.#connection.hasRoom(this);
  }
  override _write(bytes: Buffer, _: BufferEncoding, done: () => void): void {
    for (let at = 0; at < bytes.length; at += DATA_BYTES) {
      this.#connection.sendData(this.id, bytes.subarray(at, at + DATA_BYTES), 0);
    }
    this.#connection.whenRoom(done);
  }
  override _final(done: () => void): void {
    this.#connection.sendData(this.id, Buffer.alloc(0), FIN);
    done();
  }
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (error !== null || !this.writableFinished) this.#connection.reset(this.id);
    this.#connection.forget(this);
    done(null);
  }
}

export class SpdyServer {
  readonly closed: Promise<void>;
  #wire: Duplex;
  #onStream: (stream: SpdyStream) => void;
  #streams = new Map<number, SpdyStream>();
  #full = new Set<SpdyStream>();
  #kept: Buffer = Buffer.alloc(0);
  #reader = new HeaderReader();
  #writer = new HeaderWriter();
  #turn: Promise<void> = Promise.resolve();
  #last = 0;
  #isOver = false;
  #finish: () => void;

  constructor(wire: Duplex, onStream: (stream: SpdyStream) => void) {
    this.#wire = wire;
    this.#onStream = onStream;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    this.#finish = resolve;
    wire.on('data', (bytes: Buffer) => {
      wire.pause();
      this.#turn = this.#turn
        .then(() => this.#take(bytes))
        .then(
          () => {
            if (this.#full.size === 0) wire.resume();
          },
          () => this.#end(),
        );
    });
    for (const event of ['end', 'close', 'error']) wire.on(event, () => this.#end());
  }

  async #take(bytes: Buffer): Promise<void> {
    this.#kept = this.#kept.length === 0 ? bytes : Buffer.concat([this.#kept, bytes]);
    while (!this.#isOver && this.#kept.length >= 8) {
      const head = this.#kept;
      const length = head.readUIntBE(5, 3);
      if (head.length < 8 + length) return;
      const body = head.subarray(8, 8 + length);
      this.#kept = head.subarray(8 + length);
      if ((head[0] as number) & 0x80) await this.#control(head.readUInt16BE(2), head[4] as number, body);
      else this.#data(head.readUInt32BE(0), head[4] as number, body);
    }
  }

  async #control(type: number, flags: number, body: Buffer): Promise<void> {
    if (type === SYN_STREAM) {
      const id = body.readUInt32BE(0) & 0x7fffffff;
      const headers = await this.#reader.read(body.subarray(10));
      this.#last = id;
      const stream = new SpdyStream(this, id, headers);
      this.#streams.set(id, stream);
      if (flags & FIN) stream.push(null);
      this.#send(SYN_REPLY, [u32(id), this.#writer.write({})]);
      this.#onStream(stream);
    } else if (type === RST_STREAM)
      this.#streams.get(body.readUInt32BE(0) & 0x7fffffff)?.destroy(new Error('reset by the client'));
    else if (type === PING && body.readUInt32BE(0) % 2 === 1) this.#send(PING, [body]);
    else if (type === GOAWAY) this.close();
  }

  #data(id: number, flags: number, body: Buffer): void {
    const stream = this.#streams.get(id);
    if (stream === undefined || stream.destroyed) return;
    if (body.length > 0 && !stream.push(Buffer.from(body))) this.#full.add(stream);
    if (flags & FIN) stream.push(null);
  }

  hasRoom(stream: SpdyStream): void {
    if (this.#full.delete(stream) && this.#full.size === 0 && !this.#isOver) this.#wire.resume();
  }
  forget(stream: SpdyStream): void {
    this.#streams.delete(stream.id);
    this.hasRoom(stream);
  }
  reset(id: number): void {
    this.#send(RST_STREAM, [u32(id), u32(5)]);
  }
  sendData(id: number, bytes: Buffer, flags: number): void {
    if (this.#isOver) return;
    const head = Buffer.alloc(8);
    head.writeUInt32BE(id, 0);
    head[4] = flags;
    head.writeUIntBE(bytes.length, 5, 3);
    this.#wire.cork();
    this.#wire.write(head);
    if (bytes.length > 0) this.#wire.write(bytes);
    process.nextTick(() => this.#wire.uncork());
  }
  whenRoom(done: () => void): void {
    if (this.#isOver || !this.#wire.writableNeedDrain) done();
    else this.#wire.once('drain', done);
  }
  #send(type: number, parts: readonly Buffer[]): void {
    if (this.#isOver) return;
    const body = Buffer.concat(parts);
    const head = Buffer.alloc(8);
    head.writeUInt16BE(CONTROL, 0);
    head.writeUInt16BE(type, 2);
    head.writeUIntBE(body.length, 5, 3);
    this.#wire.write(Buffer.concat([head, body]));
  }

  /** Farewell first: a client that hears it waits for nothing more. */
  close(): void {
    if (this.#isOver) return;
    this.#send(GOAWAY, [u32(this.#last), u32(0)]);
    this.#wire.end();
    this.#end();
  }
  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#reader.close();
    for (const stream of this.#streams.values()) stream.destroy();
    this.#streams.clear();
    this.#finish();
  }
}
