/** Tells repetitions of one statement on one connection together: the log stays readable, and the recording keeps each. */

/** From so many on within that time. */
const MIN_REPEATED = 100;
const WITHIN_MS = 10_000;
/** Statements that are counted at a time; others are told each by itself. */
const MAX_COUNTED = 64;

interface Counted<Told> {
  since: number;
  count: number;
  /** Not yet told: the last of them, and how many it stands for. */
  held: { told: Told; count: number } | undefined;
}

export class StatementFold<Told> {
  readonly #tell: (told: Told, count: number) => void;
  readonly #now: () => number;
  readonly #counted = new Map<string, Counted<Told>>();

  constructor(tell: (told: Told, count: number) => void, now: () => number) {
    this.#tell = tell;
    this.#now = now;
  }

  /** `key`: what makes two of them the same, outcome included. */
  take(key: string, told: Told): void {
    const now = this.#now();
    const known = this.#counted.get(key);
    if (known && now - known.since < WITHIN_MS) {
      known.count += 1;
      if (known.count < MIN_REPEATED) this.#tell(told, 1);
      else known.held = { told, count: (known.held?.count ?? 0) + 1 };
      return;
    }
    if (known) this.#release(key, known);
    if (this.#counted.size >= MAX_COUNTED) this.#releaseOldest();
    this.#counted.set(key, { since: now, count: 1, held: undefined });
    this.#tell(told, 1);
  }

  /** Tells what has waited long enough. */
  tick(): void {
    const now = this.#now();
    for (const [key, known] of this.#counted) if (now - known.since >= WITHIN_MS) this.#release(key, known);
  }

  close(): void {
    for (const [key, known] of this.#counted) this.#release(key, known);
  }

  #releaseOldest(): void {
    for (const [key, known] of this.#counted) {
      this.#release(key, known);
      return;
    }
  }

  #release(key: string, { held }: Counted<Told>): void {
    this.#counted.delete(key);
    if (held) this.#tell(held.told, held.count);
  }
}
