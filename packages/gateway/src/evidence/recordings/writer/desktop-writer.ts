/** Writes what a desktop shows, where its pointer was and what happened beside it, as items of its session's recording. */
import type { ParticipantMode } from '@gatehouse/contract/sessions/terminal-frames';
import type { DesktopNote, DesktopRecorder, PictureSize } from '../../../sessions/desktop/desktop-recorder.ts';
import { RdpSegments } from '../../../sessions/desktop/rdp-prelude.ts';
import type { SessionEnd } from '../../../sessions/host/session-store.ts';
import type { SessionRecorder } from '../../../sessions/recorder.ts';
import { encodeNote, encodePointer, encodeSegment, encodeSize, type PointerItem } from '../format/desktop-items.ts';
import { ITEMS } from '../format/frames.ts';
import type { OutputRate } from '../output-rate.ts';
import { RecordingBacklog } from './recording-backlog.ts';
import { FRAME_RAW_BYTES } from './recording-writer.ts';

/** Not on disk yet: with more, the host waits; with less than half of it, it goes on. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
/** A mouse tells of itself a hundred times a second; twenty look the same. */
const POINTER_MS = 50;

export class DesktopWriter implements DesktopRecorder {
  readonly #recording: SessionRecorder;
  readonly #outputRate: Pick<OutputRate, 'printed'>;
  /** In bytes of pictures. */
  readonly #backlog: RecordingBacklog;
  /** Of RDP: where the size changes, what follows is for a client that begins anew. */
  #segments: RdpSegments | undefined;
  #protocol: 'rdp' | 'vnc' = 'rdp';
  /** Where it is, and not written yet. */
  #moved: PointerItem | undefined;
  #buttons = 0;
  #pointerTimer: NodeJS.Timeout | undefined;
  #tellDurable = () => {};

  constructor(recording: SessionRecorder, { outputRate }: { outputRate: Pick<OutputRate, 'printed'> }) {
    this.#recording = recording;
    this.#outputRate = outputRate;
    this.#backlog = new RecordingBacklog(recording, MAX_WAITING_BYTES);
    recording.onDurable(() => {
      this.#backlog.goOn();
      this.#tellDurable();
    });
  }

  begin(protocol: 'rdp' | 'vnc', size: PictureSize): void {
    this.#protocol = protocol;
    this.segment(size);
  }

  segment(size: PictureSize): void {
    this.#segments = this.#protocol === 'rdp' ? new RdpSegments() : undefined;
    this.#writeSegment(size);
  }

  size(size: PictureSize): void {
    this.#add(ITEMS.size, encodeSize(size));
  }

  picture(bytes: Buffer): void {
    if (bytes.length === 0 || !this.#recording.isOpen()) return;
    this.#outputRate.printed(bytes.length);
    const { segment, pdus } = this.#segments?.follow(bytes) ?? { pdus: [bytes] };
    if (segment) this.#writeSegment(segment);
    for (const pdu of pdus) this.#writePicture(pdu);
  }

  #writeSegment(size: PictureSize): void {
    this.#add(ITEMS.segment, encodeSegment(this.#protocol, size));
    this.size(size);
  }

  #writePicture(bytes: Buffer): void {
    // No PDU of RDP is as long; what VNC sends is a stream.
    for (let at = 0; at < bytes.length; at += FRAME_RAW_BYTES) {
      const piece = bytes.subarray(at, at + FRAME_RAW_BYTES);
      this.#backlog.add(ITEMS.output, piece, piece.length);
    }
  }

  pointer(x: number, y: number, buttons: number): void {
    this.#moved = { x, y, buttons };
    // What is pressed and let go of counts, however fast.
    if (buttons !== this.#buttons) this.#writePointer();
    else if (!this.#pointerTimer) {
      this.#writePointer();
      this.#pointerTimer = setTimeout(() => {
        this.#pointerTimer = undefined;
        this.#writePointer();
      }, POINTER_MS).unref();
    }
  }

  note(note: DesktopNote): void {
    this.#add(ITEMS.note, encodeNote(note));
  }

  behind(): Promise<void> | undefined {
    return this.#backlog.behind();
  }

  isOpen(): boolean {
    return this.#recording.isOpen();
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
    this.#tellDurable = listener;
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
    this.#writePointer();
    clearTimeout(this.#pointerTimer);
    this.#recording.close(end);
    this.#backlog.goOn();
  }

  release(): void {
    this.#writePointer();
    clearTimeout(this.#pointerTimer);
    this.#recording.release();
    this.#backlog.goOn();
  }

  #writePointer(): void {
    const moved = this.#moved;
    if (!moved) return;
    this.#moved = undefined;
    this.#buttons = moved.buttons;
    this.#add(ITEMS.pointer, encodePointer(moved));
  }

  #add(type: number, bytes: Buffer): void {
    this.#backlog.add(type, bytes, 0);
  }
}
