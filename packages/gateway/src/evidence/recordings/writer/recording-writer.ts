/** Writes the recording of one session, whatever its items are: a frame each second, on disk before its `to` is durable, and a seal each minute. */
import { hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { Log } from '../../../platform/std/log.ts';
import { toldError } from '../../../platform/std/told-error.ts';
import type { NewItem, PastItem, SessionRecorder } from '../../../sessions/recorder.ts';
import { encodeItems } from '../format/encode-items.ts';
import { encodeHead, ITEM_HEAD_BYTES, ITEMS, MAX_ITEM_TYPE, MAX_RAW_BYTES } from '../format/frames.ts';
import { packFrame } from '../format/pack-frame.ts';
import { readPlainItems } from '../format/read-recording.ts';
import { makeSeal, type SealSigner } from '../format/seal.ts';
import { walkFrames } from '../format/walk-frames.ts';
import type { RecordingSource } from '../stores/recording-store.ts';
import type { RecordingRoom } from './recording-room.ts';

const FRAME_MS = 1_000;
/** Sooner than after a second when much comes: whoever holds it until it is durable waits. */
export const FRAME_RAW_BYTES = 512 * 1024;
/** As many, with a seal, may be torn by a crash. */
export const FRAMES_PER_SYNC = 4;
const SEAL_MS = 60_000;

export interface WriterOptions {
  file: FileHandle;
  /** The same file, to be read. */
  openSource(): Promise<RecordingSource | undefined>;
  /** Where the file ends, and the hash of what is there last. */
  end: number;
  before: Buffer;
  durable: number;
  /** How far into the session it reaches. */
  lastMs: number;
  /** When the session began. */
  since: number;
  signer: SealSigner;
  keyId: Buffer;
  log: Log;
  now: () => number;
  /** Asked when it has grown; see recording-room.ts. */
  room?: RecordingRoom | undefined;
  /** A seal is on disk, and everything before it. */
  onSealed?(mark: { end: number; hash: string }): void;
  onFailed(reason: string): void;
  /** Its session has to end: there is no room for more of it. */
  onFull?(reason: string, bytes: number): void;
  onClosed(how: 'ended' | 'released' | 'failed'): void;
}

export class RecordingWriter implements SessionRecorder {
  readonly #options: WriterOptions;
  #fileEnd: number;
  #syncedEnd: number;
  #before: Buffer;
  #durable: number;
  /** How far what is in the file has come, on disk or not yet. */
  #inFile: number;
  /** How far what was given has come. */
  #to: number;
  #lastMs: number;
  /** How far into the session the file reaches. */
  #writtenMs: number;
  #sealedMs: number;
  #isSealed = true;
  #items: NewItem[] = [];
  #pending = 0;
  #timer: NodeJS.Timeout | undefined;
  #sealTimer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  #failed = false;
  #closing: 'ended' | 'released' | undefined;
  #shutting: Promise<void> | undefined;
  #tellDurable = () => {};
  #tellWrite = () => {};
  #tellFailed = (_reason: string) => {};
  #tellFull = (_reason: string) => {};
  #isFull = false;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#fileEnd = options.end;
    this.#syncedEnd = options.end;
    this.#before = options.before;
    this.#durable = options.durable;
    this.#inFile = options.durable;
    this.#to = options.durable;
    this.#lastMs = options.lastMs;
    this.#writtenMs = options.lastMs;
    this.#sealedMs = options.lastMs;
    // A gateway that was killed left its last minute unsigned.
    this.#isSealed = options.end === 0;
  }

  now(): number {
    return Math.max(0, this.#options.now() - this.#options.since);
  }

  append(item: NewItem): void {
    if (!this.isOpen()) return;
    // No reader takes such a frame, and with it nothing behind it.
    if (item.bytes.length > MAX_RAW_BYTES - ITEM_HEAD_BYTES || item.type > MAX_ITEM_TYPE || item.to < this.#to)
      throw new RangeError(
        `an item of type ${item.type} with ${item.bytes.length} bytes up to ${item.to} fits nowhere`,
      );
    // A clock that is set back must not let a recording go back in time.
    this.#lastMs = Math.max(this.#lastMs, item.ms);
    item.ms = this.#lastMs;
    this.#to = item.to;
    this.#items.push(item);
    this.#pending += ITEM_HEAD_BYTES + item.bytes.length;
    if (this.#pending >= FRAME_RAW_BYTES) void this.#cut();
    else this.#schedule();
  }

  isOpen(): boolean {
    return !this.#failed && !this.#closing;
  }

  joined(user: string, mode: string): void {
    this.#addJson(ITEMS.join, { user, mode });
  }

  left(user: string, mode: string): void {
    this.#addJson(ITEMS.leave, { user, mode });
  }

  /** The first item of the file. */
  facts(facts: object): void {
    this.#addJson(ITEMS.facts, facts);
  }

  /** What follows was written by another process than what came before, or instead of it. */
  resumed(finding: string): void {
    this.#addJson(ITEMS.resumed, { time: this.#options.now(), ...(finding && { finding }) });
  }

  durable(): number {
    return this.#durable;
  }

  async *past(from: number): AsyncGenerator<PastItem> {
    const source = await this.openSource();
    try {
      if (!source) return;
      for await (const frame of walkFrames(source))
        if (frame.type === 'frame' && frame.to > from) yield* await readPlainItems(source, frame);
    } finally {
      await source?.close();
    }
  }

  /** The file itself, for writers that read it in their own way. */
  openSource(): Promise<RecordingSource | undefined> {
    return this.#options.openSource();
  }

  onDurable(listener: () => void): void {
    this.#tellDurable = listener;
  }

  beforeWrite(listener: () => void): void {
    this.#tellWrite = listener;
  }

  onFailed(listener: (reason: string) => void): void {
    this.#tellFailed = listener;
  }

  onFull(listener: (reason: string) => void): void {
    this.#tellFull = listener;
  }

  close(end: { cause: string; message: string }): void {
    if (this.#closing) return;
    this.#addJson(ITEMS.end, { cause: end.cause, message: end.message });
    this.#finish('ended');
  }

  release(): void {
    if (this.#closing) return;
    this.#finish('released');
  }

  /** Resolves when everything so far is on disk, and the file closed if it is to be. */
  async settled(): Promise<void> {
    await this.#flushed();
    await this.#shutting;
  }

  async #flushed(): Promise<void> {
    while (this.#items.length > 0 && !this.#failed) await this.#cut();
    await this.#writing;
    if (this.#closing && !this.#isSealed && !this.#failed) await this.#cut();
  }

  #finish(how: 'ended' | 'released'): void {
    this.#closing = how;
    clearTimeout(this.#timer);
    clearTimeout(this.#sealTimer);
    this.#shutting = this.#flushed().finally(() => this.#shut(this.#failed ? 'failed' : how));
  }

  async #shut(how: 'ended' | 'released' | 'failed'): Promise<void> {
    await this.#options.file.close().catch(() => {});
    this.#options.onClosed(how);
  }

  #addJson(type: number, value: object): void {
    this.append({ type, ms: this.now(), bytes: Buffer.from(JSON.stringify(value)), to: this.#to });
  }

  #schedule(): void {
    if (this.#failed || this.#closing) return;
    this.#timer ??= setTimeout(() => void this.#cut(), FRAME_MS).unref();
  }

  /** One after the other; what comes meanwhile is the next one. */
  #cut(): Promise<void> {
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = undefined;
      if (this.#pending >= FRAME_RAW_BYTES && !this.#failed) void this.#cut();
    });
    return this.#writing;
  }

  async #writeAll(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#tellWrite();
    if (this.#failed) return;
    try {
      // Several under one wait for the disk, where much is printed: that takes as long for one.
      for (let frames = 0; frames === 0 || (frames < FRAMES_PER_SYNC && this.#pending >= FRAME_RAW_BYTES); frames += 1)
        await this.#writeFrame();
      await this.#sync();
      await this.#lookForRoom();
      const isDue = this.#closing ? this.#items.length === 0 : this.now() - this.#sealedMs >= SEAL_MS;
      if (isDue && !this.#isSealed) await this.#writeSeal();
    } catch (error) {
      await this.#fail(error);
    }
    if (!this.#isSealed) this.#scheduleSeal();
  }

  /** What is written already, and the end of it, still has its place: it is closed like any other. */
  async #lookForRoom(): Promise<void> {
    const { room, onFull } = this.#options;
    if (!room || this.#isFull || this.#closing) return;
    const reason = await room.check(this.#fileEnd);
    if (reason === undefined) return;
    this.#isFull = true;
    onFull?.(reason, this.#fileEnd);
    this.#tellFull(reason);
  }

  /** The last minute of a session in which nothing more happens is signed as well. */
  #scheduleSeal(): void {
    if (this.#failed || this.#closing) return;
    const inMs = Math.max(0, this.#sealedMs + SEAL_MS - this.now());
    this.#sealTimer ??= setTimeout(() => {
      this.#sealTimer = undefined;
      void this.#cut();
    }, inMs).unref();
  }

  async #writeFrame(): Promise<void> {
    const items = this.#takeItems();
    const [first, last] = [items[0], items.at(-1)];
    if (!first || !last) return;
    const startMs = first.ms;
    const { raw, done } = encodeItems(items, startMs);
    const kinds = items.reduce((bits, { type }) => bits | (1 << type), 0);
    const [from, to] = [this.#inFile, last.to];
    const packed = await packFrame(raw, raw.length < FRAME_RAW_BYTES ? 'small' : 'quick').finally(done);
    const rawBytes = raw.length;
    const packedBytes = packed.length;
    const head = { startMs, endMs: last.ms, rawBytes, packedBytes, from, to, kinds, before: this.#before };
    await this.#append(Buffer.concat([encodeHead({ type: 'frame', ...head }), packed]));
    this.#isSealed = false;
    this.#inFile = to;
    this.#writtenMs = last.ms;
  }

  #takeItems(): NewItem[] {
    let bytes = 0;
    const count = this.#items.findIndex((item) => {
      bytes += ITEM_HEAD_BYTES + item.bytes.length;
      return bytes > 2 * FRAME_RAW_BYTES;
    });
    const taken = this.#items.splice(0, count === -1 ? this.#items.length : Math.max(1, count));
    this.#pending -= taken.reduce((sum, item) => sum + ITEM_HEAD_BYTES + item.bytes.length, 0);
    return taken;
  }

  async #writeSeal(): Promise<void> {
    const { signer, keyId } = this.#options;
    const [startMs, to] = [this.#writtenMs, this.#durable];
    const head = { startMs, endMs: startMs, rawBytes: 0, packedBytes: 0, from: to, to, kinds: 0, before: this.#before };
    await this.#append(makeSeal({ type: 'seal', ...head }, keyId, signer));
    await this.#sync();
    this.#sealedMs = this.now();
    this.#isSealed = true;
    this.#options.onSealed?.({ end: this.#fileEnd, hash: this.#before.toString('hex') });
  }

  async #append(bytes: Buffer): Promise<void> {
    const { file } = this.#options;
    const { bytesWritten } = await file.write(bytes, 0, bytes.length, this.#fileEnd);
    if (bytesWritten < bytes.length) throw new Error('the disk took only a part');
    this.#fileEnd += bytesWritten;
    this.#before = hash('sha256', bytes, 'buffer');
  }

  async #sync(): Promise<void> {
    const isNews = this.#durable !== this.#inFile;
    if (this.#syncedEnd === this.#fileEnd) return;
    const [end, to] = [this.#fileEnd, this.#inFile];
    await this.#options.file.datasync();
    this.#syncedEnd = end;
    this.#durable = to;
    if (isNews) this.#tellDurable();
  }

  async #fail(error: unknown): Promise<void> {
    const { file, log, onFailed } = this.#options;
    this.#failed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#sealTimer);
    this.#items = [];
    this.#pending = 0;
    log.error({ error }, 'a recording cannot be written');
    // What is whole stays playable without a torn end.
    await file.truncate(this.#fileEnd).catch(() => {});
    const reason = toldError(error);
    onFailed(reason);
    this.#tellFailed(reason);
    if (!this.#closing) await this.#shut('failed');
  }
}
