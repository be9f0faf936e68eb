/**
 * Reads a link without pause, whatever HTTP/2 above it does. Node stops reading a session's socket while it writes to it, so:
 * with bulk in both directions and more in flight than the kernel buffers, both ends wait for the other to read, for ever;
 * a peer that died during an upload goes unnoticed; and one whose pongs wait behind an upload is taken for dead.
 */
import { Duplex } from 'node:stream';
import type { Link } from '../link.ts';
import { TunnelError } from '../tunnel-error.ts';
import { SESSION_WINDOW_BYTES } from './session-options.ts';

/** Frames that no window counts: headers, pings, settings. */
const UNCOUNTED_BYTES = 16 * 1024 * 1024;

/** What an honest peer can have sent beyond what was read: the window is its promise not to send more. */
const MAX_UNREAD_BYTES = SESSION_WINDOW_BYTES + UNCOUNTED_BYTES;

/** `bytesRead` goes on counting at the socket, where nothing waits. */
export function steadyLink(link: Link): Link {
  const stream = new SteadyDuplex(link.stream);
  // Its end shows by 'close'.
  stream.on('error', () => {});
  return { ...link, stream };
}

type Done = (error?: Error | null) => void;

class SteadyDuplex extends Duplex {
  readonly #below: Duplex;

  constructor(below: Duplex) {
    super({ allowHalfOpen: false });
    this.#below = below;
    below.on('data', (chunk: Buffer) => {
      this.push(chunk);
      if (this.readableLength > MAX_UNREAD_BYTES)
        this.destroy(new TunnelError('bad_peer', 'the peer sent more than it may'));
    });
    // Never an 'end' of ours: Node would shut its own side down at once, and a stream reset after that trips an assertion
    // in JSStreamSocket, ending the process.
    below.on('end', () => this.destroy());
    below.on('error', (error) => this.destroy(error));
    below.on('close', () => this.destroy());
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Done): void {
    this.#below.write(chunk, done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: Done): void {
    this.#below.cork();
    const last = chunks.length - 1;
    chunks.forEach(({ chunk }, index) => {
      this.#below.write(chunk, index === last ? done : undefined);
    });
    this.#below.uncork();
  }

  override _final(done: Done): void {
    this.#below.end(done);
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#below.destroy();
    done(error);
  }
}
