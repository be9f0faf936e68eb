/** How a session of which bytes are only passed on comes to its end, whatever its protocol: once, in words where the client can read them, and with neither side left hanging. */
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Flow } from './flow.ts';
import type { PassedOn, WrittenBehind } from './passed-on.ts';

/** How long what has begun may take to its end, before the reason is said. */
export const FINISH_MS = 1_000;
/** Of what was no message, for the audit. */
export const SAMPLE_BYTES = 256;
/** For the client to read the last words, and to close. */
const LINGER_MS = 5_000;

export type Side = 'client' | 'server';

export interface MalformedTeller extends WrittenBehind {
  /** `sample`: the beginning of what is no message of the protocol. */
  malformed(side: Side, why: string, sample: Buffer): void;
}

export interface EndingDeps {
  client: Duplex;
  server: Duplex;
  teller: MalformedTeller;
  /** What looks at both directions. */
  work: { readonly isBusy: boolean; readonly runningMs: number; close(): void };
  /** Whether what the client was given ends where a message does: it can be told why then. */
  isWhole(): boolean;
}

export class Ending {
  readonly #deps: EndingDeps;
  #isFinishing = false;
  #isOver = false;
  #flows: readonly Flow[] = [];
  readonly #over = Promise.withResolvers<void>();
  readonly #boundary = Promise.withResolvers<void>();

  constructor(deps: EndingDeps) {
    this.#deps = deps;
  }

  /** Nothing new passes: it waits for what has begun. */
  get isFinishing(): boolean {
    return this.#isFinishing;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Lets bytes pass. `first` and `rest`: what was read of the client and of the server before. */
  start(toServer: Flow, toClient: Flow, { first, rest }: { first: Buffer; rest: Buffer }): void {
    this.#flows = [toServer, toClient];
    toClient.start(rest);
    if (!this.#isOver) toServer.start(first);
  }

  /** One side says no more, or said what was no message. */
  left(
    side: Side,
    wrong: { error: Error; piece: Buffer } | undefined,
    then: { malformed(words: string): void; ordinary(): void },
  ): void {
    if (this.#isOver) return;
    if (this.#isFinishing) {
      // The client's side is stopped first, in the middle of whatever the server says.
      if (side === 'server') this.reachedBoundary();
    } else if (wrong) {
      // What follows it may be anything: neither side hears of it.
      this.#deps.teller.malformed(side, wrong.error.message, wrong.piece.subarray(0, SAMPLE_BYTES));
      then.malformed(`${side === 'client' ? 'your client' : 'the database'} sent ${wrong.error.message}`);
    } else then.ordinary();
  }

  /** What had begun is at its end. */
  reachedBoundary(): void {
    this.#boundary.resolve();
  }

  /** Until then; no longer than that may take. */
  async boundary(): Promise<void> {
    await soon(this.#boundary.promise);
  }

  /** No client goes like this whose protocol has a word for it: it has died, and the server would work on for nobody. */
  async abandon(cancelled: Promise<unknown>): Promise<void> {
    this.#isFinishing = true;
    await soon(cancelled);
    this.finish();
  }

  /** `last` is what the client hears, where it is between messages. */
  finish(last?: Buffer): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { client, server, work, isWhole } = this.#deps;
    for (const flow of this.#flows) flow.stop();
    if (isWhole()) client.end(last);
    else client.destroy();
    setTimeout(() => client.destroy(), LINGER_MS).unref();
    client.resume();
    work.close();
    // Where a thousand end at once, all of them hear why before the first of their servers takes the time to see it off.
    setImmediate(() => {
      server.destroy();
      this.#over.resolve();
    });
  }

  /** `end` is called once, where nothing else has begun to end it. */
  passedOn(end: (reason: string) => Promise<void>): PassedOn {
    const { work } = this.#deps;
    return {
      over: this.#over.promise,
      isBusy: () => !this.#isOver && work.isBusy,
      runningMs: () => (this.#isOver ? 0 : work.runningMs),
      end: async (reason) => {
        if (this.#isOver || this.#isFinishing) return await this.#over.promise;
        this.#isFinishing = true;
        await end(reason);
      },
    };
  }
}

/** Done, or as much later as it may take: an end waits for nobody who never answers. */
export async function soon(done: Promise<unknown> | undefined): Promise<void> {
  if (done) await Promise.race([done, sleep(FINISH_MS)]);
}
