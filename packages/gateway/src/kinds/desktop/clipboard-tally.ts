/** What passed by the clipboard, for logs that last: the first at once, and what follows within a moment as one. A page or a host that copies without end fills no log. */
import type { ClipboardTransfer } from './engine/desktop-link.ts';

type Direction = ClipboardTransfer['direction'];

const MOMENT_MS = 2_000;

export class ClipboardTally {
  readonly #tell: (direction: Direction, length: number) => void;
  /** What is not told yet; there is one while a moment lasts. */
  readonly #open = new Map<Direction, { length: number; timer: NodeJS.Timeout }>();

  constructor(tell: (direction: Direction, length: number) => void) {
    this.#tell = tell;
  }

  add(direction: Direction, length: number): void {
    const open = this.#open.get(direction);
    if (open) {
      open.length += length;
      return;
    }
    this.#tell(direction, length);
    this.#begin(direction);
  }

  /** Tells what is left. */
  close(): void {
    for (const [direction, { length, timer }] of this.#open) {
      clearTimeout(timer);
      if (length > 0) this.#tell(direction, length);
    }
    this.#open.clear();
  }

  #begin(direction: Direction): void {
    const timer = setTimeout(() => {
      const { length = 0 } = this.#open.get(direction) ?? {};
      this.#open.delete(direction);
      if (length === 0) return;
      this.#tell(direction, length);
      this.#begin(direction);
    }, MOMENT_MS).unref();
    this.#open.set(direction, { length: 0, timer });
  }
}
