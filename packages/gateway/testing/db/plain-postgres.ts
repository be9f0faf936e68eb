/** A client of PostgreSQL over any stream, for tests of the doors to it: one statement at a time, and what became of it. */
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { message, readServerError } from '../../src/kinds/db/engine/postgres/messages.ts';
import { postgresHello } from './still-postgres.ts';

export class PlainPostgres {
  readonly over: Promise<unknown>;
  readonly #stream: Duplex;
  #kept = Buffer.alloc(0);
  #waiting: PromiseWithResolvers<string> | undefined;
  #failure: string | undefined;

  private constructor(stream: Duplex) {
    this.#stream = stream;
    this.over = once(stream, 'close').catch(() => {});
    stream.on('error', () => {});
    stream.on('data', (piece: Buffer) => this.#hear(piece));
    stream.on('close', () => this.#waiting?.reject(new Error(this.#failure ?? 'it was closed without a word')));
  }

  /** Throws in the server's words, or the gateway's. */
  static async open(stream: Duplex): Promise<PlainPostgres> {
    const client = new PlainPostgres(stream);
    await client.#ask(postgresHello('anybody'));
    return client;
  }

  /** Gives what the server calls what was done. */
  run(sql: string): Promise<string> {
    return this.#ask(message('Q', sql));
  }

  drop(): void {
    this.#stream.destroy();
  }

  #ask(bytes: Buffer): Promise<string> {
    this.#failure = undefined;
    this.#waiting = Promise.withResolvers();
    this.#stream.write(bytes);
    return this.#waiting.promise;
  }

  #tag = '';
  #hear(piece: Buffer): void {
    this.#kept = Buffer.concat([this.#kept, piece]);
    while (this.#kept.length >= 5) {
      const length = this.#kept.readUInt32BE(1);
      if (this.#kept.length < length + 1) return;
      const type = String.fromCharCode(this.#kept[0] ?? 0);
      const body = this.#kept.subarray(5, length + 1);
      this.#kept = this.#kept.subarray(length + 1);
      if (type === 'C') this.#tag = body.toString('utf8', 0, body.length - 1);
      if (type === 'E') {
        const { code, message: words } = readServerError(body);
        this.#failure = `${code} ${words}`;
      }
      if (type !== 'Z') continue;
      if (this.#failure === undefined) this.#waiting?.resolve(this.#tag);
      else this.#waiting?.reject(new Error(this.#failure));
    }
  }
}
