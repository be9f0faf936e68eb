/**
 * The part of SPDY/3.1 that Kubernetes speaks: kubectl up to 1.30, port-forward of every version, kubelets. Over any byte stream,
 * on either side. Nobody sends or heeds window updates, so whoever reads one stream slowly pauses the whole connection.
 */
import type { Duplex } from 'node:stream';
import {
  controlFrame,
  dataHead,
  FIN,
  type Frame,
  FrameReader,
  GOAWAY,
  HEADERS,
  PING,
  RST_STREAM,
  SYN_REPLY,
  SYN_STREAM,
  uint32,
} from './frames.ts';
import { BlockReader, BlockWriter, type SpdyHeaders } from './header-blocks.ts';
import { SpdyError } from './spdy-error.ts';
import { SpdyStream, type StreamCarrier } from './spdy-stream.ts';

/** Of both sides together. */
export const MAX_STREAMS = 256;
/** Answers the other side asks for and does not take; more is an attack on our memory. */
const MAX_UNSENT_ANSWERS = 1024;
const DATA_BYTES = 32 * 1024;
/** For the other side to close its half. */
const CLOSE_MS = 2_000;
const REFUSED = 3;
const CANCELLED = 5;
const ID_MASK = 0x7fffffff;

export interface SpdyOptions {
  wire: Duplex;
  /** What was read of it already. */
  rest?: Buffer;
  side: 'server' | 'client';
  /** The other side has opened one. Without it all are refused. */
  onStream?(stream: SpdyStream): void;
}

export class SpdyConnection {
  readonly #wire: Duplex;
  readonly #side: 'server' | 'client';
  readonly #onStream: SpdyOptions['onStream'];
  readonly #streams = new Map<number, SpdyStream>();
  readonly #frames = new FrameReader();
  readonly #blocks = new BlockReader();
  readonly #ours = new BlockWriter();
  /** Streams whose readers have enough: nothing is read until they want more. */
  readonly #full = new Set<SpdyStream>();
  /** Writers that wait for room on the wire. */
  #waiting: (() => void)[] = [];
  readonly #closed = Promise.withResolvers<SpdyError | undefined>();
  #nextId: number;
  #lastSeen = 0;
  #unsent = 0;
  #isReading = false;
  #isLeaving = false;
  #isOver = false;

