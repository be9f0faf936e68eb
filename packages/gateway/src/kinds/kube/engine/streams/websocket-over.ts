/** The client's side of a websocket over a stream that is upgraded already: `ws` wants to ask for that itself, so it is answered here. */
import { createHash } from 'node:crypto';
import { Duplex } from 'node:stream';
import { answerPings } from '@gatehouse/tunnel/answer-pings';
import { WebSocket } from 'ws';
import type { Upgraded } from './spdy-channels.ts';
import { AHEAD_BYTES, MAX_MESSAGE_BYTES } from './websocket-channels.ts';

/** Joined to a key before it is hashed, in every websocket. */
const KEY_TAIL = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const HEAD_END = '\r\n\r\n';

/** What must be answered to a key. */
export function acceptOf(key: string): string {
  return createHash('sha1').update(`${key}${KEY_TAIL}`).digest('base64');
}

/** Not open yet when it comes back. */
export function websocketOver(upgraded: Upgraded): WebSocket {
  const socket = new WebSocket('ws://upgraded/', {
    createConnection: () => new AnsweredStream(upgraded),
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
    followRedirects: false,
    generateMask: noMask,
    autoPong: false,
  });
  answerPings(socket);
  return socket;
}

/**
 * Masks keep what a page of the web makes a browser send from being taken for requests by proxies in between. Here there is no page, the
 * bytes are inside TLS, and those of SPDY travel as they are too: masking each by itself took a third of what a copy of files costs.
 */
function noMask(mask: Buffer): void {
  mask.fill(0);
}

type Done = (error?: Error | null) => void;

class AnsweredStream extends Duplex {
  readonly #below: Duplex;
  #rest: Buffer;
  #head: string | undefined = '';

  constructor({ stream, rest }: Upgraded) {
    super({ allowHalfOpen: false, highWaterMark: AHEAD_BYTES });
    this.#below = stream;
    this.#rest = rest;
    stream.on('data', (bytes: Buffer) => void (this.push(bytes) || stream.pause()));
    stream.pause();
    stream.on('end', () => this.push(null));
    stream.on('error', (error) => this.destroy(error));
    stream.on('close', () => this.destroy());
  }

  override _read(): void {
    if (this.#head === undefined) this.#below.resume();
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: Done): void {
    if (this.#head === undefined) {
      if (this.#below.write(bytes)) done();
      else this.#below.once('drain', () => done());
      return;
    }
    this.#head += bytes.toString('latin1');
    if (this.#head.includes(HEAD_END)) this.#answer(this.#head);
    done();
  }

  /** The head of a message and the rest of it, in one piece. */
  override _writev(parts: { chunk: Buffer; encoding: BufferEncoding }[], done: Done): void {
    if (this.#head !== undefined) {
      this._write(Buffer.concat(parts.map(({ chunk }) => chunk)), 'latin1', done);
      return;
    }
    const below = this.#below;
    below.cork();
    let isFree = true;
    for (const { chunk } of parts) isFree = below.write(chunk);
    below.uncork();
    if (isFree) done();
    else below.once('drain', () => done());
  }

  #answer(head: string): void {
    this.#head = undefined;
    const key = /^sec-websocket-key: *(\S+)/im.exec(head)?.[1] ?? '';
    this.push(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${acceptOf(key)}${HEAD_END}`,
    );
    if (this.#rest.length > 0) this.push(this.#rest);
    this.#rest = Buffer.alloc(0);
    this.#below.resume();
  }

  override _final(done: Done): void {
    this.#below.end(() => done());
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#below.destroy();
    done(error);
  }
}
