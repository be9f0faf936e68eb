/** Calls to a worker thread, by number, and whoever waits for their answers. Whatever happens to the thread, everybody hears of it. */

interface Waiting<Answer, About> {
  about: About;
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

/** `About`: what the caller wants to find again while the thread works on the call. */
export class WorkerCalls<Answer, About = undefined> {
  readonly #waiting = new Map<number, Waiting<Answer, About>>();
  #last = 0;

  get size(): number {
    return this.#waiting.size;
  }

  /** The answer must carry the number that the call is sent with. */
  call(send: (number: number) => void, ...[about]: About extends undefined ? [] : [about: About]): Promise<Answer> {
    this.#last += 1;
    const number = this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { about: about as About, resolve, reject });
      try {
        send(number);
      } catch (error) {
        // What cannot be sent to a thread is never answered.
        this.#waiting.delete(number);
        throw error;
      }
    });
  }

  /** Undefined once it is answered. */
  about(number: number | undefined): About | undefined {
    return number === undefined ? undefined : this.#waiting.get(number)?.about;
  }

  /** What the thread was given before everything else that it has not answered. */
  get first(): About | undefined {
    return this.#waiting.values().next().value?.about;
  }

  resolve(number: number | undefined, answer: Answer): void {
    this.#take(number)?.resolve(answer);
  }

  reject(number: number | undefined, error: Error): void {
    this.#take(number)?.reject(error);
  }

  /** The thread is gone, or will not answer any more. */
  rejectAll(error: Error): void {
    for (const { reject } of this.#takeAll()) reject(error);
  }

  /** The same, where nobody takes the loss of a thread for a failure. */
  resolveAll(answer: Answer): void {
    for (const { resolve } of this.#takeAll()) resolve(answer);
  }

  #takeAll(): Waiting<Answer, About>[] {
    const left = [...this.#waiting.values()];
    this.#waiting.clear();
    return left;
  }

  /** Nobody waits for a message without a number: under `node --watch` the runtime sends notices of its own through the same port. */
  #take(number: number | undefined): Waiting<Answer, About> | undefined {
    if (number === undefined) return undefined;
    const waiting = this.#waiting.get(number);
    this.#waiting.delete(number);
    return waiting;
  }
}
