/** A websocket as the plain byte stream below HTTP/2: binary messages joined and split as it suits the wire. */
import { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';

/** Writes are joined up to this: one frame per HTTP/2 frame would cost three times the processor. */
const JOIN_BYTES = 64 * 1024;
/** The largest message we take; ours are at most JOIN_BYTES or one write of HTTP/2. */
export const MAX_WEBSOCKET_BYTES = 1024 * 1024;

type Done = (error?: Error | null) => void;

export class WebSocketDuplex extends Duplex {
  bytesRead = 0;
  readonly #socket: WebSocket;

  constructor(socket: WebSocket) {
    super({ allowHalfOpen: false, readableHighWaterMark: JOIN_BYTES, writableHighWaterMark: JOIN_BYTES });
    this.#socket = socket;
    socket.binaryType = 'nodebuffer';
    socket.on('message', (data, isBinary) => this.#take(data, isBinary));
    // Without an 'end' first: see steady-duplex.ts for what that would do to HTTP/2.
    socket.on('close', () => this.destroy());
    socket.on('error', (error) => this.destroy(error));
  }

  #take(data: RawData, isBinary: boolean): void {
    if (this.destroyed) return;
    if (!isBinary || !Buffer.isBuffer(data)) {
      this.destroy(new Error('the websocket carried text'));
      return;
    }
    this.bytesRead += data.length;
    if (!this.push(data)) this.#socket.pause();
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Done): void {
    this.#send([chunk], done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: Done): void {
    this.#send(
      chunks.map(({ chunk }) => chunk),
      done,
    );
  }

  #send(chunks: Buffer[], done: Done): void {
    const messages = joined(chunks);
    let left = messages.length;
    // `ws` calls back in order and once each; the last one stands for all, an error for the first.
    for (const message of messages) {
      this.#socket.send(message, { binary: true, compress: false }, (error) => {
        left -= 1;
        if (error) done(error);
        else if (left === 0) done();
      });
    }
  }

  override _final(done: Done): void {
    this.#socket.close(1000);
    done();
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#socket.terminate();
    done(error);
  }
}

function joined(chunks: Buffer[]): Buffer[] {
  const messages: Buffer[] = [];
  let pending: Buffer[] = [];
  let size = 0;
  for (const chunk of chunks) {
    if (size > 0 && size + chunk.length > JOIN_BYTES) {
      messages.push(Buffer.concat(pending, size));
      pending = [];
      size = 0;
    }
    pending.push(chunk);
    size += chunk.length;
  }
  if (size > 0 || messages.length === 0) messages.push(Buffer.concat(pending, size));
  return messages.flatMap(split);
}

function split(message: Buffer): Buffer[] {
  if (message.length <= JOIN_BYTES) return [message];
  const parts: Buffer[] = [];
  for (let at = 0; at < message.length; at += JOIN_BYTES) parts.push(message.subarray(at, at + JOIN_BYTES));
  return parts;
}
