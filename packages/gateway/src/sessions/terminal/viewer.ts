/** One person's window on a terminal: sends output from where they are, at most so far ahead of what they have seen. */
import { HELD_BYTES } from '@gatehouse/contract/reach/agents/shell-frames';
import type { ParticipantMode, TerminalReply } from '@gatehouse/contract/sessions/terminal-frames';
import type { OutputBuffer } from '@gatehouse/tunnel/shells/output-buffer';
import type { Timeline } from '@gatehouse/tunnel/shells/timeline';
import type { SessionEnd } from '../host/session-store.ts';
import type { PastOutput } from '../past-output.ts';
import type { LatePicture } from '../screens/session-screens.ts';
import { SendWindow } from './send-window.ts';

/** Somebody this far behind the foremost is shown less, so that the others need not wait. */
const MAX_BEHIND_BYTES = HELD_BYTES / 2;

/** Larger frames save nothing, and a keystroke's echo would wait behind them. */
const FRAME_BYTES = 64 * 1024;
/** How long somebody who reads slowly may take for the last words of a shell that has ended. */
const LAST_WORDS_MS = 10_000;

/** How it reaches the person: our own socket, or that of the wire reference. */
export interface ViewerWire {
  output(offset: number, bytes: Buffer): void;
  /** The whole screen, in place of everything that was printed before its offset. */
  picture(picture: LatePicture): void;
  tell(message: TerminalReply): void;
  /** Tells the end and closes. */
  end(end: SessionEnd): void;
  /** The session goes on, but not on this gateway: closes so that they come back. */
  moved(): void;
}

export interface ViewerOptions {
  id: string;
  wire: ViewerWire;
  mode: ParticipantMode;
  writer: string;
  size: { cols: number; rows: number };
  from: number;
  /** Shown first; undefined: they have what came before `from`. */
  picture: (() => Promise<LatePicture | undefined>) | undefined;
  held: OutputBuffer;
  timeline: Timeline;
  /** Asked before every piece of output. */
  mayWatch(): boolean;
  /** What was printed before that which is held; undefined: it is nowhere. */
  past(from: number): AsyncIterable<PastOutput> | undefined;
  onProgress(): void;
}

export class Viewer {
  readonly id: string;
  readonly mode: ParticipantMode;
  readonly writer: string;
  readonly wire: ViewerWire;
  size: { cols: number; rows: number };
  readonly #options: ViewerOptions;
  readonly #ahead = new SendWindow();
  #picture: ViewerOptions['picture'];
  #cursor: number;
  #seen: number;
  #sent: { cols: number; rows: number };
  #end: SessionEnd | undefined;
  #endTimer: NodeJS.Timeout | undefined;
  #closed = false;
  /** Called when more may be sent, while it reads what is not held any more. */
  #goOn: (() => void) | undefined;
  /** The first byte of input that was passed over; what follows it waits until it is sent again. */
  #passedOver: number | undefined;

  constructor(options: ViewerOptions) {
    this.#options = options;
    this.id = options.id;
    this.mode = options.mode;
    this.writer = options.writer;
    this.wire = options.wire;
    this.size = options.size;
    this.#picture = options.picture;
    this.#cursor = options.from;
    this.#seen = options.from;
    const { cols, rows } = options.timeline.at(options.from);
    this.#sent = { cols, rows };
  }

  /** The next byte it will send. */
  get cursor(): number {
    return this.#cursor;
  }

  get seen(): number {
    return this.#seen;
  }

