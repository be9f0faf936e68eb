/**
 * Draws RemoteFX on the surface of a client of RDP, in its place: the client takes several times as long for it. All else goes on to the
 * client in the order in which it came. Where the client would show more than it was just told, it is told before what was drawn here.
 * What is no frame as hosts make them is the client's to judge.
 */
import type { Entropy } from './coefficients.ts';
import { type Headers, readFrame, readHeaders } from './frame.ts';
import { around, common, type Rectangle } from './rectangles.ts';
import { shareMessage } from './share-message.ts';
import { Sheet } from './sheet.ts';
import {
  bitmapCount,
  FRAGMENT,
  plainBitmap,
  readCommands,
  readUpdate,
  type ShortUpdate,
  type SurfaceCommand,
  UPDATE,
} from './surface-update.ts';
import { TILE } from './tile.ts';

/** Where both draw. The client sizes it. */
export interface Surface {
  readonly width: number;
  readonly height: number;
  /** `points`: of the whole surface, from the top, red first; a part of them is shown. */
  paint(points: Uint8ClampedArray<ArrayBuffer>, part: Rectangle): void;
  /** What is seen there. */
  read(part: Rectangle): Uint8ClampedArray;
}

export interface PainterDeps {
  surface: Surface;
  /** To the client. */
  push(pdu: Uint8Array): void;
  /** After it the client has drawn what it was given. */
  turn(): Promise<void>;
}

/** Of one update in fragments; a host that goes on without end is the client's. */
const MAX_HELD_BYTES = 16 * 1024 * 1024;
const MAX_HELD = 4_096;
/** Of a larger one nothing is kept here. */
const MAX_POINTS = 32 * 1024 * 1024;
const CORNER = { left: 0, top: 0, width: 1, height: 1 };

export class RemoteFxPainter {
  readonly #deps: PainterDeps;
  /** How its frames are packed; undefined: they are the client's to draw. */
  #entropy: Entropy | undefined;
  /** That the client has heard. */
  #headers: Uint8Array | undefined;
  #sheet: Sheet | undefined;
  /** Was drawn here, and the client knows nothing of it. */
  #untold: Rectangle | undefined;
  /** Fragments of an update whose end has not come. */
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  /** The client draws in a moment. */
  #drawing: Promise<void> | undefined;
  #waiting: Uint8Array[] = [];
  #working: Promise<void> | undefined;

  constructor(deps: PainterDeps) {
    this.#deps = deps;
  }

