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
import { RecordingBacklog } from './recording-backlog.ts';

/** Not on disk yet: with more, the client waits; with less than half of it, it goes on. */
const MAX_WAITING_BYTES = 1024 * 1024;

export class StatementWriter implements StatementRecorder {
  readonly #recording: SessionRecorder;
  /** In bytes of items. */
  readonly #backlog: RecordingBacklog;
  #number = 0;

  constructor(recording: SessionRecorder) {
    this.#recording = recording;
    this.#backlog = new RecordingBacklog(recording, MAX_WAITING_BYTES);
    recording.onDurable(() => this.#backlog.goOn());
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
    return this.#backlog.behind();
  }

  isOpen(): boolean {
    return this.#recording.isOpen();
  }

  onFailed(listener: (reason: string) => void): void {
    this.#recording.onFailed((reason) => {
      this.#backlog.goOn();
      listener(reason);
    });
  }

  onFull(listener: (reason: string) => void): void {
    this.#recording.onFull(listener);
  }

  close(end: SessionEnd): void {
    this.#recording.close(end);
    this.#backlog.goOn();
  }

  release(): void {
    this.#recording.release();
    this.#backlog.goOn();
  }

  #add(type: number, bytes: Buffer): void {
    this.#backlog.add(type, bytes, bytes.length);
  }
}
