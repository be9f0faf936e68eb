/** Bitmaps that come in several messages: they are held until the last has come, so that they can be mended as a whole. */
import { malformed } from '../desktop-link.ts';
import { type FastUpdate, FRAGMENT, fastUpdates, UPDATE } from './tracker.ts';
import { unpadBitmaps } from './unpad-bitmaps.ts';

/** Of one update: more than a screen of four million points without compression. */
const MAX_UPDATE_BYTES = 16 * 1024 * 1024;
/** Empty ones add no bytes, and are held like the others. */
const MAX_FRAGMENTS = 16 * 1024;

export class BitmapFragments {
  #messages: Buffer[] = [];
  #pieces: Buffer[] = [];
  #size = 0;

  /** Gives the messages that may go on now, mended: none while an update is being held, all of it with its end. */
  push(message: Buffer, desktopWidth: number): Buffer[] {
    const updates = fastUpdates(message);
    const [only] = updates;
    if (updates.length === 1 && only!.code === UPDATE.bitmap && only!.fragment !== FRAGMENT.single)
      return this.#hold(message, only!, desktopWidth);
    for (const { code, fragment, data } of updates)
      if (code === UPDATE.bitmap && fragment === FRAGMENT.single) unpadBitmaps(data, desktopWidth);
    // Another in the middle of one: that one never ends, and whoever draws passes it over.
    return [...this.#give(), message];
  }

  #hold(message: Buffer, { fragment, data }: FastUpdate, desktopWidth: number): Buffer[] {
    const before = fragment === FRAGMENT.first ? this.#give() : [];
    // One that goes on with what never began is for whoever draws to pass over.
    if (fragment !== FRAGMENT.first && this.#messages.length === 0) return [message];
    this.#size += data.length;
    if (this.#size > MAX_UPDATE_BYTES || this.#messages.length >= MAX_FRAGMENTS)
      throw malformed('an update of the picture is larger than any screen');
    // A copy: the piece of the stream that it came in is larger, and would be kept with it.
    const own = Buffer.from(message);
    this.#messages.push(own);
    this.#pieces.push(own.subarray(own.length - data.length));
    if (fragment === FRAGMENT.last) this.#mend(desktopWidth);
    return fragment === FRAGMENT.last ? [...before, ...this.#give()] : before;
  }

  #mend(desktopWidth: number): void {
    const whole = Buffer.concat(this.#pieces);
    unpadBitmaps(whole, desktopWidth);
    let at = 0;
    for (const piece of this.#pieces) {
      whole.copy(piece, 0, at, at + piece.length);
      at += piece.length;
    }
  }

  #give(): Buffer[] {
    const messages = this.#messages;
    this.#messages = [];
    this.#pieces = [];
    this.#size = 0;
    return messages;
  }
}
