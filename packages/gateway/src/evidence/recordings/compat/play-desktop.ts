/** Plays a recorded desktop to a client of the wire reference: what is drawn as tiles, where the pointer was, each at its time. */
import { AppError } from '../../../platform/std/app-error.ts';
import {
  type CompatButton,
  encodeButton,
  encodeMove,
  encodeScreen,
  encodeTile,
} from '../../../sessions/desktop/compat/compat-messages.ts';
import { MAX_TILES } from '../../../sessions/desktop/decoder/decoder-messages.ts';
import type { DrawnDesktop } from '../../../sessions/desktop/decoder/desktop-decoder.ts';
import type { PointerItem } from '../format/desktop-items.ts';
import { readAhead } from '../format/read-ahead.ts';
import { type RecordedItem, readItems } from '../format/read-recording.ts';
import { walkFrames } from '../format/walk-frames.ts';
import type { RecordingSource } from '../stores/recording-store.ts';
import type { PlaybackClock } from './playback-clock.ts';

/** What comes within it, as it is seen, is shown together. */
const TOGETHER_MS = 100;
const FEED_BYTES = 256 * 1024;
const MAX_POINTERS = 1_000;
/** As recordings have them, and as these clients number them. */
const BUTTONS: readonly (readonly [bit: number, button: CompatButton])[] = [
  [1, 0],
  [4, 1],
  [2, 2],
];

export interface DesktopPlay {
  source: RecordingSource;
  /** Nothing behind this is shown. */
  untilMs: number;
  desktop: Pick<DrawnDesktop, 'begin' | 'feed' | 'look'>;
  clock: Pick<PlaybackClock, 'reach' | 'speed'>;
  /** False: nobody is there any more. */
  send(message: Buffer, ms: number): Promise<boolean>;
}

/** False: it was left before its end. */
export async function playDesktop(play: DesktopPlay): Promise<boolean> {
  const playing = new Playing(play);
  const ahead = readAhead(play.source);
  try {
    for await (const frame of walkFrames(ahead)) {
      if (frame.type !== 'frame') continue;
      const items = await readItems(ahead, frame).catch(() => undefined);
      // What comes before the damage is shown.
      if (!items) break;
      for (const item of items) {
        if (item.ms > play.untilMs) break;
        await playing.take(item);
      }
    }
    await playing.flush();
    return true;
  } catch (error) {
    if (error instanceof Left) return false;
    throw error;
  }
}

class Left extends Error {}

class Playing {
  readonly #play: DesktopPlay;
  #pdus: Buffer[] = [];
  #bytes = 0;
  #pointers: ({ ms: number } & PointerItem)[] = [];
  /** Of what waits to be shown. */
  #span: { from: number; to: number } | undefined;
  #hasBegun = false;
  #isDrawn = false;
  #last: PointerItem = { x: -1, y: -1, buttons: 0 };

  constructor(play: DesktopPlay) {
    this.#play = play;
  }

  async take(item: RecordedItem): Promise<void> {
    const { clock } = this.#play;
    if (this.#span && item.ms - this.#span.from >= TOGETHER_MS * clock.speed) await this.flush();
    switch (item.type) {
      case 'segment':
        await this.flush();
        await this.#begin(item);
        return;
      case 'output':
        // Before a client has begun there is nothing that could draw it.
        if (!this.#hasBegun) return;
        this.#wait(item.ms);
        this.#pdus.push(item.bytes);
        this.#bytes += item.bytes.length;
        if (this.#bytes >= FEED_BYTES) await this.#feed();
        return;
      case 'pointer':
        if (!this.#hasBegun) return;
        this.#wait(item.ms);
        this.#pointers.push(item);
        if (this.#pointers.length >= MAX_POINTERS) await this.flush();
        return;
      case 'end':
        await this.flush();
        await this.#reach(item.ms);
        return;
      default:
    }
  }

  async flush(): Promise<void> {
    const span = this.#span;
    if (!span) return;
    this.#span = undefined;
    await this.#reach(span.to);
    for (const pointer of this.#pointers.splice(0)) await this.#point(pointer);
    await this.#feed();
    if (!this.#isDrawn) return;
    this.#isDrawn = false;
    for (;;) {
      const { tiles = [] } = await this.#play.desktop.look({ as: 'tiles' });
      for (const tile of tiles) await this.#send(encodeTile(tile), span.to);
      if (tiles.length < MAX_TILES) return;
    }
  }

  async #begin(segment: Extract<RecordedItem, { type: 'segment' }>): Promise<void> {
    if (segment.protocol !== 'rdp')
      throw new AppError('bad_request', 'recordings of desktops by VNC can be played in the console alone');
    await this.#reach(segment.ms);
    const { width, height } = segment;
    await this.#play.desktop.begin({ width, height });
    this.#hasBegun = true;
    await this.#send(encodeScreen({ width, height }), segment.ms);
  }

  #wait(ms: number): void {
    this.#span = { from: this.#span?.from ?? ms, to: ms };
  }

  async #feed(): Promise<void> {
    if (this.#pdus.length === 0) return;
    const pdus = this.#pdus;
    this.#pdus = [];
    this.#bytes = 0;
    this.#isDrawn = true;
    await this.#play.desktop.feed(pdus);
  }

  async #point({ ms, x, y, buttons }: { ms: number } & PointerItem): Promise<void> {
    const before = this.#last;
    this.#last = { x, y, buttons };
    if (x !== before.x || y !== before.y) await this.#send(encodeMove(x, y), ms);
    for (const [bit, button] of BUTTONS)
      if ((buttons & bit) !== (before.buttons & bit)) await this.#send(encodeButton(button, (buttons & bit) !== 0), ms);
  }

  async #reach(ms: number): Promise<void> {
    if (!(await this.#play.clock.reach(ms))) throw new Left();
  }

  async #send(message: Buffer, ms: number): Promise<void> {
    if (!(await this.#play.send(message, ms))) throw new Left();
  }
}
