/** The answer to a watch: when somebody may not have it any more, its last line tells why. */
import type { ClientAnswer } from '../../../reach/http/client-answer.ts';
import type { Release } from '../../../reach/http/pooled-reads.ts';

const LINE_END = 0x0a;

export class WatchAnswer implements ClientAnswer {
  readonly #inner: ClientAnswer;
  #begun = false;
  #ended = false;
  /** The lines are JSON as they are: one of ours may follow. */
  #isPlain = false;
  #atStart = true;

  constructor(inner: ClientAnswer) {
    this.#inner = inner;
  }

  get onLeave(): (() => void) | undefined {
    return this.#inner.onLeave;
  }
  set onLeave(run: (() => void) | undefined) {
    this.#inner.onLeave = run;
  }
  get onDrain(): (() => void) | undefined {
    return this.#inner.onDrain;
  }
  set onDrain(run: (() => void) | undefined) {
    this.#inner.onDrain = run;
  }

  writeHead(status: number, reason: string, headers: readonly string[], body: 'none' | 'length' | 'chunked'): void {
    this.#begun = true;
    const at = headers.indexOf('content-type');
    const isJson = at >= 0 && headers[at + 1]!.startsWith('application/json');
    this.#isPlain = status === 200 && body === 'chunked' && isJson && !headers.includes('content-encoding');
    this.#inner.writeHead(status, reason, headers, body);
  }

  flush(): void {
    this.#inner.flush();
  }

  write(data: Buffer, release?: Release): boolean {
    if (data.length > 0) this.#atStart = data[data.length - 1] === LINE_END;
    return this.#inner.write(data, release);
  }

  end(data?: Buffer): void {
    this.#ended = true;
    this.#inner.end(data);
  }

  destroy(): void {
    this.#inner.destroy();
  }

  /** False: nothing can be said in it any more. */
  endWith(status: Buffer): boolean {
    if (!this.#begun || this.#ended || !this.#isPlain || !this.#atStart) return false;
    // One line: each is an event.
    this.end(Buffer.from(`{"type":"ERROR","object":${status.toString().trim()}}\n`));
    return true;
  }
}
