/** One file of a transfer folder: where its blocks lie. What was never written in between reads as zeros. */
import { createMutex } from '../../../../platform/std/mutex.ts';
import { BLOCK_BYTES, type SealedBlocks } from './sealed-blocks.ts';

export class SealedFile {
  readonly #blocks: SealedBlocks;
  readonly #id: number;
  /** By its place in the file: where it lies. */
  readonly #slots = new Map<number, number>();
  /** One after the other: a block that is changed in part is read first. */
  readonly #alone = createMutex();
  #isGone = false;
  size = 0;

  constructor(blocks: SealedBlocks, id: number) {
    this.#blocks = blocks;
    this.#id = id;
  }

  read(offset: number, length: number): Promise<Buffer> {
    return this.#alone(async () => {
      const end = Math.min(this.size, offset + length);
      const pieces: Buffer[] = [];
      for (const { index, from, to } of partsOf(offset, end))
        pieces.push((await this.#block(index)).subarray(from, to));
      return Buffer.concat(pieces);
    });
  }

  write(offset: number, bytes: Uint8Array): Promise<void> {
    return this.#alone(async () => {
      let done = 0;
      for (const { index, from, to } of partsOf(offset, offset + bytes.length)) {
        const part = bytes.subarray(done, done + to - from);
        await this.#replace(index, from, part);
        done += part.length;
        this.size = Math.max(this.size, offset + done);
      }
    });
  }

  resize(size: number): Promise<void> {
    return this.#alone(async () => {
      const last = Math.ceil(size / BLOCK_BYTES);
      for (const [index, slot] of this.#slots) if (index >= last) this.#drop(index, slot);
      const inside = size % BLOCK_BYTES;
      // Made longer again, what was cut off must not come back.
      if (size < this.size && inside > 0 && this.#slots.has(last - 1))
        await this.#replace(last - 1, inside, new Uint8Array(BLOCK_BYTES - inside));
      this.size = size;
    });
  }

  /** Gives its blocks back. */
  remove(): Promise<void> {
    return this.#alone(async () => {
      this.#isGone = true;
      this.size = 0;
      for (const [index, slot] of this.#slots) this.#drop(index, slot);
    });
  }

  async #block(index: number): Promise<Buffer> {
    const slot = this.#slots.get(index);
    return slot === undefined ? Buffer.alloc(BLOCK_BYTES) : await this.#blocks.read(slot, this.#label(index));
  }

  async #replace(index: number, at: number, part: Uint8Array): Promise<void> {
    // Removed while this waited: nobody would give its blocks back.
    if (this.#isGone) return;
    const before = this.#slots.get(index);
    const isWhole = part.length === BLOCK_BYTES;
    const block = isWhole ? part : await this.#block(index);
    if (!isWhole) block.set(part, at);
    this.#slots.set(index, await this.#blocks.write(this.#label(index), block));
    if (before !== undefined) this.#blocks.free(before);
  }

  #drop(index: number, slot: number): void {
    this.#slots.delete(index);
    this.#blocks.free(slot);
  }

  #label(index: number): string {
    return `${this.#id} ${index}`;
  }
}

function* partsOf(start: number, end: number): Generator<{ index: number; from: number; to: number }> {
  for (let at = start; at < end; ) {
    const index = Math.floor(at / BLOCK_BYTES);
    const from = at - index * BLOCK_BYTES;
    const to = Math.min(BLOCK_BYTES, end - index * BLOCK_BYTES);
    yield { index, from, to };
    at = index * BLOCK_BYTES + to;
  }
}