  constructor({ wire, rest, side, onStream }: SpdyOptions) {
    this.#wire = wire;
    this.#side = side;
    this.#onStream = onStream;
    this.#nextId = side === 'server' ? 2 : 1;
    wire.on('data', (piece: Buffer) => this.#take(piece));
    wire.on('drain', () => this.#drained());
    wire.on('end', () => this.#lost('the other side closed the connection'));
    wire.on('close', () => this.#lost('the connection is closed'));
    wire.on('error', ({ message }) => this.#lost(`the connection broke: ${message}`));
    if (rest && rest.length > 0) this.#take(rest);
    // Whoever had it before may have paused it.
    this.#balance();
  }

  /** Why it failed; undefined when it was closed. */
  get closed(): Promise<SpdyError | undefined> {
    return this.#closed.promise;
  }

  /** Throws when the other side takes no more of them. */
  open(headers: Readonly<Record<string, string>>): SpdyStream {
    if (this.#isOver || this.#isLeaving) throw new SpdyError('the other side takes no more streams');
    if (this.#streams.size >= MAX_STREAMS)
      throw new SpdyError(`there are ${MAX_STREAMS} streams in this connection already`);
    const id = this.#nextId;
    this.#nextId += 2;
    const own = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
    const stream = new SpdyStream(this.#carrier, id, own, false);
    this.#streams.set(id, stream);
    this.#send(controlFrame(SYN_STREAM, 0, uint32(id), uint32(0), Buffer.alloc(2), this.#ours.write(headers)));
    return stream;
  }

  /** What was written goes out; streams that are not through are cut. */
  close(): void {
    if (this.#isOver) return;
    this.#send(controlFrame(GOAWAY, 0, uint32(this.#lastSeen), uint32(0)));
    this.#isOver = true;
    this.#wire.end();
    // Read on, or its end would never be heard of.
    this.#wire.resume();
    const timer = setTimeout(() => this.#wire.destroy(), CLOSE_MS).unref();
    this.#wire.once('close', () => clearTimeout(timer));
    this.#finish(undefined);
  }

  fail(error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#wire.destroy();
    this.#finish(error instanceof SpdyError ? error : new SpdyError(error.message));
  }

  readonly #carrier: StreamCarrier = {
    send: ({ id }, bytes, done) => {
      if (this.#isOver) {
        done(new SpdyError('the connection is closed'));
        return;
      }
      this.#wire.cork();
      for (let at = 0; at < bytes.length; at += DATA_BYTES) {
        const part = bytes.subarray(at, at + DATA_BYTES);
        this.#wire.write(dataHead(id, part.length, 0));
        this.#wire.write(part);
      }
      this.#wire.uncork();
      if (this.#wire.writableNeedDrain) this.#waiting.push(done);
      else done();
    },
    finish: ({ id }) => this.#send(dataHead(id, 0, FIN)),
    resumed: (stream) => this.#wantMore(stream),
    gone: (stream, isCut) => {
      const wasKnown = this.#streams.delete(stream.id);
      if (isCut && wasKnown) this.#send(controlFrame(RST_STREAM, 0, uint32(stream.id), uint32(CANCELLED)));
      this.#wantMore(stream);
    },
  };

  #send(frame: Buffer): void {
    if (!this.#isOver) this.#wire.write(frame);
  }

  /** What the other side makes us say. It must take it as well. */
  #answer(frame: Buffer): void {
    this.#unsent = this.#wire.writableNeedDrain ? this.#unsent + 1 : 0;
    if (this.#unsent > MAX_UNSENT_ANSWERS) throw new SpdyError('the other side asks and does not take the answers');
    this.#send(frame);
  }

  #drained(): void {
    this.#unsent = 0;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const done of waiting) done();
  }

  #wantMore(stream: SpdyStream): void {
    if (!this.#full.delete(stream)) return;
    this.#balance();
  }

  #balance(): void {
    if (this.#isOver) return;
    if (this.#isReading || this.#full.size > 0) this.#wire.pause();
    else this.#wire.resume();
  }

  #take(piece: Buffer): void {
    if (this.#isOver) return;
    this.#frames.push(piece);
    void this.#read();
  }

  /** One piece at a time, in order: what follows a header block waits until that is unpacked. */
  async #read(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      for (let frame = this.#frames.next(); frame && !this.#isOver; frame = this.#frames.next()) {
        if (frame.type === 'data') this.#data(frame);
        else if (hasHeaders(frame)) {
          this.#wire.pause();
          await this.#headers(frame);
        } else this.#control(frame);
      }
    } catch (error) {
      this.fail(error as Error);
    }
    this.#isReading = false;
    this.#balance();
  }

  #data({ id, bytes, fin }: Extract<Frame, { type: 'data' }>): void {
    const stream = this.#streams.get(id);
    // Of one that was cut here meanwhile: the other side did not know yet.
    if (!stream || stream.destroyed) return;
    if (stream.hasEnded && !stream.wasReset) throw new SpdyError('a stream goes on behind its end');
    if (!stream.came(bytes)) this.#full.add(stream);
    if (fin) stream.ended();
  }

  async #headers({ control, flags, body }: Extract<Frame, { type: 'control' }>): Promise<void> {
    const start = control === SYN_STREAM ? 10 : 4;
    if (body.length < start) throw new SpdyError('a frame is too short for what it is');
    const id = body.readUInt32BE(0) & ID_MASK;
    // Before anything is refused: the next block builds on this one.
    const headers = await this.#blocks.read(body.subarray(start));
    if (this.#isOver) return;
    if (control === SYN_STREAM) this.#opened(id, headers);
    const stream = this.#streams.get(id);
    if (control === SYN_REPLY) stream?.replied();
    if (flags & FIN) stream?.ended();
  }

  #opened(id: number, headers: SpdyHeaders): void {
    const isTheirs = id % 2 === (this.#side === 'server' ? 1 : 0);
    if (id <= this.#lastSeen || !isTheirs) throw new SpdyError('a stream has a number that is not its turn');
    this.#lastSeen = id;
    if (!this.#onStream || this.#isLeaving || this.#streams.size >= MAX_STREAMS) {
      this.#answer(controlFrame(RST_STREAM, 0, uint32(id), uint32(REFUSED)));
      return;
    }
    const stream = new SpdyStream(this.#carrier, id, headers, true);
    this.#streams.set(id, stream);
    this.#answer(controlFrame(SYN_REPLY, 0, uint32(id), this.#ours.write({})));
    this.#onStream(stream);
  }

  /** Settings, window updates and what nobody knows mean nothing here. */
  #control({ control, body }: Extract<Frame, { type: 'control' }>): void {
    if (control !== RST_STREAM && control !== PING && control !== GOAWAY) return;
    if (body.length < 4) throw new SpdyError('a frame is too short for what it is');
    const id = body.readUInt32BE(0);
    if (control === GOAWAY) this.#isLeaving = true;
    else if (control === RST_STREAM) this.#cut(id & ID_MASK);
    // One with our kind of number is an answer; nobody here asked.
    else if (id % 2 === (this.#side === 'server' ? 1 : 0)) this.#answer(controlFrame(PING, 0, uint32(id)));
  }

  #cut(id: number): void {
    const stream = this.#streams.get(id);
    this.#streams.delete(id);
    stream?.cut('the other side cut the stream');
  }

  /** After a farewell, or with nothing left to say, this is how it ends; what came before is still read. */
  #lost(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const isExpected = this.#isLeaving || this.#streams.size === 0;
    for (const stream of this.#streams.values()) stream.cut(reason);
    this.#wire.destroy();
    this.#finish(isExpected ? undefined : new SpdyError(reason));
  }

  #finish(error: SpdyError | undefined): void {
    this.#blocks.close();
    const streams = [...this.#streams.values()];
    this.#streams.clear();
    this.#full.clear();
    this.#drained();
    for (const stream of streams) if (!stream.wasReset) stream.destroy(error);
    this.#closed.resolve(error);
  }
}

function hasHeaders({ control }: Extract<Frame, { type: 'control' }>): boolean {
  return control === SYN_STREAM || control === SYN_REPLY || control === HEADERS;
}
