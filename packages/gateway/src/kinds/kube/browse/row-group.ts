/** Rows that change, told together some times a second: a row that changes often is told as it is last. */
import type { KubeRow } from '@gatehouse/contract/kinds/kube/browse';

/** Waits while the page is behind. */
export type TellRows = (rows: readonly KubeRow[], gone: readonly string[]) => Promise<void>;

/** As many wait for a page that takes nothing; then the cluster waits. */
const MAX_HELD = 1_000;

export class RowGroup {
  readonly #tell: TellRows;
  readonly #everyMs: number;
  readonly #signal: AbortSignal;
  #rows = new Map<string, KubeRow>();
  #gone = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #telling: Promise<void> | undefined;

  constructor(tell: TellRows, everyMs: number, signal: AbortSignal) {
    this.#tell = tell;
    this.#everyMs = everyMs;
    this.#signal = signal;
  }

  async put(row: KubeRow): Promise<void> {
    this.#gone.delete(row.uid);
    this.#rows.set(row.uid, row);
    await this.#held();
  }

  async gone(uid: string): Promise<void> {
    this.#rows.delete(uid);
    this.#gone.add(uid);
    await this.#held();
  }

  /** What has not been told is not told any more. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#rows.clear();
    this.#gone.clear();
  }

  async #held(): Promise<void> {
    if (this.#rows.size + this.#gone.size >= MAX_HELD) {
      await this.#telling;
      if (this.#rows.size + this.#gone.size >= MAX_HELD) await this.#flush();
      return;
    }
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // With the signal it is over, and whoever follows the list hears of it there.
      void this.#flush().catch(() => {});
    }, this.#everyMs).unref();
  }

  async #flush(): Promise<void> {
    if (this.#telling) await this.#telling;
    if (this.#signal.aborted || this.#rows.size + this.#gone.size === 0) return;
    const [rows, gone] = [[...this.#rows.values()], [...this.#gone]];
    this.#rows = new Map();
    this.#gone = new Set();
    this.#telling = this.#tell(rows, gone).finally(() => {
      this.#telling = undefined;
    });
    await this.#telling;
  }
}
