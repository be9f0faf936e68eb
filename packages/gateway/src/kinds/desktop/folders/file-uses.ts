/** What a host did with files, told once a second for each: programs read and write them in thousands of pieces. */
import type { FileUse } from '../engine/shared-folder.ts';

export const SUMMED_MS = 1_000;
/** Files that are told of in that time. A host that uses more waits: it could fill the log, and hide in it. */
export const MAX_SUMMED = 200;

export class FileUses {
  readonly #tell: (use: FileUse) => void;
  readonly #summed = new Map<string, FileUse>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #told = Promise.withResolvers<void>();

  constructor(tell: (use: FileUse) => void) {
    this.#tell = tell;
  }

  /** Waits until one more can be told of. */
  async turn(use: Pick<FileUse, 'what' | 'path'>): Promise<void> {
    while (this.#summed.size >= MAX_SUMMED && !this.#summed.has(keyOf(use))) await this.#told.promise;
  }

  add(use: FileUse): void {
    const key = keyOf(use);
    const before = this.#summed.get(key);
    if (before) {
      before.length += use.length;
      before.offset = Math.min(before.offset, use.offset);
    } else this.#summed.set(key, { ...use });
    this.#timer ??= setTimeout(() => this.flush(), SUMMED_MS);
  }

  /** At once, as when it ends. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const uses = [...this.#summed.values()];
    this.#summed.clear();
    for (const use of uses) this.#tell(use);
    this.#told.resolve();
    this.#told = Promise.withResolvers();
  }
}

function keyOf({ what, path, error }: Pick<FileUse, 'what' | 'path' | 'error'>): string {
  return `${what} ${error === undefined ? 'done' : 'failed'} ${path}`;
}
