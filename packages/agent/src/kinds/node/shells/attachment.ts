/** One gateway's hold on a shell: sends it the output from where it was, and hands on what comes back. */
import type { Duplex } from 'node:stream';
import type { GatewayShellFrame, ShellExit, ShellState } from '@gatehouse/contract/reach/agents/shell-frames';
import { encodeShellFrame, gatewayFrameReader } from '@gatehouse/tunnel/shell-frame-codec';
import type { OutputBuffer } from '@gatehouse/tunnel/shells/output-buffer';
import type { Look, Timeline } from '@gatehouse/tunnel/shells/timeline';
import type { Taken } from '@gatehouse/tunnel/shells/writers';
import { messageOf } from '@gatehouse/tunnel/tunnel-error';
import type { AgentLog } from '../../../runtime/log.ts';

const CHUNK_BYTES = 64 * 1024;
/** Below this one write of both is cheaper than two frames of HTTP/2. */
const JOIN_BYTES = 8 * 1024;
/** Output waits long before this; small frames do not, and a gateway that never reads must not fill our memory with them. */
const MAX_WAITING_BYTES = 2 * 1024 * 1024;

export interface AttachmentOptions {
  stream: Duplex;
  /** Output from this byte on. */
  from: number;
  /** How far output may run before what was seen. */
  ahead: number;
  /** What a gateway that comes back has passed on; as far as it has come when absent. */
  seen?: number | undefined;
  held: OutputBuffer;
  timeline: Timeline;
  state: Omit<ShellState, 'start' | 'end' | 'cols' | 'rows' | 'echo'>;
  onFrame(frame: GatewayShellFrame): void;
  /** More was sent, or can be. */
  onProgress(): void;
  onDetach(): void;
  log: AgentLog;
}

export class Attachment {
  readonly #options: AttachmentOptions;
  #cursor: number;
  #seen: number;
  #sent: Look;
  #exit: ShellExit | undefined;
  #detached = false;
  #waitsForDrain = false;

  constructor(options: AttachmentOptions) {
    const { stream, from, held, timeline, state, onFrame, log } = options;
    this.#options = options;
    this.#cursor = Math.max(from, held.start);
    this.#seen = Math.min(options.seen ?? this.#cursor, this.#cursor);
    const { cols, rows, echo } = timeline.at(this.#cursor);
    this.#sent = { cols, rows, echo };
    const reader = gatewayFrameReader();
    stream.on('data', (piece: Buffer) => {
      try {
        for (const frame of reader.push(piece)) {
          if (frame.type === 'seen') this.#see(frame.offset);
          else onFrame(frame);
        }
      } catch (error) {
        log.warn({ error: messageOf(error) }, 'an attachment was cut: the gateway broke the protocol');
        this.cut();
      }
    });
    stream.on('error', () => {});
    stream.on('end', () => stream.end());
    stream.on('close', () => this.#detach());
    this.#send({ type: 'state', state: { ...state, start: held.start, end: held.end, cols, rows, echo } });
    this.pump();
  }

  /** The next byte it will send. */
  get cursor(): number {
    return this.#cursor;
  }

  pump(): void {
    const { held, timeline, stream } = this.#options;
    if (this.#cursor < held.start) {
      this.#options.log.warn({}, 'an attachment was cut: it did not take output before that was forgotten');
      this.cut();
      return;
    }
    while (!this.#detached && !stream.writableEnded) {
      this.#sendLook(timeline.at(this.#cursor));
      if (stream.writableNeedDrain) {
        this.#whenDrained();
        return;
      }
      const limit = Math.min(timeline.nextAfter(this.#cursor), this.#seen + this.#options.ahead);
      const bytes = held.read(this.#cursor, Math.min(CHUNK_BYTES, limit - this.#cursor));
      if (bytes.length === 0) break;
      const offset = this.#cursor;
      this.#cursor += bytes.length;
      if (this.#cursor <= offset) throw new RangeError('output does not move on');
      this.#send({ type: 'output', offset, bytes });
    }
    if (this.#exit && this.#cursor === held.end && !stream.writableEnded) {
      this.#send({ type: 'exit', exit: this.#exit });
      stream.end();
    }
  }

  tellTaken({ writer, offset }: Taken): void {
    this.#send({ type: 'taken', writer, offset });
  }

  tellProgram(program: string): void {
    this.#send({ type: 'program', program });
  }

  /** Sent after the last output; the stream ends with it. */
  tellExit(exit: ShellExit): void {
    this.#exit = exit;
    this.pump();
  }

  cut(): void {
    this.#options.stream.destroy();
    this.#detach();
  }

  #see(offset: number): void {
    const waited = this.#cursor >= this.#seen + this.#options.ahead;
    this.#seen = Math.min(Math.max(this.#seen, offset), this.#cursor);
    // Who did not wait is sent more when its time comes, in larger pieces.
    if (!waited) return;
    this.pump();
    this.#options.onProgress();
  }

  #sendLook({ cols, rows, echo }: Look): void {
    const offset = this.#cursor;
    const sent = this.#sent;
    this.#sent = { cols, rows, echo };
    if (cols !== sent.cols || rows !== sent.rows) this.#send({ type: 'size', offset, cols, rows });
    if (echo !== sent.echo) this.#send({ type: 'echo', offset, echo });
  }

  #whenDrained(): void {
    if (this.#waitsForDrain) return;
    this.#waitsForDrain = true;
    this.#options.stream.once('drain', () => {
      this.#waitsForDrain = false;
      this.pump();
      this.#options.onProgress();
    });
  }

  #send(frame: Parameters<typeof encodeShellFrame>[0]): void {
    const { stream } = this.#options;
    if (this.#detached || stream.writableEnded || stream.destroyed) return;
    if (stream.writableLength > MAX_WAITING_BYTES) {
      this.cut();
      return;
    }
    const parts = encodeShellFrame(frame);
    const size = parts.reduce((sum, part) => sum + part.length, 0);
    if (size <= JOIN_BYTES) stream.write(Buffer.concat(parts));
    else for (const part of parts) stream.write(part);
  }

  #detach(): void {
    if (this.#detached) return;
    this.#detached = true;
    this.#options.onDetach();
  }
}
