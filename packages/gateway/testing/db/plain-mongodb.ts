/** A client of MongoDB over any stream, for tests of the doors to it: one connection, as its driver opens several; one command at a time, and what became of it. */
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { type Document, deserialize, serialize } from 'bson';
import { HEAD_BYTES, msg } from '../../src/kinds/db/engine/mongodb/messages.ts';

/** Behind the head: flags, and the kind of the section. */
const BODY_AT = HEAD_BYTES + 5;

export class PlainMongodb {
  readonly over: Promise<unknown>;
  readonly #stream: Duplex;
  readonly #database: string;
  #kept = Buffer.alloc(0);
  #waiting: PromiseWithResolvers<Document> | undefined;
  #asked = 0;

  private constructor(stream: Duplex, database: string) {
    this.#stream = stream;
    this.#database = database;
    this.over = once(stream, 'close').catch(() => {});
    stream.on('error', () => {});
    stream.on('data', (piece: Buffer) => this.#hear(piece));
    stream.on('end', () => stream.end());
    stream.on('close', () => this.#waiting?.reject(new Error('it was closed without a word')));
  }

  /** Throws in the server's words, or the gateway's. */
  static async open(stream: Duplex, database: string): Promise<PlainMongodb> {
    const client = new PlainMongodb(stream, database);
    await client.ask({ hello: 1 });
    return client;
  }

  /** A command as JSON. */
  run(command: string): Promise<Document> {
    return this.ask(JSON.parse(command) as Document);
  }

  ask(command: Document): Promise<Document> {
    this.#waiting = Promise.withResolvers();
    this.#asked += 1;
    this.#stream.write(msg(this.#asked, Buffer.from(serialize({ ...command, $db: this.#database }))));
    return this.#waiting.promise;
  }

  drop(): void {
    this.#stream.destroy();
  }

  #hear(piece: Buffer): void {
    this.#kept = Buffer.concat([this.#kept, piece]);
    while (this.#kept.length >= HEAD_BYTES && this.#kept.length >= this.#kept.readInt32LE(0)) {
      const answer = deserialize(this.#kept.subarray(BODY_AT, this.#kept.readInt32LE(0)));
      this.#kept = this.#kept.subarray(this.#kept.readInt32LE(0));
      if (answer.ok === 1) this.#waiting?.resolve(answer);
      else this.#waiting?.reject(new Error(`${answer.code} ${answer.errmsg}`));
    }
  }
}
