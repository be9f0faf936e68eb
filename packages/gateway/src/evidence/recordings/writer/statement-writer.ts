/** Writes what a session asked a database, and what came of it, as items of its recording. */
import type { SessionEnd } from '../../../sessions/host/session-store.ts';
import type { SessionRecorder } from '../../../sessions/recorder.ts';
import type {
  AnsweredStatement,
  AskedStatement,
  ResultSample,
  StatementRecorder,
} from '../../../sessions/statements/statement-recorder.ts';
import { ITEMS } from '../format/frames.ts';
import { encodeAnswered, encodeAsked, encodeSample } from '../format/statement-items.ts';

/** Not on disk yet: with more, the client waits; with less than half of it, it goes on. */
const MAX_WAITING_BYTES = 1024 * 1024;

export class StatementWriter implements StatementRecorder {
  readonly #recording: SessionRecorder;
  /** In bytes of items. */
  #to: number;
  #number = 0;
  #room: PromiseWithResolvers<void> | undefined;

  constructor(recording: SessionRecorder) {
    this.#recording = recording;
    this.#to = recording.durable();
    recording.onDurable(() => this.#goOn());
  }

  asked(statement: AskedStatement): number {
    this.#number += 1;
    this.#add(ITEMS.asked, encodeAsked(this.#number, statement));
    return this.#number;
  }

  answered(number: number, outcome: AnsweredStatement): void {
    this.#add(ITEMS.answered, encodeAnswered(number, outcome));
  }

  sample(number: number, sample: ResultSample): void {
    this.#add(ITEMS.sample, encodeSample(number, sample));
  }

  behind(): Promise<void> | undefined {
    if (this.#waiting() <= MAX_WAITING_BYTES) return undefined;
    this.#room ??= Promise.withResolvers();
    return this.#room.promise;
  }

  isOpen(): boolean {
    return this.#recording.isOpen();
  }

  onFailed(listener: (reason: string) => void): void {
    this.#recording.onFailed((reason) => {
      this.#goOn();
      listener(reason);
    });
  }

  onFull(listener: (reason: string) => void): void {
    this.#recording.onFull(listener);
  }

  close(end: SessionEnd): void {
    this.#recording.close(end);
    this.#goOn();
  }

  release(): void {
    this.#recording.release();
    this.#goOn();
  }

  /** What failed or is closed takes nothing more: nobody waits for it. */
  #waiting(): number {
    return this.#recording.isOpen() ? this.#to - this.#recording.durable() : 0;
  }

  #goOn(): void {
    if (this.#waiting() > MAX_WAITING_BYTES / 2) return;
    this.#room?.resolve();
    this.#room = undefined;
  }

  #add(type: number, bytes: Buffer): void {
    if (!this.#recording.isOpen()) return;
    this.#to += bytes.length;
    this.#recording.append({ type, ms: this.#recording.now(), bytes, to: this.#to });
  }
}
