/** A client of Redis over any stream, for tests of the doors to it: one command at a time, and what became of it. */
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { command } from '../../src/kinds/db/engine/redis/resp.ts';

export class PlainRedis {
  readonly over: Promise<unknown>;
  readonly #stream: Duplex;
  #kept = '';
  #waiting: PromiseWithResolvers<string> | undefined;

  private constructor(stream: Duplex) {
    this.#stream = stream;
    this.over = once(stream, 'close').catch(() => {});
    stream.on('error', () => {});
    stream.on('data', (piece: Buffer) => this.#hear(piece));
    stream.on('end', () => stream.end());
    stream.on('close', () => this.#waiting?.reject(new Error(this.#kept || 'it was closed without a word')));
  }

  /** Throws in the server's words, or the gateway's. */
  static async open(stream: Duplex, ...first: string[]): Promise<PlainRedis> {
    const client = new PlainRedis(stream);
    await client.ask(...(first.length > 0 ? first : ['PING']));
    return client;
  }

  /** Words without spaces in them. Gives the whole answer as it came. */
  run(words: string): Promise<string> {
    return this.ask(...words.split(' '));
  }

  ask(...words: string[]): Promise<string> {
    this.#kept = '';
    this.#waiting = Promise.withResolvers();
    this.#stream.write(command(...words));
    return this.#waiting.promise;
  }

  drop(): void {
    this.#stream.destroy();
  }

  #hear(piece: Buffer): void {
    this.#kept += piece.toString('latin1');
    const end = endOf(this.#kept, 0);
    if (end === undefined || end > this.#kept.length) return;
    if (this.#kept.startsWith('-')) this.#waiting?.reject(new Error(this.#kept.slice(1).trim()));
    else this.#waiting?.resolve(this.#kept);
  }
}

/** Where the answer that begins there ends, of RESP2; undefined while its heads are not all there. */
function endOf(text: string, at: number): number | undefined {
  const stop = text.indexOf('\r\n', at);
  if (stop < 0) return undefined;
  const count = Number(text.slice(at + 1, stop));
  if (text[at] === '$') return count < 0 ? stop + 2 : stop + 2 + count + 2;
  let end: number | undefined = stop + 2;
  if (text[at] !== '*') return end;
  for (let left = count; left > 0 && end !== undefined; left -= 1) end = endOf(text, end);
  return end;
}