  pump(): void {
    const { held, timeline } = this.#options;
    if (this.#closed || !this.#options.mayWatch()) return;
    if (this.#goOn) {
      this.#goOn();
      return;
    }
    if (this.#picture) {
      void this.#showPicture(this.#picture);
      return;
    }
    if (this.#cursor < held.start) {
      const past = this.#options.past(this.#cursor);
      if (past) {
        void this.#catchUp(past);
        return;
      }
      this.#skipTo(held.start);
    }
    for (;;) {
      this.#tellSize(timeline.at(this.#cursor));
      const limit = Math.min(timeline.nextAfter(this.#cursor), this.#seen + this.#ahead.bytes) - this.#cursor;
      if (limit <= 0 && held.end > this.#cursor) this.#ahead.full();
      const bytes = held.read(this.#cursor, Math.min(FRAME_BYTES, limit));
      if (limit <= 0 || bytes.length === 0) break;
      const offset = this.#cursor;
      this.#cursor += bytes.length;
      if (this.#cursor <= offset) throw new RangeError('output does not move on');
      this.wire.output(offset, bytes);
    }
    if (this.#end && this.#cursor === held.end) this.#finish(this.#end);
  }

  /** Whether input goes on to the shell. What does not is sent again by those who count their input. */
  takes(offset: number, isOpen: boolean): boolean {
    if (this.#passedOver !== undefined && offset > this.#passedOver) return false;
    this.#passedOver = isOpen ? undefined : offset;
    return isOpen;
  }

  see(offset: number): void {
    const before = this.#seen;
    this.#seen = Math.min(Math.max(before, offset), this.#cursor);
    this.#ahead.drawn(this.#seen - before);
    this.pump();
    this.#options.onProgress();
  }

  /** After the rest of the output, unless that takes too long. */
  endAfterOutput(end: SessionEnd): void {
    this.#end = end;
    this.#endTimer = setTimeout(() => this.#finish(end), LAST_WORDS_MS).unref();
    this.pump();
  }

  endNow(end: SessionEnd): void {
    this.#finish(end);
  }

  moved(): void {
    if (this.#closed) return;
    this.close();
    this.wire.moved();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#endTimer);
    this.#goOn?.();
  }

  #finish(end: SessionEnd): void {
    if (this.#closed) return;
    this.close();
    this.wire.end(end);
  }

  /** Drawn anew when it may not be watched any more by then. Without one they are shown the last that was printed. */
  async #showPicture(draw: () => Promise<LatePicture | undefined>): Promise<void> {
    this.#goOn = () => {};
    const picture = await draw().catch(() => undefined);
    this.#goOn = undefined;
    if (this.#closed || !this.#options.mayWatch()) return;
    this.#picture = undefined;
    if (picture && picture.offset >= this.#options.held.start) {
      const { offset, cols, rows } = picture;
      this.wire.picture(picture);
      this.#cursor = offset;
      this.#seen = offset;
      this.#sent = { cols, rows };
    }
    this.pump();
    this.#options.onProgress();
  }

  /** From the recording, until what is held follows. What is not there either is skipped. */
  async #catchUp(past: AsyncIterable<PastOutput>): Promise<void> {
    const { held, onProgress } = this.#options;
    const before = this.#cursor;
    this.#goOn = () => {};
    try {
      for await (const piece of past) {
        await this.#sendPast(piece);
        if (this.#closed || this.#cursor >= held.start) break;
      }
    } catch {
      // Gone or unreadable: as if it had never been recorded.
    }
    this.#goOn = undefined;
    if (this.#closed) return;
    if (this.#cursor === before) this.#skipTo(held.start);
    this.pump();
    onProgress();
  }

  async #sendPast({ offset, bytes, size }: PastOutput): Promise<void> {
    if (offset > this.#cursor) this.#skipTo(offset);
    for (let at = this.#cursor - offset; at < bytes.length && !this.#closed; at = this.#cursor - offset) {
      const limit = Math.min(FRAME_BYTES, this.#seen + this.#ahead.bytes - this.#cursor);
      if (limit <= 0) this.#ahead.full();
      if (limit <= 0 || !this.#options.mayWatch()) {
        await new Promise<void>((resolve) => {
          this.#goOn = resolve;
        });
        continue;
      }
      if (size) this.#tellSize(size);
      const part = bytes.subarray(at, at + limit);
      this.wire.output(this.#cursor, part);
      this.#cursor += part.length;
      this.#options.onProgress();
    }
  }

  #skipTo(offset: number): void {
    const skipped = offset - this.#cursor;
    this.#cursor = offset;
    this.#seen = offset;
    this.wire.tell({ type: 'notice', kind: 'skipped', text: `${skipped} bytes of output are not shown here` });
  }

  #tellSize({ cols, rows }: { cols: number; rows: number }): void {
    if (cols === this.#sent.cols && rows === this.#sent.rows) return;
    this.#sent = { cols, rows };
    this.wire.tell({ type: 'size', cols, rows });
  }
}

/** Who lags far behind does not count. */
export function seenByAll(viewers: readonly Viewer[], start: number): number {
  if (viewers.length === 0) return start;
  const seen = viewers.map((viewer) => viewer.seen);
  return Math.max(Math.min(...seen), Math.max(...seen) - MAX_BEHIND_BYTES);
}

/** How far somebody is; all of it where nobody is there to wait for. */
export function passedOn(viewers: readonly Pick<Viewer, 'cursor'>[], end: number): number {
  return viewers.length > 0 ? Math.max(...viewers.map(({ cursor }) => cursor)) : end;
}

/** A window that fits into everybody's; undefined where nobody has one. */
export function smallestOfAll(viewers: readonly Pick<Viewer, 'size'>[]): Viewer['size'] | undefined {
  if (viewers.length === 0) return undefined;
  const smallest = (side: 'cols' | 'rows') => Math.min(...viewers.map(({ size }) => size[side]));
  return { cols: smallest('cols'), rows: smallest('rows') };
}