  /** One whole PDU of a host. It is kept for a moment: its bytes must stay. */
  push(pdu: Uint8Array): void {
    if (!this.#working && this.#take(pdu)) return;
    this.#waiting.push(pdu);
    this.#working ??= this.#work();
  }

  /** All that was pushed is seen. */
  async settled(): Promise<void> {
    while (this.#working) await this.#working;
    await this.#deps.turn();
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0) {
      const pdus = this.#waiting;
      this.#waiting = [];
      for (const pdu of pdus) while (!this.#take(pdu)) await this.#drawing;
    }
    this.#working = undefined;
  }

  /** False: the client must have drawn first. */
  #take(pdu: Uint8Array): boolean {
    const update = readUpdate(pdu);
    if (update?.code === UPDATE.surface) return this.#surface(pdu, update);
    const share = update ? undefined : shareMessage(pdu);
    const drawsMore = update
      ? update.code === UPDATE.bitmap && bitmapCount(update) !== 1
      : pdu[0] === 0 || share === 'draws';
    if (drawsMore && this.#drawing) return false;
    this.#release();
    if (share === 'begins') this.#forget();
    if (drawsMore) this.#tell();
    this.#give(pdu, share !== undefined || pdu[0] === 0);
    return true;
  }

  #surface(pdu: Uint8Array, { fragment, data }: ShortUpdate): boolean {
    if (fragment === FRAGMENT.first || fragment === FRAGMENT.next) {
      if (fragment === FRAGMENT.first) this.#release();
      if (this.#held.length === 0 && fragment === FRAGMENT.next) this.#give(pdu, true);
      else this.#hold(pdu, data);
      return true;
    }
    const isSingle = fragment === FRAGMENT.single;
    const commands = isSingle ? readCommands(data) : undefined;
    const isMarker = commands !== undefined && commands.length > 0 && commands.every(({ is }) => is === 'marker');
    if (this.#drawing && !isMarker) return false;
    if (isSingle) this.#release();
    else this.#hold(pdu, data);
    const pdus = isSingle ? [pdu] : this.#held.splice(0);
    const read = commands ?? readCommands(isSingle ? data : joined(pdus, this.#heldBytes));
    this.#heldBytes = 0;
    // A client does nothing at the beginning of a frame, and would show a point of what it knows.
    if (isMarker && this.#entropy && !commands.some((each) => each.is === 'marker' && each.isEnd)) return true;
    if (!isMarker && read && this.#paintAll(read)) return true;
    if (!isMarker) this.#tell();
    for (const each of pdus) this.#give(each, true);
    return true;
  }

  /** All of it, or nothing that counts: what was drawn by then is drawn again. */
  #paintAll(commands: readonly SurfaceCommand[]): boolean {
    for (const command of commands) {
      if (command.is !== 'remotefx') return false;
      const headers = readHeaders(command.bytes);
      // The client has to hear them as well, once.
      if (headers && !this.#knows(headers)) return false;
      if (!this.#entropy) return false;
      const frame = readFrame(headers?.frame ?? command.bytes);
      const { width, height } = this.#deps.surface;
      if (!frame || width * height === 0 || width * height > MAX_POINTS) return false;
      if (this.#sheet?.width !== width || this.#sheet.height !== height) this.#sheet = new Sheet({ width, height });
      const shown = this.#sheet.draw(frame, command.to, this.#entropy);
      if (!shown) return false;
      for (const part of shown) this.#show(part, this.#sheet.points);
    }
    return commands.length > 0;
  }

  /** Hosts may say them again, as they were. */
  #knows({ bytes, entropy }: Headers): boolean {
    const before = this.#headers;
    if (before?.length === bytes.length && before.every((byte, at) => byte === bytes[at])) return true;
    this.#headers = bytes.slice();
    this.#entropy = entropy;
    return false;
  }

  #show(part: Rectangle, points: Uint8ClampedArray<ArrayBuffer>): void {
    this.#deps.surface.paint(points, part);
    this.#untold = around(this.#untold, part);
    // With the end of each frame the client shows the first point of what it knows.
    if (common(part, CORNER)) this.#give(plainBitmap(CORNER, points.subarray(0, 4)), true);
  }

  /** The client learns of what was drawn here. */
  #tell(): void {
    const part = this.#untold;
    this.#untold = undefined;
    if (!part) return;
    for (let top = part.top; top < part.top + part.height; top += TILE)
      for (let left = part.left; left < part.left + part.width; left += TILE) {
        const piece = common({ left, top, width: TILE, height: TILE }, part) as Rectangle;
        this.#give(plainBitmap(piece, this.#deps.surface.read(piece)), true);
      }
  }

  /** The host describes its desktop anew. */
  #forget(): void {
    this.#entropy = undefined;
    this.#headers = undefined;
    this.#sheet = undefined;
    this.#untold = undefined;
  }

  #hold(pdu: Uint8Array, data: Uint8Array): void {
    this.#held.push(pdu);
    this.#heldBytes += data.length;
    if (this.#heldBytes > MAX_HELD_BYTES || this.#held.length > MAX_HELD) this.#release();
  }

  /** Something else came in between: it is the client's to pass over. */
  #release(): void {
    this.#heldBytes = 0;
    for (const pdu of this.#held.splice(0)) this.#give(pdu, true);
  }

  #give(pdu: Uint8Array, draws: boolean): void {
    this.#deps.push(pdu);
    if (!draws) return;
    this.#drawing ??= this.#deps.turn().then(() => {
      this.#drawing = undefined;
    });
  }
}

function joined(pdus: readonly Uint8Array[], bytes: number): Uint8Array {
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const pdu of pdus) {
    const data = (readUpdate(pdu) as ShortUpdate).data;
    whole.set(data, at);
    at += data.length;
  }
  return whole;
}
