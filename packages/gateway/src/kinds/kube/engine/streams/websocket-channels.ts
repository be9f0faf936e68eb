/** The channels of an exec as messages of a websocket: the first byte says which. */
import { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import { CHANNELS, type Channel, type ExecChannels } from './channels.ts';

/** The one that can tell the end of stdin first: without it `cat` waits for ever. */
export const WEBSOCKET_EXEC_PROTOCOLS = ['v5.channel.k8s.io', 'v4.channel.k8s.io'] as const;
export const MAX_MESSAGE_BYTES = 1024 * 1024;
/** In the fifth version: the channel whose number follows has ended. */
const ENDED = 255;
const PART_BYTES = 32 * 1024;
/** Of each channel, each way: with less, every message waits for the one before to be written. */
export const AHEAD_BYTES = 256 * 1024;
const BAD_MESSAGE = 1008;

type Done = (error?: Error | null) => void;

/** Listens at once: the first message may come in the same packet as the answer to the upgrade. */
export function websocketChannels(socket: WebSocket, protocol: string, wanted: readonly Channel[]): ExecChannels {
  const canEnd = protocol === WEBSOCKET_EXEC_PROTOCOLS[0];
  const full = new Set<Duplex>();
  const streams = new Map<number, ChannelStream>();
  for (const name of wanted) {
    const number = CHANNELS.indexOf(name);
    streams.set(number, new ChannelStream(socket, { number, tellsEnd: canEnd && name === 'stdin', full }));
  }
  const named = Object.fromEntries([...streams].map(([number, stream]) => [CHANNELS[number], stream]));
  const { promise: closed, resolve } = Promise.withResolvers<string | undefined>();
  socket.on('message', (data, isBinary) => {
    const bytes = bytesOf(data);
    if (!isBinary) {
      socket.close(BAD_MESSAGE, 'messages are binary');
      return;
    }
    const [first] = bytes;
    // Servers begin each channel with an empty message.
    if (first === undefined) return;
    if (first === ENDED && canEnd) streams.get(bytes[1] ?? ENDED)?.ended();
    else streams.get(first)?.came(bytes.subarray(1));
  });
  socket.on('error', ({ message }) => resolve(`the websocket broke: ${message}`));
  socket.on('close', (code, reason) => {
    for (const stream of streams.values()) stream.ended();
    resolve(code === 1000 || code === 1005 ? undefined : `the websocket was closed with ${code} ${reason}`.trim());
  });
  return {
    protocol: `websocket ${protocol.slice(0, 2)}`,
    streams: named as unknown as ExecChannels['streams'],
    closed,
    close: () => socket.close(1000),
    destroy: () => socket.terminate(),
    closesFirst: false,
  };
}

interface ChannelOptions {
  number: number;
  /** Whether the other side hears of the end. */
  tellsEnd: boolean;
  /** Those whose readers have enough: nothing is read meanwhile. */
  full: Set<Duplex>;
}

class ChannelStream extends Duplex {
  readonly #socket: WebSocket;
  readonly #options: ChannelOptions;
  #hasEnded = false;

  constructor(socket: WebSocket, options: ChannelOptions) {
    super({ allowHalfOpen: true, highWaterMark: AHEAD_BYTES });
    this.#socket = socket;
    this.#options = options;
    this.on('error', () => {});
  }

  came(bytes: Buffer): void {
    if (bytes.length === 0 || this.#hasEnded || this.destroyed || this.push(bytes)) return;
    this.#options.full.add(this);
    this.#socket.pause();
  }

  ended(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (!this.destroyed) this.push(null);
  }

  override _read(): void {
    const { full } = this.#options;
    if (full.delete(this) && full.size === 0) this.#socket.resume();
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: Done): void {
    const { number } = this.#options;
    for (let at = 0; at < bytes.length; at += PART_BYTES) {
      const isLast = at + PART_BYTES >= bytes.length;
      const part = messageOf(number, bytes.subarray(at, at + PART_BYTES));
      this.#socket.send(part, { binary: true }, isLast ? done : undefined);
    }
    if (bytes.length === 0) done();
  }

  override _final(done: Done): void {
    if (this.#options.tellsEnd && this.#socket.readyState === this.#socket.OPEN)
      this.#socket.send(Buffer.of(ENDED, this.#options.number), { binary: true });
    done();
  }

  override _destroy(error: Error | null, done: Done): void {
    const { full } = this.#options;
    if (full.delete(this) && full.size === 0) this.#socket.resume();
    done(error);
  }
}

/** What came as one message of that channel lies behind its number already, alone in its memory: it goes on as it is. */
function messageOf(number: number, part: Buffer): Buffer {
  if (part.byteOffset === 1 && part.buffer.byteLength === part.length + 1) {
    const whole = Buffer.from(part.buffer);
    if (whole[0] === number) return whole;
  }
  return Buffer.concat([Buffer.of(number), part]);
}

function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}
