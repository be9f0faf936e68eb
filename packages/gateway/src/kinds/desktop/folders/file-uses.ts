/** What a host did with files, told once a second for each: programs read and write them in thousands of pieces. */
import type { FileUse } from '../engine/shared-folder.ts';

export const SUMMED_MS = 1_000;

export class FileUses {
  readonly #tell: (use: FileUse) => void;
  readonly #summed = new Map<string, FileUse>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(tell: (use: FileUse) => void) {
    this.#tell = tell;
  }

  add(use: FileUse): void {
    const key = `${use.what} ${use.error === undefined ? 'done' : 'failed'} ${use.path}`;
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
  }
}
