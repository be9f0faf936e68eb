/** Calls to a worker thread, by number, and whoever waits for their answers. Whatever happens to the thread, everybody hears of it. */

interface Waiting<Answer> {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

export class WorkerCalls<Answer> {
  readonly #waiting = new Map<number, Waiting<Answer>>();
  #last = 0;

  get size(): number {
    return this.#waiting.size;
  }

  /** The answer must carry the number that the call is sent with. */
  call(send: (number: number) => void): Promise<Answer> {
    this.#last += 1;
    const number = this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
      try {
        send(number);
      } catch (error) {
        // What cannot be sent to a thread is never answered.
        this.#waiting.delete(number);
        throw error;
      }
    });
  }

  resolve(number: number | undefined, answer: Answer): void {
    this.#take(number)?.resolve(answer);
  }

  reject(number: number | undefined, error: Error): void {
    this.#take(number)?.reject(error);
  }

  /** The thread is gone, or will not answer any more. */
  rejectAll(error: Error): void {
    const left = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of left) reject(error);
  }

  /** Nobody waits for a message without a number: under `node --watch` the runtime sends notices of its own through the same port. */
  #take(number: number | undefined): Waiting<Answer> | undefined {
    if (number === undefined) return undefined;
    const waiting = this.#waiting.get(number);
    this.#waiting.delete(number);
    return waiting;
  }
}
