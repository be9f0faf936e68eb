/** Where the answer to a client goes, whichever way its request came in. */
import type { ServerResponse } from 'node:http';
import { abortResponse } from './abort-response.ts';
import type { Release } from './pooled-reads.ts';

export interface ClientAnswer {
  /** Set while it is under way: the client left before the end. */
  onLeave: (() => void) | undefined;
  /** Set while it is under way: there is room again after a `write` that said false. */
  onDrain: (() => void) | undefined;
  /** Names in lower case and values, in turn. */
  writeHead(status: number, reason: string, headers: readonly string[], body: 'none' | 'length' | 'chunked'): void;
  /** The head goes out without waiting for the first piece of the body. */
  flush(): void;
  write(data: Buffer, release?: Release): boolean;
  end(data?: Buffer): void;
  /** It is not whole, and the client sees that. */
  destroy(): void;
}

/** Through Node's own server, of HTTP/1.1 or HTTP/2. */
export class NodeAnswer implements ClientAnswer {
  onLeave: (() => void) | undefined;
  onDrain: (() => void) | undefined;
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
    response.on('close', () => this.onLeave?.());
    response.on('drain', () => this.onDrain?.());
  }

  writeHead(status: number, reason: string, headers: readonly string[]): void {
    const response = this.#response;
    if ('createPushResponse' in response) response.writeHead(status, grouped(headers));
    else if (reason === '') response.writeHead(status, [...headers]);
    else response.writeHead(status, reason, [...headers]);
  }

  flush(): void {
    if (this.#response.flushHeaders) this.#response.flushHeaders();
  }

  write(data: Buffer, release?: Release): boolean {
    return release ? this.#response.write(data, release) : this.#response.write(data);
  }

  end(data?: Buffer): void {
    this.onLeave = undefined;
    if (data) this.#response.end(data);
    else this.#response.end();
  }

  destroy(): void {
    abortResponse(this.#response);
  }
}

/** HTTP/2 sets headers by name: several of one name travel as a list. */
function grouped(headers: readonly string[]): Record<string, string | string[]> {
  const found: Record<string, string | string[]> = {};
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]!;
    const value = headers[at + 1]!;
    const before = Object.hasOwn(found, name) ? found[name] : undefined;
    if (before === undefined) found[name] = value;
    else if (Array.isArray(before)) before.push(value);
    else found[name] = name === 'set-cookie' ? [before, value] : `${before}, ${value}`;
  }
  return found;
}
