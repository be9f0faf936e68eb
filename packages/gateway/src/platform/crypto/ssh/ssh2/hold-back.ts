/**
 * Lets channels wait while much of what they wrote before lies unsent. ssh2 heeds the windows of the other side and never the stream
 * below: all windows together may be gigabytes, which a slow reader would have us keep, and a connection would be cut for.
 */
import type { Duplex, Writable } from 'node:stream';

/** What may lie in a stream before its channels wait. More than the streams below take at once, so that they tell when they go on. */
const MAX_UNSENT_BYTES = 1024 * 1024;
/** What a channel keeps of its own while it waits: ssh2 lets it keep eight times as much. */
const CHANNEL_BYTES = 256 * 1024;

type Write = (piece: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void) => void;

/** What of ssh2 and Node is reached into; the test with many who do not read fails when a version has it otherwise. */
interface Output {
  _write: Write;
  _writableState?: { highWaterMark: number };
}

export class HoldBack {
  readonly #stream: Duplex;
  readonly #waiting: (() => void)[] = [];

  constructor(stream: Duplex) {
    this.#stream = stream;
    stream.on('drain', () => this.#goOn());
  }

  /** Call it as soon as the channel is there. */
  hold(channel: Writable & { stderr?: unknown }): void {
    for (const output of [channel, channel.stderr].filter(isOutput)) {
      const write = output._write.bind(output);
      output._write = (...args) => this.#pass(() => write(...args));
      if (output._writableState) output._writableState.highWaterMark = CHANNEL_BYTES;
    }
  }

  #pass(write: () => void): void {
    if (this.#waiting.length === 0 && !this.#isFull()) write();
    else this.#waiting.push(write);
  }

  #goOn(): void {
    while (this.#waiting.length > 0 && !this.#isFull()) this.#waiting.shift()?.();
  }

  #isFull(): boolean {
    return this.#stream.writableLength > MAX_UNSENT_BYTES;
  }
}

function isOutput(stream: unknown): stream is Output {
  return typeof stream === 'object' && stream !== null && '_write' in stream;
}
