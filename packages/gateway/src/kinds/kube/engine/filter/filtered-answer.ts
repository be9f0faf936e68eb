/** An answer of which only a part goes on: what of a list or a watch somebody may see. */
import type { ClientAnswer } from '../../../../reach/http/client-answer.ts';
import type { Release } from '../../../../reach/http/pooled-reads.ts';
import { UpstreamFault } from '../../../../reach/http/upstream-fault.ts';
import { isFilterable } from './filtered-request.ts';
import { type Allows, ListScan } from './list-scan.ts';
import { WatchScan } from './watch-scan.ts';

export interface FilteredAnswerOptions {
  allows: Allows;
  isWatch: boolean;
  /** Of a list: says where it goes on. */
  sealContinue: (token: string) => string;
  /** It cannot be told apart: nothing was passed on, and whoever asked is answered here. */
  onUnfilterable(error: UpstreamFault): void;
}

export class FilteredAnswer implements ClientAnswer {
  readonly #inner: ClientAnswer;
  readonly #options: FilteredAnswerOptions;
  readonly #scan: { write(chunk: Buffer): Buffer[]; finish(): void };
  /** An error of the cluster names nothing but what was asked for. */
  #isPassed = false;
  #isRefused = false;

  constructor(inner: ClientAnswer, options: FilteredAnswerOptions) {
    this.#inner = inner;
    this.#options = options;
    const { allows, sealContinue } = options;
    this.#scan = options.isWatch ? new WatchScan(allows) : new ListScan(allows, { sealContinue });
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
    const isError = status < 200 || status >= 300;
    this.#isPassed = isError || body === 'none';
    if (this.#isPassed) {
      // How long all of it is says how much is not seen.
      this.#inner.writeHead(status, reason, isError ? headers : withoutLength(headers), body);
      return;
    }
    const value = (name: string) => {
      const at = headers.indexOf(name);
      return at < 0 ? undefined : headers[at + 1];
    };
    if (!isFilterable(value('content-type'), value('content-encoding'))) {
      this.#isRefused = true;
      this.onLeave = undefined;
      this.#options.onUnfilterable(new UpstreamFault('it answers a list in a form that cannot be told apart'));
      return;
    }
    this.#inner.writeHead(status, reason, withoutLength(headers), 'chunked');
  }

  flush(): void {
    if (!this.#isRefused) this.#inner.flush();
  }

  write(data: Buffer, release?: Release): boolean {
    if (this.#isRefused) return true;
    if (this.#isPassed) return this.#inner.write(data, release);
    // What waits for the rest of its object must not be used again meanwhile.
    const own = release ? Buffer.from(data) : data;
    release?.();
    return this.#pass(() => this.#scan.write(own));
  }

  end(data?: Buffer): void {
    if (this.#isRefused) return;
    if (this.#isPassed) {
      this.#inner.end(data);
      return;
    }
    if (data) this.write(data);
    this.#pass(() => {
      this.#scan.finish();
      return [];
    });
    this.#inner.end();
  }

  destroy(): void {
    // Whoever asked is told why, which must still arrive.
    if (!this.#isRefused) this.#inner.destroy();
  }

  #pass(scan: () => Buffer[]): boolean {
    let passed: Buffer[];
    try {
      passed = scan();
    } catch (error) {
      // What has passed is whole objects; the connection breaks, or the client would take them for all there are.
      throw new UpstreamFault(error instanceof Error ? error.message : String(error));
    }
    if (passed.length === 0) return true;
    // One piece, and not one for each brace.
    return this.#inner.write(passed.length === 1 ? passed[0]! : Buffer.concat(passed));
  }
}

function withoutLength(headers: readonly string[]): string[] {
  return headers.filter((_, at) => headers[at - (at % 2)] !== 'content-length');
}
