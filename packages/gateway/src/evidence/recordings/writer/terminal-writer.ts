/** Writes what a terminal shows, and what was typed into it, as items of its session's recording. */
import { MAX_WRITERS, type ShellSize } from '@gatehouse/contract/reach/agents/shell-frames';
import type { ParticipantMode } from '@gatehouse/contract/sessions/terminal-frames';
import { BoundedMap } from '../../../platform/std/bounded-map.ts';
import type { SessionEnd } from '../../../sessions/host/session-store.ts';
import type { TerminalRecorder } from '../../../sessions/terminal/terminal-recorder.ts';
import { ITEMS } from '../format/frames.ts';
import { type PastOutput, readOutput } from '../format/read-output.ts';
import type { OutputRate } from '../output-rate.ts';
import { FRAME_RAW_BYTES, type RecordingWriter } from './recording-writer.ts';
import { TypedInput } from './typed-input.ts';

export interface TerminalWriterOptions {
  /** What is typed is recorded too, as far as the terminal shows it. */
  input: boolean;
  /** Hears of everything that is printed. */
  outputRate: Pick<OutputRate, 'printed'>;
}

export class TerminalWriter implements TerminalRecorder {
  readonly #recording: RecordingWriter;
  readonly #typed: TypedInput | undefined;
  readonly #outputRate: Pick<OutputRate, 'printed'>;
  /** Input by its writer: after a lost connection it is sent once more. */
  readonly #received = new BoundedMap<string, number>(MAX_WRITERS);
  /** One beyond the last byte of output that was given. */
  #given: number;

  constructor(recording: RecordingWriter, { input, outputRate }: TerminalWriterOptions) {
    this.#recording = recording;
    this.#outputRate = outputRate;
    this.#given = recording.durable();
    const typed = input ? new TypedInput() : undefined;
    this.#typed = typed;
    // What was typed and not shown waits no longer than it must, also where nothing is printed.
    if (typed) recording.beforeWrite(() => typed.settled(recording.now()));
  }

  begin(offset: number, size: ShellSize): void {
    if (offset > this.#given) {
      const from = this.#given;
      this.#given = offset;
      this.#add(ITEMS.gap, Buffer.from(JSON.stringify({ from, to: offset })));
    }
    this.resize(offset, size);
  }

  write(offset: number, bytes: Uint8Array): void {
    const fresh = bytes.subarray(Math.max(0, this.#given - offset));
    if (fresh.length === 0 || !this.#recording.isOpen()) return;
    this.#outputRate.printed(fresh.length);
    if (this.#typed) this.#addShown(this.#typed, fresh);
    for (let at = 0; at < fresh.length; at += FRAME_RAW_BYTES) {
      const piece = fresh.subarray(at, at + FRAME_RAW_BYTES);
      this.#given += piece.length;
      this.#add(ITEMS.output, piece);
    }
  }

  resize(_offset: number, { cols, rows }: ShellSize): void {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt16LE(cols, 0);
    bytes.writeUInt16LE(rows, 2);
    this.#add(ITEMS.size, bytes);
  }

  /** What somebody typed; it is kept only when the terminal shows it. */
  input(writer: string, offset: number, bytes: Uint8Array): void {
    if (!this.#typed) return;
    const before = this.#received.get(writer) ?? 0;
    const fresh = bytes.subarray(Math.max(0, before - offset));
    if (fresh.length === 0) return;
    this.#received.delete(writer);
    this.#received.set(writer, offset + bytes.length);
    this.#typed.typed(fresh, this.#recording.now());
  }

  echo(shown: boolean): void {
    this.#typed?.echo(shown);
  }

  async *past(from: number): AsyncGenerator<PastOutput> {
    const source = await this.#recording.openSource();
    try {
      if (source) yield* readOutput(source, from);
    } finally {
      await source?.close();
    }
  }

  joined(user: string, mode: ParticipantMode): void {
    this.#recording.joined(user, mode);
  }

  left(user: string, mode: ParticipantMode): void {
    this.#recording.left(user, mode);
  }

  durable(): number {
    return this.#recording.durable();
  }

  onDurable(listener: () => void): void {
    this.#recording.onDurable(listener);
  }

  onFailed(listener: (reason: string) => void): void {
    this.#recording.onFailed(listener);
  }

  onFull(listener: (reason: string) => void): void {
    this.#recording.onFull(listener);
  }

  close(end: SessionEnd): void {
    this.#recording.close(end);
  }

  release(): void {
    this.#recording.release();
  }

  /** Resolves when everything so far is on disk, and the file closed if it is to be. */
  settled(): Promise<void> {
    return this.#recording.settled();
  }

  /** What of the typed came back as this output. */
  #addShown(typed: TypedInput, output: Uint8Array): void {
    for (const { ms, bytes } of typed.heard(output, this.#recording.now()))
      this.#recording.append({ type: ITEMS.input, ms, bytes, to: this.#given });
  }

  #add(type: number, bytes: Uint8Array): void {
    this.#recording.append({ type, ms: this.#recording.now(), bytes, to: this.#given });
  }
}
