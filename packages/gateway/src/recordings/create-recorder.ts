/** Writes recordings while sessions run: a frame each second, on disk before the holder of the shell may forget it. */
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { zstdCompress } from 'node:zlib';
import type { ShellSize } from '@gatehouse/contract/agents/shell-frames';
import type { Log } from '../std/log.ts';
import { encodeHead, encodeItem, ITEMS } from './frames.ts';
import { findFrames } from './read-frames.ts';

const compress = promisify(zstdCompress);
const FRAME_MS = 1_000;
/** Sooner than after a second when much is printed: the holder waits for it. */
const FRAME_RAW_BYTES = 256 * 1024;

export interface RecordedSession {
  id: string;
  created: number;
}

export interface RecorderDeps {
  /** The folder of recordings; made when it is first needed. */
  folder: string;
  log: Log;
  now: () => number;
}

export function createRecorder({ folder, log, now }: RecorderDeps) {
  const writers = new Set<RecordingWriter>();
  return {
    async open(session: RecordedSession): Promise<RecordingWriter> {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const file = await open(join(folder, `${session.id}.rec`), constants.O_RDWR | constants.O_CREAT, 0o600);
      const { frames, end } = await findFrames(file);
      // A crash may have left half a frame.
      if ((await file.stat()).size > end) await file.truncate(end);
      const writer = new RecordingWriter({
        file,
        end,
        durable: frames.at(-1)?.to ?? 0,
        since: session.created,
        log,
        now,
        onClosed: () => writers.delete(writer),
      });
      writers.add(writer);
      return writer;
    },
    async settled(): Promise<void> {
      await Promise.all([...writers].map((writer) => writer.settled()));
    },
  };
}

interface WriterOptions {
  file: FileHandle;
  /** Where the file ends. */
  end: number;
  durable: number;
  /** When the session began. */
  since: number;
  log: Log;
  now: () => number;
  onClosed(): void;
}

export class RecordingWriter {
  readonly #options: WriterOptions;
  #fileEnd: number;
  #durable: number;
  /** One beyond the last byte of output that was given. */
  #given: number;
  #items: Buffer[] = [];
  #pending = 0;
  #startMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #failed = false;
  #closing = false;
  #tellDurable = () => {};
  #tellFailed = (_reason: string) => {};

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#fileEnd = options.end;
    this.#durable = options.durable;
    this.#given = options.durable;
  }

  begin(offset: number, size: ShellSize): void {
    if (offset > this.#given) {
      this.#add(ITEMS.gap, Buffer.from(JSON.stringify({ from: this.#given, to: offset })));
      this.#given = offset;
    }
    this.resize(offset, size);
  }

  write(offset: number, bytes: Uint8Array): void {
    const fresh = bytes.subarray(Math.max(0, this.#given - offset));
    if (fresh.length === 0 || this.#failed) return;
    this.#given = offset + bytes.length;
    this.#add(ITEMS.output, fresh);
  }

  resize(_offset: number, { cols, rows }: ShellSize): void {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt16LE(cols, 0);
    bytes.writeUInt16LE(rows, 2);
    this.#add(ITEMS.size, bytes);
  }

  durable(): number {
    return this.#durable;
  }

  onDurable(listener: () => void): void {
    this.#tellDurable = listener;
  }

  onFailed(listener: (reason: string) => void): void {
    this.#tellFailed = listener;
  }

  close(end: { cause: string; message: string }): void {
    if (this.#closing) return;
    this.#add(ITEMS.end, Buffer.from(JSON.stringify({ cause: end.cause, message: end.message })));
    this.release();
  }

  release(): void {
    if (this.#closing) return;
    this.#closing = true;
    void this.settled().finally(async () => {
      await this.#options.file.close().catch(() => {});
      this.#options.onClosed();
    });
  }

  async settled(): Promise<void> {
    while (this.#items.length > 0 && !this.#failed) await this.#cut();
    await this.#writing;
  }

  #add(type: number, bytes: Uint8Array): void {
    if (this.#failed || this.#closing) return;
    const ms = Math.max(0, this.#options.now() - this.#options.since);
    if (this.#items.length === 0) this.#startMs = ms;
    this.#items.push(encodeItem(type, ms, bytes));
    this.#pending += bytes.length;
    if (this.#pending >= FRAME_RAW_BYTES) void this.#cut();
    else this.#timer ??= setTimeout(() => void this.#cut(), FRAME_MS).unref();
  }

  /** One after the other; what comes meanwhile is the next one. */
  #cut(): Promise<void> {
    this.#writing ??= this.#writeFrame().finally(() => {
      this.#writing = undefined;
      if (this.#pending >= FRAME_RAW_BYTES) void this.#cut();
    });
    return this.#writing;
  }

  async #writeFrame(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { file, now, since, log } = this.#options;
    const raw = Buffer.concat(this.#items.splice(0));
    this.#pending = 0;
    if (raw.length === 0 || this.#failed) return;
    const [from, to, startMs] = [this.#durable, this.#given, this.#startMs];
    try {
      const packed = await compress(raw);
      const endMs = Math.max(startMs, now() - since);
      const head = encodeHead({ startMs, endMs, rawBytes: raw.length, packedBytes: packed.length, from, to });
      const { bytesWritten } = await file.write(Buffer.concat([head, packed]), 0, undefined, this.#fileEnd);
      if (bytesWritten < head.length + packed.length) throw new Error('the disk took only a part');
      await file.datasync();
      this.#fileEnd += bytesWritten;
      this.#durable = to;
      this.#tellDurable();
    } catch (error) {
      this.#failed = true;
      log.error({ error }, 'a recording cannot be written');
      this.#tellFailed(error instanceof Error ? error.message : String(error));
    }
  }
}
