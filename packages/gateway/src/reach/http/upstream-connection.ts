/** One connection to a target that speaks HTTP/1.1: a request at a time, its answer handed on as it comes. */
import type { Duplex } from 'node:stream';
import { blame, containEvents } from '@gatehouse/tunnel/contain';
import { ChunkedBody } from './chunked-body.ts';
import { type Release, type TakeChunk, takePooledReads } from './pooled-reads.ts';
import { MAX_HEAD_BYTES, parseResponseHead, type ResponseHead } from './response-head.ts';
import { UpstreamFault } from './upstream-fault.ts';

export interface Answer {
  onHead(head: ResponseHead): void;
  /** False: no more until `resume`. `release` is to be called once, when the data has been written. */
  onData(data: Buffer, release?: Release): boolean;
  onEnd(): void;
  /** Told once, instead of `onEnd`. */
  onFault(fault: UpstreamFault): void;
  /** The target took the upgrade; the stream is the caller's from here on. */
  onUpgrade?(head: ResponseHead, stream: Duplex, rest: Buffer): void;
  /** More of the request's body may be written. */
  onDrain?(): void;
}

const HEAD_END = '\r\n\r\n';
/** Of `HTTP/1.1`. */
const FIRST_BYTE = 0x48;
const BEYOND_LATIN1 = /[^\0-\xff]/;
const MAX_INTERIM = 16;
const LAST_CHUNK = '0\r\n\r\n';

export interface ConnectionOptions {
  onIdle(connection: UpstreamConnection): void;
  onClose(connection: UpstreamConnection): void;
  /** Of the head of an answer, where fewer than usual will do. */
  maxHeadBytes?: number;
}

export class UpstreamConnection {
  readonly stream: Duplex;
  /** Since when it waits for a request; for sweeping. */
  idleSince = 0;
  /** Requests it has carried before: one that fails on its first byte may then only have been closed meanwhile. */
  carried = 0;
  /** Bytes of the current answer have come. */
  answered = false;
  #answer: Answer | undefined;
  #method = '';
  #kept: Buffer | undefined;
  #head: ResponseHead | undefined;
  #left = 0;
  #chunks: ChunkedBody | undefined;
  #interim = 0;
  /** Of the piece that is being taken. */
  #release: Release | undefined;
  #sent = false;
  #chunkedRequest = false;
  #onIdle: (connection: UpstreamConnection) => void;
  #onClose: (connection: UpstreamConnection) => void;
  readonly #taken = (data: Buffer) => this.#take(data);
  readonly #ending = () => this.#ended();

  readonly #maxHeadBytes: number;

