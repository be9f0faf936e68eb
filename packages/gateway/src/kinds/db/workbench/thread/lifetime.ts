/** From the moment a client is let in until its connection is gone, which is told once: in the last words of the server, where it had any. */
import { SqlError } from './sql-client.ts';

/** Gone without words. */
export const GONE = new SqlError('closed', 'the connection to the database is closed');

export class Lifetime {
  readonly #ready = Promise.withResolvers<void>();
  readonly #listeners: ((why: Error) => void)[] = [];
  #gone: Error | undefined;
  /** What the server said that was no answer to what runs. */
  lastWords: SqlError | undefined;

  /** Why, once it is gone. */
  get gone(): Error | undefined {
    return this.#gone;
  }

  letIn(): void {
    this.#ready.resolve();
  }

  /** Fails with what kept it out. */
  untilLetIn(): Promise<void> {
    return this.#ready.promise;
  }

  onGone(listener: (why: Error) => void): void {
    if (this.#gone) listener(this.#gone);
    else this.#listeners.push(listener);
  }

  /** `first` hears of it before everybody else: what runs has failed by then. */
  leave(first: (why: Error) => void, why: Error = this.lastWords ?? GONE): void {
    this.#gone = why;
    this.#ready.reject(why);
    this.#ready.promise.catch(() => {});
    first(why);
    for (const listener of this.#listeners.splice(0)) listener(why);
  }
}
