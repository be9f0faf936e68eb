/**
 * The recording of what ran without a terminal, on a server or in a pod: the beginning of what it printed, as a terminal would have shown it, and
 * how much more there was. Copies of files pass here too; nobody reads gigabytes of them afterwards.
 */
import type { HostedSession } from '../host/hosted-session.ts';
import type { SessionEnd } from '../host/session-store.ts';
import type { TerminalRecorder } from '../terminal/terminal-recorder.ts';

/** Of each stream. */
export const MAX_KEPT_BYTES = 1024 * 1024;
const WRITER = 'stdin';

export class ExecRecording {
  readonly #recorder: TerminalRecorder | undefined;
  readonly #hosted: HostedSession;
  readonly #passed = { stdin: 0, stdout: 0, stderr: 0 };
  #written = 0;

  constructor(hosted: HostedSession, recorder: TerminalRecorder | undefined) {
    this.#hosted = hosted;
    this.#recorder = recorder;
    recorder?.begin(0, hosted.session.size);
    recorder?.onFailed((reason) => this.#lost(`it cannot be recorded any more: ${reason}`));
    recorder?.onFull((reason) => hosted.finish({ cause: 'unrecorded', message: `it was ended: ${reason}` }));
  }

  get traffic(): { sent: number; received: number } {
    const { stdin, stdout, stderr } = this.#passed;
    return { sent: stdout + stderr, received: stdin };
  }

  /** False: it must not go on. */
  keep(stream: 'stdin' | 'stdout' | 'stderr', bytes: Buffer): boolean {
    const before = this.#passed[stream];
    this.#passed[stream] += bytes.length;
    if (!this.#recorder) return true;
    const kept = bytes.subarray(0, Math.max(0, MAX_KEPT_BYTES - before));
    if (kept.length > 0 && stream === 'stdin') this.#recorder.input(WRITER, before, Buffer.from(kept));
    else if (kept.length > 0) this.#write(asShown(kept));
    if (this.#passed[stream] <= MAX_KEPT_BYTES || !this.#hosted.isStrictlyRecorded) return true;
    this.#lost(
      `a role of yours lets it go on only while all of it is recorded, and that ends at ${MAX_KEPT_BYTES} bytes`,
    );
    return false;
  }

  /** Passed, and not kept. */
  count(stream: 'stdin' | 'stdout' | 'stderr', bytes: Buffer): boolean {
    this.#passed[stream] += bytes.length;
    return true;
  }

  close(end: SessionEnd): void {
    const more = Object.entries(this.#passed).filter(([, bytes]) => bytes > MAX_KEPT_BYTES);
    if (this.#recorder && more.length > 0)
      this.#write(
        Buffer.from(
          more.map(([stream, bytes]) => `\r\n[of ${bytes} bytes of ${stream} the first ${MAX_KEPT_BYTES}]`).join(''),
        ),
      );
    this.#recorder?.close(end);
  }

  #write(bytes: Buffer): void {
    this.#recorder?.write(this.#written, bytes);
    this.#written += bytes.length;
  }

  #lost(message: string): void {
    if (this.#hosted.isStrictlyRecorded) this.#hosted.finish({ cause: 'unrecorded', message });
  }
}

/** Without a terminal lines end with one character, and would be drawn as stairs. The copy is ours to keep. */
function asShown(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString('latin1').replaceAll(/\r?\n/g, '\r\n'), 'latin1');
}
