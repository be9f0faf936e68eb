/**
 * Lets answers about one file go out in the order they were asked for, however the work itself ended. Requests run side by side, and
 * scp of OpenSSH before 9.4 cuts a file short, and says nothing, where writes are acknowledged in another order than it sent them.
 */
export class AnswerOrder {
  /** Of each file, when the answer that was asked for last has gone out. */
  readonly #last = new Map<string, Promise<void>>();

  /** Turns are taken in the order of these calls. `send` is called when those before have sent. */
  async inTurn<T>(file: string | undefined, work: () => Promise<T>, send: (result: T) => void): Promise<void> {
    if (file === undefined) {
      send(await work());
      return;
    }
    const before = this.#last.get(file);
    const { promise: sent, resolve } = Promise.withResolvers<void>();
    this.#last.set(file, sent);
    try {
      const result = await work();
      await before;
      send(result);
    } finally {
      if (this.#last.get(file) === sent) this.#last.delete(file);
      resolve();
    }
  }
}
