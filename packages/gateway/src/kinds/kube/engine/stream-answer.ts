/** The answer of a cluster as a stream, for what the gateway asks by itself. */
import { PassThrough, type Readable } from 'node:stream';
import type { ClientAnswer } from '../../../reach/http/client-answer.ts';
import type { Release } from '../../../reach/http/pooled-reads.ts';
import { UpstreamFault } from '../../../reach/http/upstream-fault.ts';

export interface KubeAnswer {
  status: number;
  /** Names in lower case and values, in turn. */
  headers: readonly string[];
  /** Not reading it holds the cluster up; destroying it ends the request. */
  body: Readable;
}

/** On the way between the cluster and whoever reads. */
const AHEAD_BYTES = 256 * 1024;

export class StreamAnswer implements ClientAnswer {
  onLeave: (() => void) | undefined;
  onDrain: (() => void) | undefined;
  readonly #body = new PassThrough({ highWaterMark: AHEAD_BYTES });
  readonly #head = Promise.withResolvers<KubeAnswer>();
  #ended = false;

  constructor() {
    this.#body.on('drain', () => this.onDrain?.());
    this.#body.on('close', () => void (this.#ended || this.onLeave?.()));
    // Whoever reads hears of it; who does not, has left.
    this.#body.on('error', () => {});
  }

  get head(): Promise<KubeAnswer> {
    return this.#head.promise;
  }

  fail(error: unknown): void {
    this.#head.reject(error);
    this.#body.destroy(error instanceof Error ? error : new Error(String(error)));
  }

  writeHead(status: number, _reason: string, headers: readonly string[]): void {
    this.#head.resolve({ status, headers, body: this.#body });
  }

  /** Whoever reads has it already. */
  flush(): void {}

  write(data: Buffer, release?: Release): boolean {
    // The memory of a piece is used again once it is released: what waits here is a copy.
    if (!release) return this.#body.write(data);
    const isFree = this.#body.write(Buffer.from(data));
    release();
    return isFree;
  }

  end(data?: Buffer): void {
    this.#ended = true;
    if (data) this.#body.end(data);
    else this.#body.end();
  }

  destroy(): void {
    this.fail(new UpstreamFault('its answer broke off'));
  }
}
