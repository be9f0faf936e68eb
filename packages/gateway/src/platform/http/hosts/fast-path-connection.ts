/** A connection of which simple requests are answered at once, without what Node does for each request; at the first that is not, Node takes it over for good. */
import type { Socket } from 'node:net';
import { type HeaderBlock, readSimpleHead, type SimpleHead } from './fast-path-head.ts';

export interface SimpleRequest extends SimpleHead {
  /** The other end of the connection. */
  peer: string | undefined;
}

/** Where the answer of one request goes: head, pieces, end. */
export interface SimpleAnswer {
  /** Set while it is under way: the client left before the end. */
  onLeave: (() => void) | undefined;
  /** Set while it is under way: there is room again after a `write` that said false. */
  onDrain: (() => void) | undefined;
  readonly begun: boolean;
  /** Names and values in turn, checked by the caller: nothing in them ends a line. */
  writeHead(status: number, reason: string, headers: readonly string[], body: 'none' | 'length' | 'chunked'): void;
  /** The head goes out without waiting for the first piece of the body. */
  flush(): void;
  write(data: Buffer, release?: (error?: Error | null) => void): boolean;
  end(data?: Buffer): void;
  /** A whole answer with its own head, after which the connection ends. */
  endWith(answer: string): void;
  destroy(): void;
}

export interface SimpleConnectionOptions {
  /** False: it is for somebody else, and nothing was done about it. */
  serve(request: SimpleRequest, answer: SimpleAnswer): boolean;
  /** Node's own server goes on with the connection, beginning with what was read of it. */
  handOver(first: Buffer): void;
  onClose(connection: SimpleConnection): void;
}

/** Up to here one string of head and body is cheaper than two writes. */
const SMALL_BYTES = 16 * 1024;

export class SimpleConnection implements SimpleAnswer {
  onLeave: (() => void) | undefined;
  onDrain: (() => void) | undefined;
  /** Milliseconds without a request, counted by whoever sweeps. */
  quietMs = 0;
  /** Requests answered here. */
  served = 0;
  readonly #socket: Socket;
  readonly #options: SimpleConnectionOptions;
  readonly #peer: string | undefined;
  #busy = false;
  #isLast = false;
  #begun = false;
  #headers: HeaderBlock | undefined;
  /** Of the answer, until something goes with it. */
  #head = '';
  #chunked = false;
  /** What came while a request was under way. */
  #kept: Buffer[] = [];

  constructor(socket: Socket, options: SimpleConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#peer = socket.remoteAddress;
    socket.on('data', this.#taken);
    socket.on('drain', this.#drained);
    socket.on('end', this.#ended);
    socket.on('error', this.#broke);
    socket.on('close', this.#closed);
  }

  get busy(): boolean {
    return this.#busy;
  }

  get begun(): boolean {
    return this.#begun;
  }

  /** After the request that is under way, if there is one. */
  closeSoon(): void {
    if (this.#busy) this.#isLast = true;
    else this.#socket.destroy();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  writeHead(status: number, reason: string, headers: readonly string[], body: 'none' | 'length' | 'chunked'): void {
    let head = `HTTP/1.1 ${status} ${reason}\r\n`;
    let isDated = false;
    for (let at = 0; at < headers.length; at += 2) {
      const name = headers[at]!;
      if (name === 'date') isDated = true;
      head += `${name}: ${headers[at + 1]!}\r\n`;
    }
    if (!isDated) head += `date: ${new Date().toUTCString()}\r\n`;
    if (body === 'chunked') head += 'transfer-encoding: chunked\r\n';
    head += this.#isLast ? 'connection: close\r\n\r\n' : 'connection: keep-alive\r\n\r\n';
    this.#begun = true;
    this.#chunked = body === 'chunked';
    this.#head = head;
  }

  write(data: Buffer, release?: (error?: Error | null) => void): boolean {
    const socket = this.#socket;
    if (socket.writableCorked === 0) {
      socket.cork();
      process.nextTick(uncork, socket);
    }
    this.flush();
    if (!this.#chunked) return socket.write(data, release);
    if (data.length === 0) return true;
    socket.write(`${data.length.toString(16)}\r\n`, 'latin1');
    socket.write(data, release);
    return socket.write('\r\n', 'latin1');
  }

  end(data?: Buffer): void {
    const socket = this.#socket;
    if (this.#head !== '' && !this.#chunked && (!data || data.length <= SMALL_BYTES)) {
      socket.write(data ? this.#head + data.toString('latin1') : this.#head, 'latin1');
      this.#head = '';
    } else {
      if (data) this.write(data);
      this.flush();
      if (this.#chunked) socket.write('0\r\n\r\n', 'latin1');
    }
    this.#finish();
  }

  endWith(answer: string): void {
    this.#isLast = true;
    this.#head = '';
    this.#socket.write(answer);
    this.#finish();
  }

  flush(): void {
    if (this.#head === '') return;
    this.#socket.write(this.#head, 'latin1');
    this.#head = '';
  }

  #finish(): void {
    this.#busy = false;
    this.onLeave = undefined;
    this.onDrain = undefined;
    if (this.#isLast) this.#socket.end();
    // One that asks on and on without reading the answers would fill our memory with them.
    else if (this.#socket.writableNeedDrain) this.#socket.pause();
    else if (this.#kept.length > 0) process.nextTick(this.#next);
  }

  readonly #next = (): void => {
    if (this.#busy || this.#socket.destroyed) return;
    const kept = this.#kept;
    this.#kept = [];
    this.#socket.resume();
    if (kept.length > 0) this.#serve(kept.length === 1 ? kept[0]! : Buffer.concat(kept));
  };

  readonly #taken = (data: Buffer): void => {
    if (this.#busy || this.#kept.length > 0) {
      this.#kept.push(data);
      this.#socket.pause();
    } else this.#serve(data);
  };

  #serve(data: Buffer): void {
    const head = readSimpleHead(data, this.#headers);
    if (!head) {
      this.#handOver(data);
      return;
    }
    this.#headers = head.headers;
    this.#busy = true;
    this.#begun = false;
    this.quietMs = 0;
    const { method, url, headers } = head;
    if (this.#options.serve({ method, url, headers, peer: this.#peer }, this)) {
      this.served += 1;
      return;
    }
    this.#busy = false;
    this.#handOver(data);
  }

  #handOver(data: Buffer): void {
    const socket = this.#socket;
    socket.off('data', this.#taken);
    socket.off('drain', this.#drained);
    socket.off('end', this.#ended);
    socket.off('error', this.#broke);
    socket.off('close', this.#closed);
    this.#options.onClose(this);
    socket.unshift(data);
    this.#options.handOver(data);
  }

  readonly #drained = (): void => {
    if (this.#busy) this.onDrain?.();
    else this.#next();
  };

  /** As Node's own server has it: who says no more hears no more. */
  readonly #ended = (): void => {
    if (this.#busy) this.#socket.destroy();
    else this.#socket.end();
  };

  readonly #broke = (): void => {
    this.#socket.destroy();
  };

  readonly #closed = (): void => {
    this.#busy = false;
    this.#options.onClose(this);
    this.onLeave?.();
  };
}

function uncork(socket: Socket): void {
  socket.uncork();
}
