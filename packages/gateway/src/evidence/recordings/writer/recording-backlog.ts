/** What of a recording is not on disk yet: with more than so much, whoever it is of waits; with less than half of it, they go on. */
import type { SessionRecorder } from '../../../sessions/recorder.ts';

export class RecordingBacklog {
  readonly #recording: SessionRecorder;
  readonly #maxBytes: number;
  #to: number;
  #room: PromiseWithResolvers<void> | undefined;

  constructor(recording: SessionRecorder, maxBytes: number) {
    this.#recording = recording;
    this.#maxBytes = maxBytes;
    this.#to = recording.durable();
  }

  /** `countedBytes`: what of it is waited for. */
  add(type: number, bytes: Buffer, countedBytes: number): void {
    if (!this.#recording.isOpen()) return;
    this.#to += countedBytes;
    this.#recording.append({ type, ms: this.#recording.now(), bytes, to: this.#to });
  }

  behind(): Promise<void> | undefined {
    if (this.#waiting() <= this.#maxBytes) return undefined;
    this.#room ??= Promise.withResolvers();
    return this.#room.promise;
  }

  /** To be called when some of it is on disk, and when no more of it will be. */
  goOn(): void {
    if (this.#waiting() > this.#maxBytes / 2) return;
    this.#room?.resolve();
    this.#room = undefined;
  }

  /** What failed or is closed takes nothing more: nobody waits for it. */
  #waiting(): number {
    return this.#recording.isOpen() ? this.#to - this.#recording.durable() : 0;
  }
}
