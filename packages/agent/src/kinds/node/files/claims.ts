/**
 * Lets requests run side by side only where nobody can tell: the protocol promises results as if each had been sent after
 * the answer to the one before. Without it a read could overtake the write before it, and a close the reads of its file:
 * its descriptor may by then be that of another file.
 */

/** What a request looks at or changes. */
export interface Claim {
  changes: boolean;
  /** Absent: whatever its path leads to, so any. */
  file?: string | undefined;
  from: number;
  to: number;
}

export class Claims {
  readonly #held = new Set<{ claim: Claim; over: Promise<void> }>();

  /** Claims are made in the order of these calls. */
  async run<T>(claim: Claim, work: () => Promise<T>): Promise<T> {
    const earlier = [...this.#held].filter((held) => conflict(held.claim, claim)).map(({ over }) => over);
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const own = { claim, over };
    this.#held.add(own);
    try {
      if (earlier.length > 0) await Promise.all(earlier);
      return await work();
    } finally {
      this.#held.delete(own);
      resolve();
    }
  }
}

function conflict(one: Claim, other: Claim): boolean {
  if (!one.changes && !other.changes) return false;
  if (one.file !== undefined && other.file !== undefined && one.file !== other.file) return false;
  return one.from < other.to && other.from < one.to;
}