  constructor(stream: Duplex, { onIdle, onClose, maxHeadBytes = MAX_HEAD_BYTES }: ConnectionOptions) {
    this.stream = stream;
    this.#maxHeadBytes = maxHeadBytes;
    this.#onIdle = onIdle;
    this.#onClose = onClose;
    const peer = { where: 'http target', cut: () => this.#fail(new UpstreamFault('its answer cannot be passed on')) };
    containEvents(stream, peer);
    const takePiece: TakeChunk = (data, release) => {
      try {
        this.#take(data, release);
      } catch (error) {
        blame(peer, error);
      }
    };
    if (!takePooledReads(stream, takePiece)) stream.on('data', this.#taken);
    stream.on('drain', () => this.#answer?.onDrain?.());
    stream.on('end', this.#ending);
    stream.on('error', (error) => this.#fail(new UpstreamFault(`the connection broke: ${error.message}`)));
    stream.on('close', () => {
      // One that has answered is closed, too, and what is told of it is as dear as the rest of a call.
      if (this.#answer) this.#fail(new UpstreamFault('it closed the connection before its answer was complete'));
      this.#onClose(this);
    });
  }

  get usable(): boolean {
    return !this.stream.destroyed && !this.stream.readableEnded && this.stream.writable;
  }

  /** `head` ends with an empty line. `body`: what follows through `write`. */
  send(head: string, method: string, body: 'none' | 'length' | 'chunked', answer: Answer): void {
    this.#answer = answer;
    this.#method = method;
    this.#head = undefined;
    this.#kept = undefined;
    this.#interim = 0;
    this.answered = false;
    this.#sent = body === 'none';
    this.#chunkedRequest = body === 'chunked';
    // Cut to their low byte, letters beyond would become line ends and begin a request of their own.
    if (BEYOND_LATIN1.test(head)) throw new Error('a request holds letters that no head can carry');
    this.stream.write(head, 'latin1');
  }

  /** False: wait for `onDrain`. */
  write(data: Buffer): boolean {
    if (this.stream.destroyed) return true;
    if (!this.#chunkedRequest) return this.stream.write(data);
    if (data.length === 0) return true;
    this.stream.cork();
    this.stream.write(`${data.length.toString(16)}\r\n`, 'latin1');
    this.stream.write(data);
    const isFree = this.stream.write('\r\n', 'latin1');
    this.stream.uncork();
    return isFree;
  }

  endRequest(): void {
    if (this.#sent) return;
    this.#sent = true;
    if (this.#chunkedRequest) this.stream.write(LAST_CHUNK, 'latin1');
  }

  resume(): void {
    if (this.#answer) this.stream.resume();
  }

  destroy(): void {
    this.#answer = undefined;
    this.stream.destroy();
  }

  #take(data: Buffer, release?: Release): void {
    // Nothing was asked: whoever talks now would be heard by the next who asks.
    if (!this.#answer) {
      this.destroy();
      return;
    }
    this.answered = true;
    this.#release = release;
    try {
      if (this.#head) this.#takeBody(data);
      else this.#takeHead(data);
    } catch (error) {
      if (!(error instanceof UpstreamFault)) throw error;
      this.#fail(error);
    } finally {
      this.#release = undefined;
    }
  }

  #takeHead(data: Buffer): void {
    const all = this.#kept ? Buffer.concat([this.#kept, data]) : data;
    const end = all.indexOf(HEAD_END);
    if (end > this.#maxHeadBytes || (end < 0 && all.length > this.#maxHeadBytes)) {
      throw new UpstreamFault('its answer has headers without an end');
    }
    if (end < 0) {
      // What speaks something else may never say an empty line: nobody waits for it.
      if (all[0] !== FIRST_BYTE) throw new UpstreamFault('it does not answer in HTTP/1.1');
      this.#kept = all;
      return;
    }
    this.#kept = undefined;
    const head = parseResponseHead(all.toString('latin1', 0, end), this.#method);
    const rest = all.subarray(end + HEAD_END.length);
    if (head.status === 101) {
      this.#upgrade(head, rest);
      return;
    }
    if (head.status < 200) {
      this.#interim += 1;
      if (this.#interim > MAX_INTERIM) throw new UpstreamFault('it never comes to its answer');
      if (rest.length > 0) this.#takeHead(rest);
      return;
    }
    this.#head = head;
    this.#left = head.length;
    this.#chunks = head.body === 'chunked' ? new ChunkedBody() : undefined;
    this.#answer!.onHead(head);
    if (head.body === 'none') this.#finish(rest.length === 0);
    else if (rest.length > 0 && this.#answer) this.#takeBody(rest);
  }

  #takeBody(data: Buffer): void {
    if (this.#chunks) {
      const used = this.#chunks.take(data, (piece) => this.#give(piece));
      if (this.#answer && this.#chunks.done) this.#finish(used === data.length);
      return;
    }
    if (this.#head?.body === 'close') {
      this.#give(data);
      return;
    }
    const mine = data.length > this.#left ? data.subarray(0, this.#left) : data;
    this.#left -= mine.length;
    this.#give(mine);
    if (this.#left === 0 && this.#answer) this.#finish(mine.length === data.length);
  }

  #give(data: Buffer): void {
    // Chunks share the memory of a piece: it is not used again.
    const release = this.#chunks ? undefined : this.#release;
    if (this.#answer?.onData(data, release) === false) this.stream.pause();
  }

  #upgrade(head: ResponseHead, rest: Buffer): void {
    const answer = this.#answer;
    if (!answer?.onUpgrade) throw new UpstreamFault('it changed the protocol though nobody asked');
    this.#answer = undefined;
    this.stream.off('data', this.#taken);
    this.stream.off('end', this.#ending);
    this.stream.pause();
    answer.onUpgrade(head, this.stream, rest);
  }

  #finish(isClean: boolean): void {
    const answer = this.#answer!;
    const mayGoOn = isClean && this.#sent && this.#head?.keepAlive === true;
    answer.onEnd();
    this.#answer = undefined;
    if (!mayGoOn || !this.usable) {
      this.leave();
      return;
    }
    this.carried += 1;
    if (this.stream.isPaused()) this.stream.resume();
    this.#onIdle(this);
  }

  /** After an answer that was the last. */
  protected leave(): void {
    this.stream.destroy();
  }

  #ended(): void {
    if (this.#answer && this.#head?.body === 'close') {
      this.#answer.onEnd();
      this.#answer = undefined;
    }
    this.stream.destroy();
  }

  #fail(fault: UpstreamFault): void {
    const answer = this.#answer;
    this.#answer = undefined;
    this.stream.destroy();
    answer?.onFault(fault);
  }
}
