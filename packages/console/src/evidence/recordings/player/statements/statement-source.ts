/** What was read of the statements, as the player's engine wants it: what happened when, in pieces. */
import type { PlayedItem } from '@gatehouse/contract/recordings/recordings';
import type { ChunkSource, PlayedChunk } from '../../engine/piece-reader.ts';

export interface ReadSoFar {
  moments: readonly PlayedItem[];
  /** Everything there is was read. */
  isWhole: boolean;
  isLive: boolean;
}

const PIECE_ITEMS = 1_000;

export class StatementSource implements ChunkSource {
  #read: ReadSoFar = { moments: [], isWhole: false, isLive: false };
  #changed = Promise.withResolvers<void>();
  readonly #onStarved: () => void;

  /** `onStarved`: somebody waits for what was not read. */
  constructor(onStarved: () => void) {
    this.#onStarved = onStarved;
  }

  update(read: ReadSoFar): void {
    this.#read = read;
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  async seek(ms: number, signal: AbortSignal): Promise<PlayedChunk> {
    for (;;) {
      const { moments, isWhole } = this.#read;
      const at = moments.findIndex((item) => item.ms > ms);
      if (at >= 0) return this.#piece(at);
      if (isWhole) return this.#piece(moments.length);
      await this.#more(signal);
    }
  }

  async next(key: string, signal: AbortSignal): Promise<PlayedChunk> {
    const at = Number(key);
    while (at >= this.#read.moments.length && !this.#read.isWhole) await this.#more(signal);
    return this.#piece(at);
  }

  #piece(at: number): PlayedChunk {
    const { moments, isWhole, isLive } = this.#read;
    const items = moments.slice(at, at + PIECE_ITEMS);
    const to = at + items.length;
    const isOver = isWhole && !isLive && to >= moments.length;
    return { items, live: isLive, ...(isOver ? {} : { next: String(to) }) };
  }

  async #more(signal: AbortSignal): Promise<void> {
    this.#onStarved();
    await this.#changed.promise;
    signal.throwIfAborted();
  }
}
