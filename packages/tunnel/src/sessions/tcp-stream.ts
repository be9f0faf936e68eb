/**
 * The bytes of one connection through the gateway, over a websocket of its own; the client's side of contract/sessions/tcp-frames.ts.
 *
 *   client   hello(token)
 *   gateway  ready(session) | failed(code, message)
 *   both     binary frames, each at its own pace, until either says `end`
 */
import { Duplex } from 'node:stream';
import { CLOSE_CODES } from '@gatehouse/contract/identity/change-frames';
import { PASS_HEADER, tcpFrame } from '@gatehouse/contract/sessions/tcp-frames';
import { readError } from '@gatehouse/contract/wire/client';
import { pathFor } from '@gatehouse/contract/wire/route';
import WebSocket, { type RawData } from 'ws';

/** Larger writes are cut: the gateway takes no frame above 1 MiB, and small ones keep both directions moving. */
const FRAME_BYTES = 64 * 1024;
const READY_MS = 30_000;
const MAX_REFUSAL_BYTES = 64 * 1024;

/** Why a connection did not come about, or broke. `code` is one of contract/errors.ts, or `unreachable`. */
export class TcpStreamError extends Error {
  override readonly name = 'TcpStreamError';
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export interface TcpStreamOptions {
  /** Of the gateway: `https://gate.example.com`. */
  origin: string;
  token: string;
  /** The door of its kind, like `APP_TCP_SOCKET`. */
  door: string;
  clusterId: string;
  name: string;
  /** What else the door asks, as its query. */
  query?: Readonly<Record<string, string>>;
  userAgent: string;
  /** What a second factor was traded for, where a role asks for one; else empty. */
  pass?: string;
}

/** Resolves when the gateway has reached what is wanted; what is written before could not be taken back. */
export function openTcpStream(options: TcpStreamOptions): Promise<Duplex> {
  const { origin, door, clusterId, name, token, userAgent, pass = '', query = {} } = options;
  const asked = new URLSearchParams(query).toString();
  const path = `${pathFor(door, { clusterId, name })}${asked === '' ? '' : `?${asked}`}`;
  // Redirects are not followed: the token would go to whoever they name.
  const socket = new WebSocket(`${origin.replace(/^http/, 'ws')}${path}`, {
    headers: { 'user-agent': userAgent, ...(pass === '' ? {} : { [PASS_HEADER]: pass }) },
    perMessageDeflate: false,
    followRedirects: false,
    maxPayload: 1024 * 1024,
    handshakeTimeout: READY_MS,
  });
  return new Promise((resolve, reject) => {
    const fail = (error: TcpStreamError) => {
      clearTimeout(timer);
      socket.on('error', () => undefined);
      socket.terminate();
      reject(error);
    };
    const timer = setTimeout(
      () => fail(new TcpStreamError('unreachable', `the gateway did not answer within ${READY_MS / 1000} s`)),
      READY_MS,
    );
    socket.on('unexpected-response', (_request, response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        if (text.length < MAX_REFUSAL_BYTES) text += chunk;
      });
      response.on('end', () => {
        const { code, message } = readError({ status: response.statusCode ?? 500, text }, path);
        fail(new TcpStreamError(code, message));
      });
    });
    socket.on('error', (error) =>
      fail(new TcpStreamError('unreachable', `no gateway answers at ${origin}: ${error.message}`)),
    );
    socket.on('close', (code, reason) => fail(closedBefore(code, String(reason))));
    socket.on('open', () => socket.send(JSON.stringify({ type: 'hello', token })));
    socket.on('message', (data, isBinary) => {
      const frame = isBinary ? undefined : readFrame(data);
      if (frame?.type === 'failed') fail(new TcpStreamError(frame.code, frame.message));
      if (frame?.type !== 'ready') return;
      clearTimeout(timer);
      socket.removeAllListeners();
      resolve(new TcpStream(socket));
    });
  });
}

function closedBefore(code: number, reason: string): TcpStreamError {
  if (code === CLOSE_CODES.notSignedIn || code === CLOSE_CODES.signInEnded) {
    return new TcpStreamError('not_signed_in', 'you are not signed in, or your sign-in has ended');
  }
  return new TcpStreamError('unavailable', `the gateway closed the connection${reason ? `: ${reason}` : ` (${code})`}`);
}

function readFrame(data: RawData) {
  try {
    return tcpFrame.safeParse(JSON.parse(String(data))).data;
  } catch {
    return undefined;
  }
}

/** Either end of such a connection; `socket` is open, and nothing else listens to it. */
export class TcpStream extends Duplex {
  readonly #socket: WebSocket;
  #heardEnd = false;

  constructor(socket: WebSocket) {
    super({ allowHalfOpen: true, readableHighWaterMark: FRAME_BYTES, writableHighWaterMark: FRAME_BYTES });
    this.#socket = socket;
    socket.binaryType = 'nodebuffer';
    socket.on('message', (data, isBinary) => this.#take(data, isBinary));
    socket.on('close', (code, reason) => this.#closed(code, String(reason)));
    socket.on('error', (error) => this.destroy(error));
  }

  #take(data: RawData, isBinary: boolean): void {
    if (this.destroyed || this.#heardEnd) return;
    if (isBinary && Buffer.isBuffer(data)) {
      // Not read on this side: the gateway, and behind it what is dialled, is made to wait.
      if (!this.push(data)) this.#socket.pause();
      return;
    }
    const frame = readFrame(data);
    if (frame?.type === 'end') this.#end();
    if (frame?.type === 'failed') this.destroy(new TcpStreamError(frame.code, frame.message));
  }

  #end(): void {
    this.#heardEnd = true;
    this.push(null);
  }

  #closed(code: number, reason: string): void {
    // Without `end` something is missing, however politely it was closed.
    if (this.#heardEnd || this.destroyed) this.destroy();
    else this.destroy(closedBefore(code, reason));
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    // Gone already, or nothing in it: what has no reader is no failure of its own.
    if (this.#socket.readyState !== WebSocket.OPEN || chunk.length === 0) {
      done();
      return;
    }
    for (let at = 0; at < chunk.length; at += FRAME_BYTES) {
      const isLast = at + FRAME_BYTES >= chunk.length;
      // The last one stands for all: `ws` calls back in order.
      this.#socket.send(chunk.subarray(at, at + FRAME_BYTES), { binary: true }, isLast ? done : undefined);
    }
  }

  override _final(done: (error?: Error | null) => void): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify({ type: 'end' }), () => done());
    else done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (error) this.#socket.terminate();
    else this.#socket.close(1000);
    done(error);
  }
}
