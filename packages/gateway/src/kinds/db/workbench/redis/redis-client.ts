/** A client of Redis for the workbench: a command, its answer; several may be on their way. */
import type { RedisValue } from '@gatehouse/contract/kinds/db/editor';
import { malformed } from '../../engine/db-failure.ts';
import { command } from '../../engine/redis/resp.ts';
import { GONE } from '../thread/lifetime.ts';
import type { Link } from '../thread/link.ts';
import { SqlError } from '../thread/sql-client.ts';
import { ValueReader } from './value-reader.ts';

export class RedisClient {
  readonly #link: Link;
  readonly #waiting: PromiseWithResolvers<RedisValue>[] = [];
  readonly #onGone: () => void;
  #gone: Error | undefined;
  /** The number of the database that it uses. */
  database: string;

  private constructor(link: Link, database: string, onGone: () => void) {
    this.#link = link;
    this.database = database;
    this.#onGone = onGone;
    const reader = new ValueReader((value) => this.#hear(value));
    link.listen(
      (piece) => {
        reader.feed(piece);
        return undefined;
      },
      () => this.#leave(),
    );
  }

  /** Gives the version with it, as far as the server tells it. */
  static async open(
    link: Link,
    database: string,
    onGone: () => void,
  ): Promise<{ client: RedisClient; version: string }> {
    const client = new RedisClient(link, database, onGone);
    // The one command that nobody is told of and every server answers; in this version of the protocol, it stays so.
    const told = await client.ask('HELLO', '2');
    if (client.#gone) throw client.#gone;
    const values = told.is === 'list' ? told.values : [];
    const at = values.findIndex((value) => value.is === 'text' && value.value === 'version');
    const version = at < 0 ? undefined : values[at + 1];
    return { client, version: version?.is === 'text' && typeof version.value === 'string' ? version.value : '' };
  }

  get spent(): { workedMs: number; waitedMs: number } {
    return { ...this.#link.spent };
  }

  ask(...words: readonly (string | Buffer)[]): Promise<RedisValue> {
    if (this.#gone) return Promise.reject(this.#gone);
    const waiting = Promise.withResolvers<RedisValue>();
    this.#waiting.push(waiting);
    this.#link.write(command(...words));
    return waiting.promise;
  }

  close(): void {
    this.#link.close();
  }

  #hear(value: RedisValue): void {
    const waiting = this.#waiting.shift();
    if (waiting) waiting.resolve(value);
    // The last words say why.
    else if (value.is === 'error') this.#gone = new SqlError('closed', value.value);
    else throw malformed('an answer that nobody asked for');
  }

  #leave(): void {
    this.#gone ??= GONE;
    for (const waiting of this.#waiting.splice(0)) waiting.reject(this.#gone);
    this.#onGone();
  }
}
