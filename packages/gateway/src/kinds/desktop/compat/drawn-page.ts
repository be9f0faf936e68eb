/** Stands for a page whose client draws in a process of ours: takes what the host sends as fast as that draws it, and shows what changed as fast as somebody takes it. */
import { type DrawnTile, MAX_TILES } from '../../../sessions/desktop/decoder/decoder-messages.ts';
import type { DesktopClient } from '../../../sessions/desktop/decoder/desktop-decoder.ts';
import type { PictureSize } from '../../../sessions/desktop/desktop-recorder.ts';

/** Ten times a second. */
const SHOW_EVERY_MS = 100;
const FEED_BYTES = 256 * 1024;

type Step = { size: PictureSize } | { pdu: Buffer; sent: () => void };

export interface DrawnPageDeps {
  client: Pick<DesktopClient, 'begin' | 'feed' | 'look'>;
  /** Resolves when they have left: what changes meanwhile comes with the next ones. */
  show(tiles: readonly DrawnTile[]): Promise<void>;
  onFailed(error: unknown): void;
}

export class DrawnPage {
  readonly #deps: DrawnPageDeps;
  readonly #steps: Step[] = [];
  /** Of the host's bytes, what is not drawn yet. */
  #undrawn = 0;
  #isWorking = false;
  #isShowing = false;
  #hasChanged = false;
  #isClosed = false;
  /** Something was shown: whoever types sees what they do. */
  hasShown = false;

  constructor(deps: DrawnPageDeps) {
    this.#deps = deps;
  }

  /** A client that knows nothing. */
  begin(size: PictureSize): void {
    this.#add({ size });
  }

  picture(pdu: Buffer, sent: () => void): void {
    this.#undrawn += pdu.length;
    this.#add({ pdu, sent });
  }

  unsent(): number {
    return this.#undrawn;
  }

  close(): void {
    this.#isClosed = true;
    this.#steps.length = 0;
  }

  #add(step: Step): void {
    if (this.#isClosed) return;
    this.#steps.push(step);
    if (this.#isWorking) return;
    this.#isWorking = true;
    void this.#work().catch((error: unknown) => this.#fail(error));
  }

  async #work(): Promise<void> {
    for (let step = this.#steps.shift(); step && !this.#isClosed; step = this.#steps.shift()) {
      if ('size' in step) {
        await this.#deps.client.begin(step.size);
        continue;
      }
      const fed = [step];
      let bytes = step.pdu.length;
      for (let next = this.#steps[0]; next && 'pdu' in next && bytes < FEED_BYTES; next = this.#steps[0]) {
        this.#steps.shift();
        fed.push(next);
        bytes += next.pdu.length;
      }
      await this.#deps.client.feed(fed.map(({ pdu }) => pdu));
      this.#undrawn -= bytes;
      for (const { sent } of fed) sent();
      this.#changed();
    }
    this.#isWorking = false;
  }

  #changed(): void {
    this.#hasChanged = true;
    if (this.#isShowing || this.#isClosed) return;
    this.#isShowing = true;
    void this.#show().catch((error: unknown) => this.#fail(error));
  }

  async #show(): Promise<void> {
    while (this.#hasChanged && !this.#isClosed) {
      this.#hasChanged = false;
      const again = new Promise<void>((resolve) => void setTimeout(resolve, SHOW_EVERY_MS).unref());
      const { tiles = [] } = await this.#deps.client.look({ as: 'tiles' });
      if (tiles.length > 0 && !this.#isClosed) {
        await this.#deps.show(tiles);
        this.hasShown = true;
      }
      // The rest of a large screen need not wait.
      if (tiles.length === MAX_TILES) this.#hasChanged = true;
      else await again;
    }
    this.#isShowing = false;
  }

  #fail(error: unknown): void {
    if (this.#isClosed) return;
    this.close();
    this.#deps.onFailed(error);
  }
}
